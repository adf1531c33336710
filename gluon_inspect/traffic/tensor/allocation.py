"""Tensor memory of one CTA: 512 columns of 128 rows, who holds them and how long.

Placement is first fit in textual order over columns of 4 and half-heights of 64 rows, and what is taken is
rounded up to a power of two from 32 on (PTX ISA, tcgen05.alloc), as triton-lang/triton,
TensorMemoryAllocation.cpp does it; the total is the compiler's `tmem_size` in every recorded kernel.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from gluon_inspect.errors import InspectError
from gluon_inspect.ir.graph import Graph, graph_of
from gluon_inspect.ir.operations import row_of, scf, ttng
from gluon_inspect.layouts.lowering import linear_layout
from gluon_inspect.model.encodings import TensorMemoryScalesEncoding
from gluon_inspect.model.location import Location
from gluon_inspect.model.mlir import Module, Operation
from gluon_inspect.model.types import MemDescType, element_bits

COLUMNS = 512
_ROWS = 128
_LEAST_COLUMNS = 32
_ALIGNMENT = 4


@dataclass(frozen=True, slots=True)
class TensorBuffer:
    """One allocation; `first` and `last` are positions of operations in textual order, both inclusive."""

    name: str
    location: Location | None
    rows: int
    columns: int
    first: int
    last: int
    row: int = 0
    column: int = 0


@dataclass(frozen=True, slots=True)
class TensorMemory:
    """All buffers of one CTA; `problems` names what could not be read."""

    buffers: tuple[TensorBuffer, ...]
    problems: tuple[str, ...] = ()

    @property
    def used_columns(self) -> int:
        """Where the last buffer ends."""
        return max((buffer.column + buffer.columns for buffer in self.buffers), default=0)

    @property
    def allocated_columns(self) -> int:
        """What the hardware hands out: a power of two from 32 on, or what was asked for beyond 512."""
        used = self.used_columns
        if not used or used > COLUMNS:
            return used
        return max(_LEAST_COLUMNS, 1 << (used - 1).bit_length())


def tensor_memory(module: Module) -> TensorMemory:
    """The buffers that ttng.tmem_alloc makes, placed."""
    structure = graph_of(module)
    buffers: list[TensorBuffer] = []
    problems: list[str] = []
    for op in structure.operations:
        if row_of(op) is not ttng.TMEM_ALLOC or not op.results:
            continue
        try:
            buffers.append(_placed(_buffer(op, structure), buffers))
        except InspectError as error:
            problems.append(f"tensor memory: {error.message}")
    return TensorMemory(tuple(buffers), tuple(dict.fromkeys(problems)))


def _buffer(op: Operation, structure: Graph) -> TensorBuffer:
    of = op.results[0].type
    rows, columns = size(of) if isinstance(of, MemDescType) else (_ROWS, 0)
    name = op.location.name if op.location is not None and op.location.name else op.results[0].name.lstrip("%")
    last = _last_use(op, structure)
    return TensorBuffer(name, op.location, rows, columns, structure.first[op], last)


def size(of: MemDescType) -> tuple[int, int]:
    """Rows and columns that a buffer takes of one CTA's tensor memory. Raises LayoutError if unknown."""
    if of.encoding is None:
        return _ROWS, 0
    layout = linear_layout(of.encoding, of.shape[-2:])
    columns = layout.size("col") * max(element_bits(of) or 32, 1) // 32
    rows = _ROWS
    spare = layout.bases.get("row", ())
    # the second 16 rows of each warp hold nothing: half the height is enough
    if not isinstance(of.encoding, TensorMemoryScalesEncoding) and len(spare) > 4 and not any(spare[4]):
        rows = _ROWS // 2
    for extent in of.shape[:-2]:
        columns *= extent
    return rows, max(columns, 1)


def _placed(buffer: TensorBuffer, before: list[TensorBuffer]) -> TensorBuffer:
    rivals = [each for each in before if each.first <= buffer.last and buffer.first <= each.last]
    for column, row in _places(rivals, buffer):
        found = replace(buffer, row=row, column=column)
        if not any(_overlap(found, rival) for rival in rivals):
            return found
    return buffer


def _places(rivals: list[TensorBuffer], buffer: TensorBuffer) -> Iterator[tuple[int, int]]:
    ends = sorted({0, *(-(-(each.column + each.columns) // _ALIGNMENT) * _ALIGNMENT for each in rivals)})
    starts = sorted({*ends, *(each.column for each in rivals)})
    for column in starts:
        for row in range(0, _ROWS - buffer.rows + 1, _ROWS // 2):
            yield column, row


def _overlap(one: TensorBuffer, other: TensorBuffer) -> bool:
    columns = one.column < other.column + other.columns and other.column < one.column + one.columns
    return columns and one.row < other.row + other.rows and other.row < one.row + one.rows


def _last_use(op: Operation, structure: Graph) -> int:
    """The last operation that may touch a buffer, views and whatever surrounds them included."""
    last, pending, seen = structure.first[op], [op.results[0].index], set[int]()
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        for user in structure.users.get(value, ()):
            last = max(last, structure.end_of_use(user, op))
            if row_of(user).is_view or user.regions or row_of(user) is scf.YIELD:
                pending.extend(result.index for result in user.results)
            pending.extend(
                argument.index
                for region in user.regions
                for block in region.blocks
                for argument in block.arguments
                if isinstance(argument.type, MemDescType) and argument.type.memory_space == "tensor"
            )
    return last
