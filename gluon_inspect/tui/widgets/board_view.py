"""A board of cells with a cursor: labels stay in sight, cells of the same owner light up together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from gluon_inspect.tui.board import Board, Cell
from gluon_inspect.tui.messages import Copied
from gluon_inspect.tui.search import Hits, find

_HATCH = "░"


class BoardView(ScrollView, can_focus=True):
    """Arrow keys and the mouse move over the cells."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"board--label", "board--cursor", "board--empty"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1,0)", "Cell above", show=False),
        Binding("down,j", "move(1,0)", "Cell below", show=False),
        Binding("left", "move(0,-1)", "Cell to the left", show=False),
        Binding("right", "move(0,1)", "Cell to the right", show=False),
        Binding("home,g", "go(0,0)", "First cell", show=False),
        Binding("end,G", "go(-1,-1)", "Last cell", show=False),
        Binding("y", "copy_readout", "Copy the read-out", show=False),
        Binding("Y", "copy_all", "Copy the board", show=False),
    ]

    class Moved(Message):
        """The cursor is on another cell, or the board is another."""

        def __init__(self, readout: str) -> None:
            super().__init__()
            self.readout = readout

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.board = Board((), (), ())
        self.at = (0, 0)
        self.hits = Hits("")
        self._why = ""

    def show_board(self, board: Board, why: str = "") -> None:
        """Another board; `why` says why it is empty. The cursor stays where it fits."""
        self.board, self._why = board, why
        row, column = self.at
        here = min(row, max(len(board.rows) - 1, 0)), min(column, max(len(board.columns) - 1, 0))
        self.at = here
        self.virtual_size = Size(self._margin + len(board.columns) * self._step, len(board.rows) + 1)
        self.refresh()
        self._tell()

    @property
    def cell(self) -> Cell | None:
        """The cell under the cursor."""
        row, column = self.at
        return self.board.cells[row][column] if self.board.cells else None

    def search(self, text: str) -> str:
        """Go to the first cell with this text in its label or read-out."""
        self.hits = find([f"{cell.label} {cell.readout}" for cell in self._flat()], text)
        return self._go(self.hits.next_from(self._index() - 1, forward=True))

    def search_step(self, forward: bool) -> str:
        """Go to the next or previous such cell."""
        return self._go(self.hits.next_from(self._index(), forward))

    def _show_cursor(self) -> None:
        """Keep the cursor in sight and say what is there."""
        row, column = self.at
        room = max(self.size.height - 1, 1)
        left = column * self._step
        x, y = self.scroll_offset
        wide = max(self.size.width - self._margin, self._step)
        x = min(x, left) if left < x else max(x, left + self._step - wide)
        y = min(y, row) if row < y else max(y, row - room + 1)
        self.scroll_to(x, y, animate=False, force=True)
        self.refresh()
        self._tell()

    def action_move(self, rows: int, columns: int) -> None:
        """To a neighbour."""
        self._set(self.at[0] + rows, self.at[1] + columns)

    def action_go(self, row: int, column: int) -> None:
        """To a corner; -1 is the last."""
        last = len(self.board.rows) - 1, len(self.board.columns) - 1
        self._set(last[0] if row < 0 else row, last[1] if column < 0 else column)

    def action_copy_readout(self) -> None:
        """What stands below the board."""
        if self.cell is not None:
            self.post_message(Copied(self.cell.readout, "the read-out"))

    def action_copy_all(self) -> None:
        """The labels, as a table with tabs."""
        lines = ["\t".join(("", *self.board.columns))]
        rows = zip(self.board.rows, self.board.cells, strict=True)
        lines += ["	".join((label, *(cell.label for cell in row))) for label, row in rows]
        self.post_message(Copied("\n".join(lines), "the board"))

    def on_click(self, event: events.Click) -> None:
        """The cursor follows the mouse."""
        x, y = event.get_content_offset_capture(self)
        if y > 0 and x >= self._margin:
            self._set(y - 1 + self.scroll_offset.y, (x - self._margin + self.scroll_offset.x) // self._step)

    def render_line(self, y: int) -> Strip:
        """The column labels, then the rows that fit below them."""
        width, base = self.size.width, self.rich_style
        if not self.board.rows:
            text = f" {self._why}" if not y else ""
            return Strip([Segment(text, base + self._style("empty"))]).crop_extend(0, width, base)
        left = self.scroll_offset.x
        row = y - 1 + self.scroll_offset.y
        if row >= len(self.board.rows):
            return Strip.blank(width, base)
        label = "" if not y else self.board.rows[row]
        margin = Strip([Segment(f"{label:>{self._margin - 1}} ", base + self._style("label"))])
        cells = Strip(list(self._heads(base) if not y else self._cells(row, base)))
        return Strip.join([margin, cells.crop_extend(left, left + width - self._margin, base)]).crop(0, width)

    def _heads(self, base: Style) -> Iterator[Segment]:
        style = base + self._style("label")
        yield from (Segment(f"{label:<{self._step}}", style) for label in self.board.columns)

    def _cells(self, row: int, base: Style) -> Iterator[Segment]:
        here = self.cell
        for column, cell in enumerate(self.board.cells[row]):
            style = base
            if cell.colour is not None:
                style += Style(color=cell.colour.ink, bgcolor=cell.colour.hexadecimal)
            if (row, column) == self.at:
                style += self._style("cursor")
            elif here is not None and cell.owner == here.owner:
                style += Style(bold=True, underline=True)
            hatch = _HATCH if cell.hatched else " "
            yield Segment(f"{cell.label:{hatch}<{self._step - 1}}", style)
            yield Segment(" ", base)

    @property
    def _step(self) -> int:
        labels = (len(cell.label) + cell.hatched for cell in self._flat())
        return max(max(labels, default=1), max(map(len, self.board.columns), default=1)) + 1

    @property
    def _margin(self) -> int:
        return max(map(len, self.board.rows), default=0) + 1

    def _flat(self) -> Iterator[Cell]:
        return (cell for row in self.board.cells for cell in row)

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(f"board--{name}", partial=True)

    def _index(self) -> int:
        return self.at[0] * len(self.board.columns) + self.at[1]

    def _go(self, index: int | None) -> str:
        if index is not None:
            self._set(*divmod(index, len(self.board.columns)))
        return self.hits.summary(self._index())

    def _set(self, row: int, column: int) -> None:
        rows, columns = len(self.board.rows), len(self.board.columns)
        self.at = min(max(row, 0), max(rows - 1, 0)), min(max(column, 0), max(columns - 1, 0))
        self._show_cursor()

    def _tell(self) -> None:
        self.post_message(self.Moved(self.cell.readout if self.cell is not None else ""))
