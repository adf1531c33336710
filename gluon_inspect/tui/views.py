"""What the layout pane shows, view by view. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from gluon_inspect.layouts.drawing.subjects import subject
from gluon_inspect.layouts.lowering import linear_layout
from gluon_inspect.model.encodings import PaddedSharedEncoding
from gluon_inspect.model.mlir import Operation
from gluon_inspect.traffic.shared.steps import Lowering
from gluon_inspect.traffic.shared.transfer import Transfer
from gluon_inspect.tui.bank_board import bank_board
from gluon_inspect.tui.board import EMPTY, Board, Colouring, View
from gluon_inspect.tui.boards import hardware_board, tensor_board
from gluon_inspect.tui.insight import Insight
from gluon_inspect.tui.memory_board import instructions_of, memory_board
from gluon_inspect.tui.values import LaidOut


@dataclass(frozen=True, slots=True)
class Drawn:
    """A board; `count` of them can be gone through, each a `unit`. `why` says why there is nothing to see."""

    board: Board
    count: int = 1
    unit: str = ""
    why: str = ""


def drawn(
    value: LaidOut, operation: Operation, insight: Insight | None, view: View, colouring: Colouring, index: int
) -> Drawn:
    """The board of a value, or of what its operation does to memory. Raises LayoutError."""
    match view:
        case View.MEMORY:
            return _memory(value, insight, index)
        case View.BANKS:
            return _banks(operation, insight, index)
        case _:
            return _layout(value, view, colouring, index)


def _layout(value: LaidOut, view: View, colouring: Colouring, index: int) -> Drawn:
    layout = linear_layout(value.encoding, value.shape)
    padding = value.encoding.intervals_pads if isinstance(value.encoding, PaddedSharedEncoding) else ()
    of = subject(layout, value.element_bits, padding)
    if view is View.TENSOR:
        return Drawn(tensor_board(of, colouring))
    registers = layout.size("register")
    return Drawn(hardware_board(of, index % registers, colouring), registers, "register")


def _memory(value: LaidOut, insight: Insight | None, index: int) -> Drawn:
    if insight is None:
        return Drawn(EMPTY, why="the addresses are being worked out")
    access = insight.access(value.start)
    count = 0 if access is None else instructions_of(access)
    if access is None or not count:
        why = (
            "its addresses are unknown"
            if access is not None
            else f"{value.operation} does not access global memory"
        )
        return Drawn(EMPTY, why=insight.problem or why)
    return Drawn(memory_board(access, index % count), count, "instruction")


def _banks(operation: Operation, insight: Insight | None, index: int) -> Drawn:
    if insight is None:
        return Drawn(EMPTY, why="the addresses are being worked out")
    lowering = insight.shared(operation)
    steps = lowering.steps if lowering is not None else ()
    transfers = [step.transfer for step in steps if isinstance(step.transfer, Transfer)]
    each = [(transfer, at) for transfer in transfers for at in range(transfer.instructions)]
    if not each:
        return Drawn(EMPTY, why=insight.problem or _no_transfer(operation, lowering))
    transfer, at = each[index % len(each)]
    return Drawn(bank_board(transfer, at), len(each), "instruction")


def _no_transfer(operation: Operation, lowering: Lowering | None) -> str:
    if lowering is None:
        return f"{operation.name} moves nothing between registers and shared memory"
    if not lowering.known:
        return f"what {operation.name} does to shared memory is not known: {lowering.reason}"
    if lowering.steps:
        return f"the matrix unit reads the operands of {operation.name} by itself: there are no lanes to draw"
    return f"{operation.name} needs no shared memory here"
