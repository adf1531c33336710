"""The layout of the value under the cursor: who owns which element, and what each lane holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from gluon_inspect.errors import InspectError
from gluon_inspect.model.mlir import Operation
from gluon_inspect.tui.board import Board, Colouring, View
from gluon_inspect.tui.values import LaidOut, laid_out
from gluon_inspect.tui.widgets.board_view import BoardView
from gluon_inspect.wording.characters import visible

_EMPTY = Board((), (), ())
_NOTHING = "no tensor here: move to a line of the source or the IR that makes or moves one"
_COLOURINGS = tuple(Colouring)


_VIEWS = tuple(View)


class LayoutPane(Vertical):
    """A title, the board, the read-out of one cell, notes."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("v", "next_view", "Tensor or hardware view", show=False),
        Binding("c", "next_colouring", "Colour by warp, lane, register", show=False),
        Binding("comma", "value(-1)", "Previous value of the line", show=False),
        Binding("full_stop", "value(1)", "Next value of the line", show=False),
        Binding("minus", "register(-1)", "Previous register (hardware view)", show=False),
        Binding("plus,equals_sign", "register(1)", "Next register (hardware view)", show=False),
    ]

    def __init__(self) -> None:
        super().__init__(id="layout")
        self.view, self.colouring, self.register = View.TENSOR, Colouring.WARP, 0
        self._values: tuple[LaidOut, ...] = ()
        self._index = 0

    def compose(self) -> ComposeResult:
        """Title, board, read-out, notes."""
        yield Static(id="layout-title")
        yield BoardView(id="board")
        yield Static(id="layout-readout")
        yield Static(id="layout-notes")

    def on_mount(self) -> None:
        """Say what to do."""
        self._show()

    def show_operations(self, operations: Sequence[Operation]) -> None:
        """The values of the picked line."""
        values = laid_out(operations)
        if values == self._values:
            return
        self._values, self._index, self.register = values, 0, 0
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
        """Tensor or hardware."""
        self.view = _VIEWS[(_VIEWS.index(self.view) + 1) % len(_VIEWS)]
        self._show()

    def action_next_colouring(self) -> None:
        """By warp, lane or register."""
        self.colouring = _COLOURINGS[(_COLOURINGS.index(self.colouring) + 1) % len(_COLOURINGS)]
        self._show()

    def action_value(self, step: int) -> None:
        """The next or previous value of the line."""
        if self._values:
            self._index, self.register = (self._index + step) % len(self._values), 0
            self._show()

    def action_register(self, step: int) -> None:
        """Another register of the hardware view."""
        self.register += step
        self._show()

    def _show(self) -> None:
        value = self.value
        if value is None:
            self._draw(Text(""), _EMPTY, _NOTHING)
            return
        # Loaded at the first picture: the first screen must not wait for NumPy.
        from gluon_inspect.tui.boards import board_of

        try:
            board, registers = board_of(value, self.view, self.colouring, self.register)
        except InspectError as error:
            self._draw(self._title(value, 1), _EMPTY, visible(str(error), 300))
        else:
            self.register %= registers
            self._draw(self._title(value, registers), board)

    def _title(self, value: LaidOut, registers: int) -> Text:
        which = f"  {self._index + 1}/{len(self._values)}" if len(self._values) > 1 else ""
        several = self.view is View.HARDWARE and registers > 1
        register = f", register {self.register} of {registers}" if several else ""
        return Text.assemble(
            (visible(value.title, 80), "bold"),
            (which, "dim"),
            f"  {visible(value.layout, 200)}",
            (f"  {self.view.value} view{register}, colour by {self.colouring.value}", "dim"),
        )

    def _draw(self, title: Text, board: Board, why: str = "") -> None:
        self.query_one("#layout-title", Static).update(title)
        self.query_one(BoardView).show_board(board, why)
        self.query_one("#layout-notes", Static).update(Text("\n".join(board.notes)))
