"""The line at the bottom that searches the pane one came from."""

from __future__ import annotations

from typing import ClassVar, cast

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widget import Widget
from textual.widgets import Input, Label

from gluon_inspect.tui.chosen import Searchable


class _Field(Input):
    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "finish", show=False)]

    def action_finish(self) -> None:
        """In the field's own queue, so that every letter before it has arrived."""
        if isinstance(self.parent, SearchBar):
            self.parent.action_finish()


class SearchBar(Horizontal):
    """Opens over a pane, searches it at every key, and goes back to it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "finish", "Back to the pane, hits stay marked", show=False),
        Binding("escape", "close", "Back to the pane, hits forgotten", show=False),
    ]

    def __init__(self) -> None:
        super().__init__(id="search")
        self._pane: Searchable | None = None
        self.display = False

    def compose(self) -> ComposeResult:
        """Prompt, text, how many."""
        yield Label("/", id="search-prompt")
        yield _Field(id="search-text", compact=True)
        yield Label("", id="search-count")

    def open(self, pane: Searchable) -> None:
        """Search this pane."""
        self._pane = pane
        self.display = True
        field = self.query_one(Input)
        field.value = ""
        # At once: what is typed right after the slash belongs to the search.
        self.screen.set_focus(field)

    def step(self, pane: Searchable, forward: bool) -> None:
        """The next or previous hit in a pane."""
        self.notify(pane.search_step(forward) or "nothing was searched for here", timeout=1.5)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Search as the user types."""
        event.stop()
        if self._pane is not None and self.display:
            self.query_one("#search-count", Label).update(self._pane.search(event.value), layout=False)

    def action_finish(self) -> None:
        """Keep the hits and go back; with fast typing the last change has yet to be told."""
        if self._pane is not None:
            self._pane.search(self.query_one(Input).value)
        self._leave()

    def action_close(self) -> None:
        """Forget the hits and go back."""
        if self._pane is not None:
            self._pane.search("")
        self._leave()

    def _leave(self) -> None:
        self.display = False
        if isinstance(self._pane, Widget):
            # At once: the next key belongs to the pane.
            self.screen.set_focus(cast(Widget, self._pane))
