"""Every key, pressed: what it does is seen in the panes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from textual.binding import Binding
from textual.pilot import Pilot
from textual.widgets import Input, TabbedContent

from gluon_inspect.listings.assembly import Columns
from gluon_inspect.listings.ir import Form
from gluon_inspect.model.report import Report
from gluon_inspect.tui.app import InspectApp
from gluon_inspect.tui.board import Colouring, View
from gluon_inspect.tui.kernels import Order
from gluon_inspect.tui.palette import LIGHT
from gluon_inspect.tui.widgets.assembly_pane import AssemblyPane
from gluon_inspect.tui.widgets.board_view import BoardView
from gluon_inspect.tui.widgets.grid import Grid
from gluon_inspect.tui.widgets.help_screen import HelpScreen, sections
from gluon_inspect.tui.widgets.ir_pane import IrPane
from gluon_inspect.tui.widgets.kernel_pane import KernelPane
from gluon_inspect.tui.widgets.layout_pane import LayoutPane
from gluon_inspect.tui.widgets.listing import Listing
from gluon_inspect.tui.widgets.prose import Prose
from gluon_inspect.tui.widgets.search_bar import SearchBar
from tests.tui import samples
from tests.tui.piloting import Desk, code, press, sit

State = Callable[[InspectApp], object]
STORE_DOWN = ("down",) * (samples.STORE_LINE - 16)
"""From the kernel's first line to its store."""


@dataclass(frozen=True)
class Press:
    """A key of a section, after some keys that lead there; afterwards `state` must be `expected`."""

    section: str
    key: str
    state: State
    expected: object
    before: tuple[str, ...] = ()


@dataclass(frozen=True)
class Walk:
    """Presses in one sitting, each going on where the one before ended."""

    name: str
    presses: tuple[Press, ...]
    report: Callable[[], Report] = samples.small


def cursor(pane: str) -> State:
    return lambda app: code(app, pane).cursor


def highlighted(listing: str) -> State:
    return lambda app: app.main.query_one(f"#{listing}", Listing).highlighted


def row(grid: str) -> State:
    return lambda app: app.main.query_one(f"#{grid}", Grid).cursor_row


def focused(app: InspectApp) -> object:
    return app.focused.id if app.focused is not None else None


def tab(app: InspectApp) -> object:
    return app.main.query_one(TabbedContent).active


def clipboard(app: InspectApp) -> object:
    return app.clipboard


def chosen(app: InspectApp) -> object:
    return app.main.chosen.index if app.main.chosen is not None else None


def at(app: InspectApp) -> object:
    return app.main.query_one(BoardView).at


def layout(name: str) -> State:
    return lambda app: getattr(app.main.query_one(LayoutPane), name)


def copied(app: InspectApp) -> object:
    """What is in the clipboard once the selection has been copied."""
    return app.clipboard


def page(app: InspectApp) -> object:
    """How far a page goes."""
    return code(app, "source").size.height - 1


def order(app: InspectApp) -> object:
    return app.main.query_one(KernelPane).order


def filter_text(app: InspectApp) -> object:
    return app.main.query_one("#filter", Input).value


def title(pane: str) -> State:
    return lambda app: code(app, pane).border_title


def hits(pane: str) -> State:
    return lambda app: code(app, pane).hits.text


LAST = len(samples.capture().sources[samples.FILE].rstrip("\n").split("\n")) - 1
TABS = {
    "f": "tab-findings",
    "a": "tab-accesses",
    "l": "tab-layout",
    "w": "tab-what-if",
    "p": "tab-passes",
    "r": "tab-resources",
    "m": "tab-measured",
    "o": "tab-output",
}
PANES, MOVES, GENERAL = "Panes", "Moving and searching", "General"
CODE, LISTS, TABLES, LAYOUT = "In source, IR, assembly and text", "In lists", "In tables", "In the layout"
TWO_LINES = "import torch\nfrom triton.experimental import gluon"
WALKS = (
    Walk(
        "panes",
        (
            Press(PANES, "2", focused, "ir"),
            Press(PANES, "3", focused, "assembly"),
            Press(PANES, "4", focused, "kernel-list"),
            Press(PANES, "1", focused, "source"),
            Press(PANES, "tab", focused, "assembly"),
            Press(PANES, "shift+tab", focused, "source"),
            *(Press(PANES, key, tab, expected) for key, expected in TABS.items() if key != "w"),
            Press(PANES, "w", tab, "tab-what-if"),
        ),
    ),
    Walk(
        "general",
        (
            Press(PANES, "z", lambda app: app.main.maximized is code(app, "source"), True),
            Press(PANES, "2", lambda app: app.main.maximized is code(app, "ir"), True),
            Press(PANES, "z", lambda app: app.main.maximized, None),
            Press(PANES, "escape", lambda app: app.main.maximized, None, ("z",)),
            Press(MOVES, "right_square_bracket", chosen, 1),
            Press(MOVES, "left_square_bracket", chosen, 0),
            Press(GENERAL, "t", lambda app: app.theme, LIGHT.name),
            Press(GENERAL, "question_mark", lambda app: type(app.screen), HelpScreen),
            Press(GENERAL, "ctrl+p", lambda app: type(app.screen).__name__, "CommandPalette", ("escape",)),
            Press(GENERAL, "q", lambda app: app.is_running, False, ("escape",)),
        ),
    ),
    Walk(
        "leaving",
        (Press(GENERAL, "ctrl+q", lambda app: app.is_running, False),),
    ),
    Walk(
        "search and links",
        (
            Press(MOVES, "slash", focused, "search-text"),
            Press(MOVES, "n", cursor("source"), 23, ("escape", "g", "slash", *"def", "enter", "n")),
            Press(MOVES, "N", cursor("source"), 15),
            Press("In the search", "enter", hits("source"), "gl", ("slash", *"gl")),
            Press("In the search", "escape", hits("source"), "", ("slash", *"gl")),
            Press(MOVES, "enter", focused, "ir", ("g", "slash", *"e(d", "enter")),
        ),
    ),
    Walk(
        "code",
        (
            Press(CODE, "down", cursor("source"), 16),
            Press(CODE, "j", cursor("source"), 17),
            Press(CODE, "up", cursor("source"), 16),
            Press(CODE, "k", cursor("source"), 15),
            Press(CODE, "end", cursor("source"), LAST),
            Press(CODE, "home", cursor("source"), 0),
            Press(CODE, "G", cursor("source"), LAST),
            Press(CODE, "g", cursor("source"), 0),
            Press(CODE, "pagedown", cursor("source"), page),
            Press(CODE, "pageup", cursor("source"), 0),
            Press(CODE, "ctrl+f", cursor("source"), page),
            Press(CODE, "ctrl+b", cursor("source"), 0),
            Press(CODE, "right", lambda app: code(app, "source").scroll_offset.x, 8),
            Press(CODE, "left", lambda app: code(app, "source").scroll_offset.x, 0),
            Press(CODE, "W", lambda app: code(app, "source").virtual_size.width, 0),
            Press(CODE, "W", lambda app: code(app, "source").virtual_size.width > 0, True),
            Press(CODE, "y", clipboard, "import torch", ("down", "down")),
            Press(CODE, "shift+down", copied, TWO_LINES),
            Press(CODE, "shift+up", copied, "import torch"),
            Press(CODE, "J", copied, TWO_LINES),
            Press(CODE, "K", copied, "import torch"),
            Press(CODE, "Y", lambda app: app.clipboard + "\n", samples.capture().sources[samples.FILE]),
            Press("In the source", "s", lambda app: code(app, "source").document.name, samples.FILE),
        ),
    ),
    Walk(
        "IR and assembly",
        (
            Press("In the IR", "e", lambda app: app.main.query_one(IrPane).form, Form.SPELLED, ("2",)),
            Press("In the IR", "e", lambda app: app.main.query_one(IrPane).form, Form.RAW),
            Press("In the IR", "e", lambda app: app.main.query_one(IrPane).form, Form.SHORT),
            Press("In the assembly", "s", lambda app: app.main.query_one(AssemblyPane).stage, "ptx", ("3",)),
            Press(
                "In the assembly", "c", lambda app: app.main.query_one(AssemblyPane).columns, Columns.SCHEDULING
            ),
        ),
    ),
    Walk(
        "passes",
        (
            Press("In the passes", "d", highlighted("pass-list"), 3, ("p",)),
            Press("In the passes", "D", highlighted("pass-list"), 0),
            Press("In the passes", "space", title("diff"), "gluon-inline"),
            Press("In the passes", "d", title("diff"), "gluon-inline … triton-nvidia-tma-lowering"),
            Press("In the IR", "b", title("ir"), "IR  ttgir", ("enter",)),
        ),
    ),
    Walk(
        "lists and tables",
        (
            Press(LISTS, "j", highlighted("finding-list"), 1, ("f",)),
            Press(LISTS, "k", highlighted("finding-list"), 0),
            Press(LISTS, "G", highlighted("finding-list"), 1),
            Press(LISTS, "g", highlighted("finding-list"), 0),
            Press(LISTS, "y", lambda app: "GI900" in app.clipboard and "\n" not in app.clipboard, True),
            Press(LISTS, "Y", lambda app: len(app.clipboard.split("\n")), 2),
            Press("In the findings", "enter", cursor("source"), samples.STORE_LINE - 1),
            Press(TABLES, "j", row("access-table"), 1, ("a",)),
            Press(TABLES, "k", row("access-table"), 0),
            Press(TABLES, "G", row("access-table"), 1),
            Press(TABLES, "g", row("access-table"), 0),
            Press(TABLES, "y", lambda app: app.clipboard.split("\t")[0], "20", ("j",)),
            Press(TABLES, "Y", lambda app: app.clipboard.split("\t")[0], "line"),
        ),
    ),
    Walk(
        "layout",
        (
            Press(LAYOUT, "down", at, (1, 0), (*STORE_DOWN, "l")),
            Press(LAYOUT, "y", clipboard, "element (1, 0): warp 1 lane 0 register 0"),
            Press(LAYOUT, "up", at, (0, 0)),
            Press(LAYOUT, "j", at, (1, 0)),
            Press(LAYOUT, "k", at, (0, 0)),
            Press(LAYOUT, "right", at, (0, 1)),
            Press(LAYOUT, "left", at, (0, 0)),
            Press(LAYOUT, "end", at, (3, 31)),
            Press(LAYOUT, "home", at, (0, 0)),
            Press(LAYOUT, "G", at, (3, 31)),
            Press(LAYOUT, "g", at, (0, 0)),
            Press(LAYOUT, "Y", lambda app: app.clipboard.split("\n")[1][:7], "0\t0:0\t0"),
            Press(LAYOUT, "full_stop", lambda app: app.main.query_one(LayoutPane).value.name, "%6"),
            Press(LAYOUT, "comma", lambda app: app.main.query_one(LayoutPane).value.name, "%value_16"),
            Press(LAYOUT, "c", layout("colouring"), Colouring.LANE),
            Press(LAYOUT, "v", layout("view"), View.HARDWARE),
            Press(LAYOUT, "plus", layout("step"), 1),
            Press(LAYOUT, "equals_sign", layout("step"), 2),
            Press(LAYOUT, "minus", layout("step"), 1),
            Press(LAYOUT, "v", layout("view"), View.TENSOR, ("v", "v")),
        ),
    ),
    Walk(
        "what if",
        (Press("In what if", "escape", focused, "proposals", (*STORE_DOWN, "w")),),
        samples.inspected,
    ),
    Walk(
        "kernels",
        (
            Press("In the kernels", "s", order, Order.SLOWEST, ("4",)),
            Press("In the kernels", "s", order, Order.RECORDED),
            Press("In the kernels", "s", order, Order.WORST),
            Press(PANES, "4", focused, "filter"),
            Press("In the kernels", "escape", filter_text, "", (*"two",)),
        ),
    ),
)


ALONE = ("general", "leaving")
"""Walks that end the application."""


@pytest.fixture(scope="module")
def desks() -> Iterator[dict[Callable[[], Report], Desk]]:
    found = {report: Desk(report(), (100, 36)) for report in {walk.report for walk in WALKS}}
    yield found
    for desk in found.values():
        desk.close()


@pytest.mark.parametrize("walk", WALKS, ids=lambda walk: walk.name)
def test_keys(walk: Walk, desks: dict[Callable[[], Report], Desk]):
    async def sitting(app: InspectApp, pilot: Pilot) -> None:
        for each in walk.presses:
            await press(app, pilot, *each.before, each.key)
            if each.state is copied:
                await press(app, pilot, "y")
            expected = each.expected(app) if callable(each.expected) and each.expected is page else each.expected
            assert each.state(app) == expected, (each.section, each.key)

    if walk.name in ALONE:
        sit(walk.report(), sitting)
    else:
        desks[walk.report].sit(sitting)


TESTED_ELSEWHERE = {
    ("General", "R"): "test_work.py",
    ("General", "x"): "test_work.py",
    ("In what if", "ctrl+r"): "test_work.py",
}


def test_every_binding_is_pressed_somewhere():
    tested = {(each.section, each.key) for walk in WALKS for each in walk.presses} | set(TESTED_ELSEWHERE)
    bound = {
        (title, key)
        for title, bindings in sections()
        for binding in bindings
        if isinstance(binding, Binding)
        for key in binding.key.split(",")
    }
    assert bound - tested == set()
    assert tested - bound == set()


def test_help_lists_every_binding():
    async def sitting(app: InspectApp, pilot: Pilot) -> None:
        await press(app, pilot, "question_mark")
        shown = "\n".join(app.screen.query_one(Prose).document.lines)
        missing = [
            binding.description
            for _, bindings in sections()
            for binding in bindings
            if isinstance(binding, Binding) and binding.description not in shown
        ]
        assert missing == []
        await press(app, pilot, "escape")
        assert not isinstance(app.screen, HelpScreen)

    sit(samples.small(), sitting)


def test_global_keys_do_not_collide_with_each_other():
    keys = [
        key
        for title, bindings in sections()[:3]
        for binding in bindings
        if isinstance(binding, Binding)
        for key in binding.key.split(",")
    ]
    assert len(keys) == len(set(keys))
    assert SearchBar.BINDINGS
