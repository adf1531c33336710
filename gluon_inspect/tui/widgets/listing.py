"""A list that can be searched, moved through with letters and copied from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from gluon_inspect.tui.messages import Copied
from gluon_inspect.tui.search import Hits, find


@dataclass(frozen=True, slots=True)
class Item:
    """One entry; `key` is unique in its list."""

    key: str
    text: Text


class Listing(OptionList):
    """Items by key."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("k", "cursor_up", "Up", show=False),
        Binding("j", "cursor_down", "Down", show=False),
        Binding("g", "first", "First", show=False),
        Binding("G", "last", "Last", show=False),
        Binding("y", "copy_item", "Copy entry", show=False),
        Binding("Y", "copy_all", "Copy all", show=False),
    ]

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._items: tuple[Item, ...] = ()
        self.hits = Hits("")

    @property
    def key(self) -> str | None:
        """The key of the highlighted item."""
        return None if self.highlighted is None else self._items[self.highlighted].key

    def show_items(self, items: Sequence[Item]) -> None:
        """Other items; the highlight stays on the same key where it is still there."""
        before = self.key
        self._items = tuple(items)
        self.clear_options()
        self.add_options(Option(item.text, id=None) for item in items)
        keys = [item.key for item in items]
        if keys:
            self.highlighted = keys.index(before) if before in keys else 0

    def select_key(self, key: str) -> None:
        """Highlight an item."""
        keys = [item.key for item in self._items]
        if key in keys and self.key != key:
            self.highlighted = keys.index(key)

    def search(self, text: str) -> str:
        """Go to the first item with the text, from the highlight on."""
        self.hits = find([item.text.plain for item in self._items], text)
        return self._go(self.hits.next_from(self._at() - 1, forward=True))

    def search_step(self, forward: bool) -> str:
        """Go to the next or previous item with it."""
        return self._go(self.hits.next_from(self._at(), forward))

    def action_copy_item(self) -> None:
        """The text of the highlighted item."""
        if self.highlighted is not None:
            self.post_message(Copied(self._items[self.highlighted].text.plain, "this entry"))

    def action_copy_all(self) -> None:
        """The text of all items."""
        self.post_message(Copied("\n".join(item.text.plain for item in self._items), "the whole list"))

    def _at(self) -> int:
        return self.highlighted or 0

    def _go(self, index: int | None) -> str:
        if index is not None:
            self.highlighted = index
        return self.hits.summary(self._at())
