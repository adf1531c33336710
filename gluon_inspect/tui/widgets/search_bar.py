"""The line at the bottom that searches the pane one came from."""

from __future__ import annotations

from typing import ClassVar, cast

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widget import Widget
from textual.widgets import Input, Label

from gluon_inspect.tui.chosen import Searchable


class SearchBar(Horizontal):
    """Opens over a pane, searches it at every key, and goes back to it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "close", "Close the search", show=False)]

    def __init__(self) -> None:
        super().__init__(id="search")
        self._pane: Searchable | None = None

    def compose(self) -> ComposeResult:
        """Prompt, text, how many."""
        yield Label("/", id="search-prompt")
        yield Input(id="search-text", compact=True)
        yield Label("", id="search-count")

    def open(self, pane: Searchable) -> None:
        """Search this pane."""
        self._pane = pane
        self.add_class("-open")
        field = self.query_one(Input)
        field.value = ""
        field.focus()

    def step(self, pane: Searchable, forward: bool) -> None:
        """The next or previous hit in a pane."""
        self.notify(pane.search_step(forward) or "nothing was searched for here", timeout=1.5)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Search as the user types."""
        event.stop()
        if self._pane is not None and self.has_class("-open"):
            self.query_one("#search-count", Label).update(self._pane.search(event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Keep the hits and go back."""
        event.stop()
        self._leave()

    def action_close(self) -> None:
        """Forget the hits and go back."""
        if self._pane is not None:
            self._pane.search("")
        self._leave()

    def _leave(self) -> None:
        self.remove_class("-open")
        if isinstance(self._pane, Widget):
            cast(Widget, self._pane).focus()
