"""Why an access of an AMD kernel is, or is not, a buffer operation.

The conditions are those of Triton's conversion (third_party/amd/lib/TritonAMDGPUTransforms/
ConvertToBufferOps.cpp): one base pointer for all elements, offsets of 32 bits, and an address proven to lie
within 2 GB of the base. Gluon runs no such conversion: its kernels say `gl.amd.cdna3.buffer_load`.
"""

from __future__ import annotations

from collections.abc import Mapping

from gluon_inspect.axis.weak_arguments import pointers_behind
from gluon_inspect.ir.graph import Graph
from gluon_inspect.ir.operations import operand, row_of, tt
from gluon_inspect.ir.parameters import argument_name
from gluon_inspect.model.mlir import Operation, Value
from gluon_inspect.model.types import TensorType, element_bits

_OFFSET_BITS = 32


def is_buffer(op: Operation) -> bool:
    """Whether an operation addresses memory through a buffer resource."""
    effect = row_of(op).lanes
    return effect is not None and effect.is_buffer


def why_no_buffer(op: Operation, function: Operation, graph: Graph, *, is_gluon: bool) -> str:
    """The first condition that a global access misses, in words; empty for buffer operations.

    `graph` of its module; `is_gluon`: the kernel is written in Gluon.
    """
    effect = row_of(op).lanes
    if effect is None or effect.is_buffer:
        return ""
    if is_gluon:
        return "Gluon keeps the operation as it is written"
    address = operand(op, effect.address)
    if address is None or not isinstance(address.type, TensorType):
        return "one address for all lanes"
    return _of_tensor(address, function, graph)


def _of_tensor(address: Value, function: Operation, graph: Graph) -> str:
    unbounded = _unbounded(address, function, graph)
    if unbounded:
        return f"{', '.join(unbounded)} is not known to span less than 2 GB (no tt.pointer_range)"
    maker = graph.maker(address)
    if maker is None or row_of(maker) is not tt.ADDPTR:
        return "the pointers are not a base and offsets (tt.addptr) where they are used"
    base, offsets = maker.operands[0], maker.operands[1]
    splat = graph.maker(base)
    if splat is None or row_of(splat) is not tt.SPLAT:
        return "the base pointer is not the same for all elements"
    if element_bits(offsets.type) != _OFFSET_BITS:
        return f"offsets of {element_bits(offsets.type)} bits; a buffer operation takes {_OFFSET_BITS}"
    return "the compiler did not prove that the offsets are positive and within 2 GB"


def _unbounded(address: Value, function: Operation, graph: Graph) -> tuple[str, ...]:
    """Pointer arguments behind an address that carry no tt.pointer_range."""
    hints = function.attributes.get("arg_attrs")
    rows = hints if isinstance(hints, tuple) else ()
    ranged = {
        argument.index
        for position, argument in enumerate(function.regions[0].blocks[0].arguments)
        if position < len(rows) and _has_range(rows[position])
    }
    found = pointers_behind(address, graph)
    return tuple(argument_name(value) for value in found if value.index not in ranged)


def _has_range(row: object) -> bool:
    return isinstance(row, Mapping) and "tt.pointer_range" in row
