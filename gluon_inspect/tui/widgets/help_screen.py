"""Every key, by where it works."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from gluon_inspect.tui import keys
from gluon_inspect.tui.highlight import Token
from gluon_inspect.tui.passages import Passage
from gluon_inspect.tui.widgets.assembly_pane import AssemblyPane
from gluon_inspect.tui.widgets.board_view import BoardView
from gluon_inspect.tui.widgets.code_view import CodeView
from gluon_inspect.tui.widgets.findings_pane import FindingsPane
from gluon_inspect.tui.widgets.grid import Grid
from gluon_inspect.tui.widgets.ir_pane import IrPane
from gluon_inspect.tui.widgets.kernel_pane import KernelPane
from gluon_inspect.tui.widgets.layout_pane import LayoutPane
from gluon_inspect.tui.widgets.listing import Listing
from gluon_inspect.tui.widgets.passes_pane import PassesPane
from gluon_inspect.tui.widgets.prose import Prose
from gluon_inspect.tui.widgets.search_bar import SearchBar
from gluon_inspect.tui.widgets.source_pane import SourcePane
from gluon_inspect.tui.widgets.what_if_pane import WhatIfPane

Section = tuple[str, Sequence[BindingType]]
_KEY_NAMES = {
    "question_mark": "?",
    "slash": "/",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "comma": ",",
    "minus": "-",
    "plus": "+",
    "equals_sign": "=",
    "full_stop": ".",
}
_KEY_CELLS = 18


class HelpScreen(ModalScreen[None]):
    """A list over the panes; any of its keys closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark", "app.pop_screen", "Close", show=False)
    ]

    def __init__(self, sections: Sequence[Section]) -> None:
        super().__init__()
        self._sections = sections

    def compose(self) -> ComposeResult:
        """The text in a frame."""
        with Vertical(id="help-frame"):
            yield Prose(id="help-text", title="Keys")

    def on_mount(self) -> None:
        """Fill in the keys."""
        text = self.query_one(Prose)
        text.show_passages(tuple(_passages(self._sections)))
        text.border_subtitle = "escape closes"
        self.screen.set_focus(text)


def sections() -> tuple[Section, ...]:
    """Every binding of the application and its panes."""
    return (
        ("Panes", keys.PANES),
        ("Moving and searching", keys.MOVES),
        ("General", keys.GENERAL),
        ("In source, IR, assembly and text", CodeView.BINDINGS),
        ("In the source", SourcePane.BINDINGS),
        ("In the IR", IrPane.BINDINGS),
        ("In the assembly", AssemblyPane.BINDINGS),
        ("In lists", Listing.BINDINGS),
        ("In tables", Grid.BINDINGS),
        ("In the findings", FindingsPane.BINDINGS),
        ("In the layout", (*BoardView.BINDINGS, *LayoutPane.BINDINGS)),
        ("In the passes", PassesPane.BINDINGS),
        ("In what if", WhatIfPane.BINDINGS),
        ("In the kernels", KernelPane.BINDINGS),
        ("In the search", SearchBar.BINDINGS),
    )


def _passages(sections: Sequence[Section]) -> Iterator[Passage]:
    for number, (title, bindings) in enumerate(sections):
        if number:
            yield Passage("")
        yield Passage(title, Token.HEADING)
        for binding in bindings:
            if isinstance(binding, Binding):
                yield Passage(f"  {key_names(binding.key):<{_KEY_CELLS}} {binding.description}", fixed=True)


def key_names(key: str) -> str:
    """The names of a binding's keys as people write them."""
    return ", ".join(_KEY_NAMES.get(name, name) for name in key.split(","))
