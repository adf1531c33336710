"""Records of what moves through tensor memory: loads, stores, copies, and the operands of tcgen05 MMAs."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gluon_inspect.errors import InspectError, LayoutError
from gluon_inspect.ir.graph import graph_of
from gluon_inspect.ir.operations import operand, row_of, ttng
from gluon_inspect.ir.operations.effects import Move
from gluon_inspect.ir.partitions import homes, specializations
from gluon_inspect.layouts.gluon_syntax import write_layout
from gluon_inspect.layouts.lowering import linear_layout
from gluon_inspect.model.access import Access, Direction, Space, Width
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.mlir import Module, Operation, Value
from gluon_inspect.model.types import MemDescType, TensorType, element_bits
from gluon_inspect.traffic.tensor.copies import TensorCopy, tensor_copy
from gluon_inspect.traffic.tensor.messages import MOST_REGISTERS, Messages, messages
from gluon_inspect.traffic.tensor.mma import TENSOR_MMAS, tensor_mma

Executions = Callable[[Operation], int | None]
"""How often an operation runs in the whole launch, programs x trips; None: unknown."""

_LANES = 32


def tensor_accesses(module: Module, executions: Executions) -> tuple[Access, ...]:
    """One record for each operation x memory x direction, in textual order; none without tensor memory."""
    reader = _Reader(module, executions)
    found: list[Access] = []
    for op in graph_of(module).operations:
        found.extend(reader.records(op, len(found)))
    return tuple(found)


class _Reader:
    def __init__(self, module: Module, executions: Executions) -> None:
        self._executions = executions
        self._structure = graph_of(module)
        self._homes = homes(module)
        self._pairs = bool(module.attributes.get("ttng.two-ctas")) and self._structure.ctas > 1
        self._limit = _register_limit(module)

    def records(self, op: Operation, number: int) -> Iterator[Access]:
        row = row_of(op)
        if row.tensor is not None and (not row.is_allocation or op.operands):
            yield self._move(op, row.tensor, f"t{number}")
        elif row is ttng.TMEM_COPY:
            yield from self._copy(op, number)
        elif row in TENSOR_MMAS:
            yield from self._mma(op, number)

    def _runs(self, op: Operation) -> tuple[int | None, str]:
        """How often an operation takes effect in all CTAs, and why that is unknown."""
        count = self._executions(op)
        return (None, "how often it runs is not known") if count is None else (count, "")

    def _move(self, op: Operation, move: Move, name: str) -> Access:
        memory = operand(op, move.buffer) if move.buffer else op.results[0]
        tensor = operand(op, move.tensor) if move.tensor else op.results[0]
        runs, reason = self._runs(op)
        moved: Messages | None = None
        try:
            moved = self._messages(op, tensor, memory)
        except InspectError as error:
            reason = error.message
        known = moved is not None and runs is not None
        warps = _warps(tensor)
        requests = runs * moved.instructions * warps * self._structure.ctas if moved and runs is not None else None
        bits = 0 if moved is None else moved.registers * 32
        return Access(
            id=name,
            op=op.name,
            space=Space.TENSOR,
            direction=Direction.STORE if move.is_store else Direction.LOAD,
            location=op.location,
            layout=_written(tensor),
            memory_layout=_written(memory),
            shape=_shape(tensor),
            element_bits=None if tensor is None else element_bits(tensor.type),
            vector_bits=bits or None,
            widths=() if moved is None else (Width(bits, moved.instructions),),
            requests=requests,
            bytes_requested=None if requests is None else requests * _LANES * bits // 8,
            executions=runs,
            confidence=Confidence.EXACT if known else Confidence.UNKNOWN,
            model=ModelStatus.DOCUMENTED,
            reason=reason or (f"tcgen05 {moved.name}" if moved else ""),
            result_of=op.span.start,
        )

    def _messages(self, op: Operation, tensor: Value | None, memory: Value | None) -> Messages:
        of, held = (tensor.type if tensor else None), (memory.type if memory else None)
        if not isinstance(of, TensorType) or not isinstance(held, MemDescType):
            raise InspectError("tensor memory without types")
        if of.encoding is None or held.encoding is None:
            raise InspectError("tensor memory without layouts")
        home = self._homes.get(op.span.start)
        limit = min(self._limit, home.registers) if home is not None and home.registers else self._limit
        registers = linear_layout(of.encoding, of.shape)
        return messages(registers, linear_layout(held.encoding, held.shape[-2:]), element_bits(held) or 32, limit)

    def _copy(self, op: Operation, number: int) -> Iterator[Access]:
        source, target = operand(op, "src"), operand(op, "dst")
        runs, reason = self._runs(op)
        found: TensorCopy | None = None
        try:
            found = tensor_copy(_described(source), _described(target))
        except InspectError as error:
            reason = reason or error.message
        ctas = self._structure.ctas
        issued = None if found is None else found.instructions * (ctas // 2 if self._pairs else ctas)
        read, written = (None, None) if found is None else (found.read_bytes * ctas, found.written_bytes * ctas)
        note = reason or (f"tcgen05.cp {found.name}" if found else "")
        for space, direction, value, moved in (
            (Space.SHARED, Direction.COPY, source, read),
            (Space.TENSOR, Direction.STORE, target, written),
        ):
            yield self._bulk(op, f"t{number}", space, direction, value, runs, note, issued, moved)
            number += 1

    def _mma(self, op: Operation, number: int) -> Iterator[Access]:
        runs, reason = self._runs(op)
        try:
            found = tensor_mma(op)
        except InspectError as error:
            yield self._bulk(
                op, f"t{number}", Space.SHARED, Direction.LOAD, operand(op, "a"), None, error.message, None, None
            )
            return
        for space, moved in ((Space.SHARED, found.shared_bytes), (Space.TENSOR, found.tensor_bytes)):
            if moved:
                value = operand(op, "a") if space is Space.TENSOR else operand(op, "b")
                yield self._bulk(
                    op, f"t{number}", space, Direction.LOAD, value, runs, reason, found.instructions, moved
                )
                number += 1

    def _bulk(
        self,
        op: Operation,
        name: str,
        space: Space,
        direction: Direction,
        value: Value | None,
        runs: int | None,
        reason: str,
        instructions: int | None,
        moved: int | None,
    ) -> Access:
        """What one thread starts for all: no requests of warps."""
        return Access(
            id=name,
            op=op.name,
            space=space,
            direction=direction,
            location=op.location,
            memory_layout=_written(value),
            shape=_shape(value),
            element_bits=None if value is None else element_bits(value.type),
            transactions=None if runs is None or instructions is None else runs * instructions,
            bytes_requested=None if runs is None or moved is None else runs * moved,
            executions=runs,
            confidence=Confidence.UNKNOWN if runs is None or moved is None else Confidence.EXACT,
            model=ModelStatus.DOCUMENTED,
            reason=reason,
            result_of=op.span.start,
        )


def _register_limit(module: Module) -> int:
    """Registers a thread of the module: what the author set, or what fits the file under specialisation."""
    limits = [each.budget_registers for each in specializations(module) if each.budget_registers is not None]
    written = module.attributes.get("ttg.maxnreg")
    if isinstance(written, int):
        limits.append(written)
    return min(limits, default=MOST_REGISTERS)


def _warps(tensor: Value | None) -> int:
    of = None if tensor is None else tensor.type
    if not isinstance(of, TensorType) or of.encoding is None:
        return 0
    return linear_layout(of.encoding, of.shape).size("warp")


def _described(value: Value | None) -> MemDescType:
    if value is None or not isinstance(value.type, MemDescType):
        raise LayoutError("a copy to tensor memory without types")
    return value.type


def _shape(value: Value | None) -> tuple[int, ...]:
    return value.type.shape if value is not None and isinstance(value.type, TensorType | MemDescType) else ()


def _written(value: Value | None) -> str:
    of = None if value is None else value.type
    if not isinstance(of, TensorType | MemDescType) or of.encoding is None:
        return ""
    return write_layout(of.encoding, of.shape)
