"""The distributed tensors of a function and the registers that hold them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gluon_inspect.errors import InspectError
from gluon_inspect.ir.operations import arith, row_of, tt
from gluon_inspect.layouts.gluon_syntax import write_layout
from gluon_inspect.layouts.linear import LinearLayout
from gluon_inspect.layouts.lowering import linear_layout
from gluon_inspect.model.mlir import Operation, Value
from gluon_inspect.model.report import RegisterTensor, Replication
from gluon_inspect.model.types import PointerType, ScalarType, TensorType, element_bits

_REGISTER_BITS = 32


def register_tensors(operations: Iterable[Operation]) -> tuple[RegisterTensor, ...]:
    """One record for each tensor value that operations make and that lies in registers, in textual order."""
    return tuple(
        record
        for op in operations
        for value in op.results
        for record in _record(value, op, is_data=_is_data(op, value))
    )


def _is_data(op: Operation, value: Value) -> bool:
    """Values that were loaded or are floating-point: the kernel's payload."""
    if row_of(op).reads_memory:
        return True
    of = value.type
    floating = isinstance(of, TensorType) and isinstance(of.element, ScalarType) and of.element.is_float
    return floating and row_of(op) not in (arith.CONSTANT, tt.SPLAT, tt.BROADCAST, tt.EXPAND_DIMS)


def _record(value: Value, op: Operation, *, is_data: bool) -> Iterator[RegisterTensor]:
    of = value.type
    if not isinstance(of, TensorType) or of.encoding is None or isinstance(of.element, PointerType):
        return
    bits = element_bits(of)
    if bits is None:
        return
    try:
        layout = linear_layout(of.encoding, of.shape)
    except InspectError:
        return
    yield _measured(layout, of, bits, value, op, is_data)


def _measured(
    layout: LinearLayout, of: TensorType, bits: int, value: Value, op: Operation, is_data: bool
) -> RegisterTensor:
    elements = 1 << sum(1 for basis in layout.flat_bases("register") if basis)
    # sub-word elements are packed; booleans live in predicates or bytes and count as one bit
    per_thread = max(1, -(-elements * bits // _REGISTER_BITS))
    threads = layout.size("lane") * layout.size("warp")
    zero = sum(1 for basis in layout.flat_bases("register") if not basis)
    return RegisterTensor(
        location=op.location,
        shape=of.shape,
        layout=write_layout(of.encoding, of.shape) if of.encoding is not None else "",
        element_bits=bits,
        registers_per_thread=per_thread,
        registers_per_program=per_thread * threads,
        unique_elements=layout.elements // (layout.size("block") // layout.copies("block")),
        replication=Replication(1 << zero, layout.copies("lane"), layout.copies("warp")),
        name=value.location.name if value.location else value.name.lstrip("%"),
        is_data=is_data,
    )
