"""The layout of the value under the cursor: who owns which element, and what each lane holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from gluon_inspect.errors import InspectError
from gluon_inspect.model.mlir import Operation
from gluon_inspect.tui.board import EMPTY, Board, Colouring, View
from gluon_inspect.tui.values import LaidOut, laid_out
from gluon_inspect.tui.widgets.board_view import BoardView
from gluon_inspect.wording.characters import visible

if TYPE_CHECKING:
    from gluon_inspect.tui.insight import Insight

_NOTHING = "no tensor here: move to a line of the source or the IR that makes or moves one"
_COLOURINGS = tuple(Colouring)


_VIEWS = tuple(View)


class LayoutPane(Vertical):
    """A title, the board, the read-out of one cell, notes."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("v", "next_view", "Next view: tensor, hardware, memory, banks", show=False),
        Binding("c", "next_colouring", "Colour by warp, lane, register", show=False),
        Binding("comma", "value(-1)", "Previous value of the line", show=False),
        Binding("full_stop", "value(1)", "Next value of the line", show=False),
        Binding("minus", "step(-1)", "Previous register or instruction", show=False),
        Binding("plus,equals_sign", "step(1)", "Next register or instruction", show=False),
    ]

    def __init__(self) -> None:
        super().__init__(id="layout")
        self.view, self.colouring, self.step = View.TENSOR, Colouring.WARP, 0
        self._values: tuple[LaidOut, ...] = ()
        self._operations: Mapping[int, Operation] = {}
        self._insight: Insight | None = None
        self._index = 0
        self._is_stale = True

    def compose(self) -> ComposeResult:
        """Title, board, read-out, notes."""
        yield Static(id="layout-title")
        yield BoardView(id="board")
        yield Static(id="layout-readout")
        yield Static(id="layout-notes")

    def show_operations(self, operations: Sequence[Operation]) -> None:
        """The values of the picked line."""
        values = laid_out(operations)
        self._operations = {operation.span.start: operation for operation in operations}
        if values != self._values:
            self._values, self._index, self.step = values, 0, 0
            self._show_if_seen()

    def show_insight(self, insight: Insight | None) -> None:
        """What the memory and bank views are made from; None while it is worked out."""
        self._insight = insight
        if self.view in (View.MEMORY, View.BANKS):
            self._show_if_seen()

    def on_show(self) -> None:
        """Draw what was picked while another tab was in front."""
        if self._is_stale:
            self._show()

    def _show_if_seen(self) -> None:
        """A cursor that moves must not wait for pictures that nobody sees."""
        self._is_stale = True
        if self.is_on_screen:
            self._show()

    @property
    def value(self) -> LaidOut | None:
        """The value whose layout is shown."""
        return self._values[self._index] if self._values else None

    def on_board_view_moved(self, message: BoardView.Moved) -> None:
        """The read-out of the cell under the cursor."""
        message.stop()
        self.query_one("#layout-readout", Static).update(Text(message.readout))

    def action_next_view(self) -> None:
        """Tensor, hardware, memory or banks."""
        self.view = _VIEWS[(_VIEWS.index(self.view) + 1) % len(_VIEWS)]
        self._show()

    def action_next_colouring(self) -> None:
        """By warp, lane or register."""
        self.colouring = _COLOURINGS[(_COLOURINGS.index(self.colouring) + 1) % len(_COLOURINGS)]
        self._show()

    def action_value(self, step: int) -> None:
        """The next or previous value of the line."""
        if self._values:
            self._index, self.step = (self._index + step) % len(self._values), 0
            self._show()

    def action_step(self, step: int) -> None:
        """Another register of the hardware view, another instruction of the memory and bank views."""
        self.step += step
        self._show()

    def _show(self) -> None:
        self._is_stale = False
        value = self.value
        if value is None:
            self._draw(Text(""), EMPTY, _NOTHING)
            return
        # Loaded at the first picture: the first screen must not wait for NumPy.
        from gluon_inspect.tui.views import drawn

        operation = self._operations[value.start]
        try:
            picture = drawn(value, operation, self._insight, self.view, self.colouring, self.step)
        except InspectError as error:
            self._draw(self._title(value, ""), EMPTY, visible(str(error), 300))
            return
        self.step %= picture.count
        several = f", {picture.unit} {self.step} of {picture.count}" if picture.count > 1 else ""
        self._draw(self._title(value, several), picture.board, picture.why)

    def _title(self, value: LaidOut, several: str) -> Text:
        which = f"  {self._index + 1}/{len(self._values)}" if len(self._values) > 1 else ""
        is_layout = self.view in (View.TENSOR, View.HARDWARE)
        colours = f", colour by {self.colouring.value}" if is_layout else ""
        return Text.assemble(
            (visible(value.title, 80), "bold"),
            (which, "dim"),
            f"  {visible(value.layout, 200)}",
            (f"  {self.view.value} view{several}{colours}", "dim"),
        )

    def _draw(self, title: Text, board: Board, why: str = "") -> None:
        self.query_one("#layout-title", Static).update(title)
        self.query_one(BoardView).show_board(board, why)
        self.query_one("#layout-notes", Static).update(Text("\n".join(board.notes)))
