"""What each IR operation does to shared memory, as Triton lowers it; AMD's instructions: `lds_transfer`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gluon_inspect.errors import LayoutError
from gluon_inspect.ir.operations import amdg, operand, row_of, tt, ttg, ttng
from gluon_inspect.ir.operations.kinds import OperationRow
from gluon_inspect.layouts.conversion import conversion_kind
from gluon_inspect.layouts.flat import FlatLayout, flat
from gluon_inspect.layouts.linear import LinearLayout
from gluon_inspect.model.access import ConversionKind
from gluon_inspect.model.mlir import Operation, Value
from gluon_inspect.model.target import Target
from gluon_inspect.model.types import MemDescType, TensorType, element_bits
from gluon_inspect.model.versions import Version
from gluon_inspect.traffic.placement import span
from gluon_inspect.traffic.shared.amd.transfer import as_lds, transposed_read
from gluon_inspect.traffic.shared.atomic import read_scalar, share_scalar, share_tensor
from gluon_inspect.traffic.shared.conversion import MatrixSupport, through_scratch
from gluon_inspect.traffic.shared.gather import lower_gather
from gluon_inspect.traffic.shared.lanes import AxisView
from gluon_inspect.traffic.shared.memory_layout import (
    MemoryLayout,
    memory_layout,
    offsets_of,
    register_layout,
    tensor_bits,
)
from gluon_inspect.traffic.shared.nvidia.banks import Addresses, Mask
from gluon_inspect.traffic.shared.nvidia.wgmma import lower_wgmma
from gluon_inspect.traffic.shared.reduction import lower_reduction
from gluon_inspect.traffic.shared.reduction_by_conversion import lower_by_conversion
from gluon_inspect.traffic.shared.scan import lower_scan
from gluon_inspect.traffic.shared.steps import Lowering, Step
from gluon_inspect.traffic.shared.transfer import Transfer, choose_transfer, vector_transfer
from gluon_inspect.traffic.shared.vectorise import joined_vector, largest_vector

_REDUCTION_BY_CONVERSION: Version = (3, 7)


_ACROSS = "a {} across the CTAs of a cluster: its wavefronts are not modelled"
"""What it loads from other CTAs has a record of its own (`cluster_traffic`)."""


@dataclass(frozen=True, slots=True)
class LoweringContext:
    """What lowering needs to know of a kernel and launch beyond the operation; the facts build it.

    `warps` of the CTA, and `warps_of` operations that only a partition's run, by span start. `used`: indices of
    values with a use. `copy_vectors`: elements a lane of an asynchronous copy moves (the global side's vector
    width), and `copy_addresses`: byte addresses of every element of its tensor (row-major) in one program, both by
    span start; what is missing is unknown.
    """

    target: Target
    version: Version
    warps: int
    warps_of: Mapping[int, int]
    used: frozenset[int]
    copy_vectors: Mapping[int, int]
    copy_addresses: Mapping[int, Addresses]
    two_address_reads: frozenset[int]
    """AMD: span starts of operations whose reads LLVM joined in pairs, where the AMDGCN is there."""

    @property
    def matrix(self) -> MatrixSupport:
        """The target's matrix instructions between registers and shared memory."""
        return matrix_support(self.target)


def matrix_support(target: Target) -> MatrixSupport:
    """ldmatrix from cuda:75 on, stmatrix from cuda:90 on (PTX ISA)."""
    if target.backend == "hip":
        return MatrixSupport(False, False, target.name)
    digits = target.name.partition(":")[2]
    capability = int(digits) if digits.isdigit() else 0
    return MatrixSupport(capability >= 75, capability >= 90)


Rule = Callable[[Operation, LoweringContext], Lowering]


def lower(op: Operation, context: LoweringContext) -> Lowering | None:
    """The shared-memory side of an operation; None where it has none.

    Where its layouts are not understood: a lowering that is not known, with the reason.
    """
    rule = _RULES.get(row_of(op))
    if rule is None:
        return None
    try:
        found = rule(op, context)
    except LayoutError as error:
        return Lowering(known=False, reason=str(error.message))
    lanes = next((n for n in map(_lanes, found.steps) if n not in (None, context.target.warp_size)), None)
    if lanes is not None:
        reason = f"its layouts have {lanes} lanes a warp, {context.target.name} has {context.target.warp_size}"
        return Lowering(known=False, reason=reason)
    if context.target.backend != "hip":
        return found
    joined = op.span.start in context.two_address_reads
    return as_lds(row_of(op), found, context.target, two_address=joined)


def _lanes(step: Step) -> int | None:
    transfer = step.transfer
    if not isinstance(transfer, Transfer) or transfer.matrices:
        return None
    return int(transfer.addresses.shape[2])


def _tensor(value: Value | None) -> TensorType:
    if value is None or not isinstance(value.type, TensorType):
        raise LayoutError("no tensor with a layout")
    return value.type


def _memory(value: Value | None) -> MemDescType:
    if value is None or not isinstance(value.type, MemDescType):
        raise LayoutError("no shared buffer with a layout")
    return value.type


def _is_shared(of: MemDescType) -> bool:
    return of.memory_space == "shared"


def _move(tensor: TensorType, buffer: MemDescType, context: LoweringContext, *, store: bool) -> Lowering:
    if not _is_shared(buffer):
        return Lowering()
    memory = memory_layout(buffer, context.version)
    allowed = context.matrix.store if store else context.matrix.load
    offsets = offsets_of(tensor, memory)
    if not store:
        transposed = transposed_read(offsets, memory.bits, context.target, memory.padding)
        if transposed is not None:
            return Lowering((Step(store, transposed),))
    transfer = choose_transfer(offsets, memory.bits, store, allowed, memory.padding)
    reason = _joining(offsets, memory, transfer)
    return Lowering((Step(store, transfer),), assumed=bool(reason), reason=reason)


def _joining(offsets: FlatLayout, memory: MemoryLayout, transfer: Transfer) -> str:
    """Padding computes addresses one by one: the compiler joins neighbours in some of them only."""
    if not memory.padding.intervals_pads or transfer.matrices:
        return ""
    own = largest_vector(offsets.without_register_copies, memory.bits, memory.padding.interval)
    joined = joined_vector(offsets.without_register_copies, memory.bits, memory.padding.keeps_together)
    if joined is None or joined.elements <= own.elements:
        return ""
    return "registers run across the padded rows: how many accesses the compiler joins is not known"


def _local_load(op: Operation, context: LoweringContext) -> Lowering:
    return _move(_tensor(op.results[0]), _memory(operand(op, "src")), context, store=False)


def _local_store(op: Operation, context: LoweringContext) -> Lowering:
    return _move(_tensor(operand(op, "src")), _memory(operand(op, "dst")), context, store=True)


def _local_alloc(op: Operation, context: LoweringContext) -> Lowering:
    source = operand(op, "src")
    return Lowering() if source is None else _move(_tensor(source), _memory(op.results[0]), context, store=True)


def kind_of(op: Operation, version: Version) -> ConversionKind:
    """What a ttg.convert_layout needs. Raises LayoutError where a layout is not understood."""
    source, target = _tensor(operand(op, "src")), _tensor(op.results[0])
    return conversion_kind(register_layout(source), register_layout(target), version)


def _convert(op: Operation, context: LoweringContext) -> Lowering:
    source, target = _tensor(operand(op, "src")), _tensor(op.results[0])
    bits = tensor_bits(source)
    return lower_conversion(
        register_layout(source), register_layout(target), bits, context.target, context.version
    )


def lower_conversion(
    source: LinearLayout, target: LinearLayout, element_bits: int, gpu: Target, version: Version
) -> Lowering:
    """The shared-memory side of a conversion between two layouts; empty where it needs none."""
    kind = conversion_kind(source, target, version)
    if kind is ConversionKind.CLUSTER:
        return Lowering(known=False, reason=_ACROSS.format("conversion"))
    if kind is not ConversionKind.SHARED:
        return Lowering()
    plan = through_scratch(flat(source), flat(target), element_bits, matrix_support(gpu))
    steps = (Step(True, plan.store, plan.repetitions), Step(False, plan.load, plan.repetitions))
    return Lowering(steps, plan.scratch_bytes, plan.barriers)


def _operand_bits(op: Operation) -> list[int]:
    return [tensor_bits(_tensor(value)) for value in op.operands]


def _axis(op: Operation) -> int:
    axis = op.attributes.get("axis")
    if not isinstance(axis, int):
        raise LayoutError(f"{op.name} without an axis")
    return axis


def _reduce(op: Operation, context: LoweringContext) -> Lowering:
    source, result = register_layout(_tensor(op.operands[0])), op.results[0].type
    target = register_layout(result) if isinstance(result, TensorType) else None
    if any(basis[_axis(op)] for basis in source.bases.get("block", ())):
        return Lowering(known=False, reason=_ACROSS.format("reduction"))
    if op.attributes.get("reduction_ordering") and any(b[_axis(op)] for b in source.bases.get("warp", ())):
        return Lowering(known=False, reason="a reduction of fixed order across warps is not modelled")
    return reduction_lowering(source, target, _axis(op), _operand_bits(op), context.target, context.version)


def reduction_lowering(
    source: LinearLayout,
    result: LinearLayout | None,
    axis: int,
    element_bits: Sequence[int],
    target: Target,
    version: Version,
) -> Lowering:
    """The shared-memory side of a reduction along `axis` within a CTA, as that version of Triton lowers it.

    `result`: the results' layout, None for a scalar. `element_bits` of each operand.
    """
    if version >= _REDUCTION_BY_CONVERSION:
        return lower_by_conversion(source, axis, element_bits, matrix_support(target), version)
    return lower_reduction(source, result, axis, element_bits, source.size("warp"))


def _scan(op: Operation, context: LoweringContext) -> Lowering:
    lowering = lower_scan(register_layout(_tensor(op.operands[0])), _axis(op), _operand_bits(op))
    if context.version <= (3, 8) or not lowering.steps:
        return lowering
    return Lowering(lowering.steps, lowering.scratch_bytes, lowering.barriers, assumed=True)


def _gather(op: Operation, context: LoweringContext) -> Lowering:
    del context
    source, indices = _tensor(op.operands[0]), _tensor(op.operands[1])
    return lower_gather(register_layout(source), register_layout(indices), _axis(op), tensor_bits(source))


def _data_dependent(op: Operation, context: LoweringContext) -> Lowering:
    del context
    return Lowering(known=False, reason=f"{op.name}: which words lanes touch depends on the data")


def _packed(op: Operation, context: LoweringContext) -> Lowering:
    del context
    return Lowering(known=False, reason=f"{op.name}: transposed reads of packed 4-bit elements are not modelled")


def _async_copy(op: Operation, context: LoweringContext) -> Lowering:
    move = row_of(op).shared
    if move is None:
        raise LayoutError(f"{op.name}: no copy between registers and shared memory")
    tensor, buffer = _tensor(operand(op, move.tensor)), _memory(operand(op, move.buffer))
    memory, layout = memory_layout(buffer, context.version), register_layout(tensor)
    offsets = offsets_of(tensor, memory)
    width = context.copy_vectors.get(op.span.start)
    if width is None:
        return Lowering(known=False, reason="the width of the global side is not known")
    # Triton never reorders registers under a limit, and the global side's width is one.
    limit = min(width, memory.padding.interval or width)
    transfer = vector_transfer(offsets, memory.bits, store=True, padding=memory.padding, limit=limit)
    active = _owners(AxisView(layout, 0), transfer.instructions)
    addresses = context.copy_addresses.get(op.span.start)
    source = None if addresses is None else _sources(transfer, tensor, addresses)
    moved = Transfer("LDGSTS", transfer.bits, transfer.addresses, active, memory=source)
    bypass = transfer.bits == 128
    reason = "copies that bypass L1 depend on when sectors arrive" if bypass else ""
    if source is None:
        reason = "the global addresses are not known"
    return Lowering((Step(move.is_store, moved),), assumed=bool(reason), reason=reason)


def _async_store(op: Operation, context: LoweringContext) -> Lowering:
    del op, context
    return Lowering(known=False, reason="asynchronous stores to shared memory: wavefronts are not modelled")


def _owners(view: AxisView, instructions: int) -> Mask:
    """Copies in other lanes and warps are predicated off."""
    once = view.representative("warp")[:, None] & view.representative("lane")[None, :]
    return np.broadcast_to(once, (instructions, *once.shape))


def _sources(transfer: Transfer, tensor: TensorType, addresses: Addresses) -> Addresses:
    """The global address of every lane of every instruction."""
    layout = register_layout(tensor)
    registers = [basis for basis in layout.flat_bases("register") if basis]
    outer = span([registers[place] for place in transfer.outer])
    warps, lanes = span(layout.flat_bases("warp")), span(layout.flat_bases("lane"))
    elements = outer[:, None, None] ^ warps[None, :, None] ^ lanes[None, None, :]
    return addresses.reshape(-1)[elements]


def _warps(op: Operation, context: LoweringContext) -> int:
    return context.warps_of.get(op.span.start, context.warps)


def _atomic(op: Operation, context: LoweringContext) -> Lowering:
    if not op.results or op.results[0].index not in context.used:
        return Lowering()
    result = op.results[0].type
    if isinstance(result, TensorType):
        return share_tensor(register_layout(result), tensor_bits(result))
    return share_scalar(max(element_bits(result) or 32, 8), _warps(op, context), context.target.warp_size)


def _control_answer(op: Operation, context: LoweringContext) -> Lowering:
    """The 16 bytes that cluster launch control wrote, read by every thread."""
    return read_scalar(element_bits(op.results[0].type) or 128, _warps(op, context), context.target.warp_size)


_RULES: dict[OperationRow, Rule] = {
    ttng.CLC_LOAD_RESULT: _control_answer,
    ttg.LOCAL_LOAD: _local_load,
    ttg.LOCAL_STORE: _local_store,
    ttg.LOCAL_ALLOC: _local_alloc,
    ttg.CONVERT_LAYOUT: _convert,
    tt.REDUCE: _reduce,
    tt.SCAN: _scan,
    tt.GATHER: _gather,
    tt.ATOMIC_RMW: _atomic,
    tt.ATOMIC_CAS: _atomic,
    tt.HISTOGRAM: _data_dependent,
    ttg.LOCAL_GATHER: _data_dependent,
    ttg.LOCAL_SCATTER: _data_dependent,
    ttg.LOCAL_ATOMIC_SCATTER_RMW: _data_dependent,
    amdg.LOCAL_LOAD_PACKED_TRANSPOSED: _packed,
    amdg.BUFFER_LOAD_TO_LOCAL: _async_copy,
    amdg.ASYNC_COPY_LOCAL_TO_GLOBAL: _async_copy,
    ttg.ASYNC_COPY_GLOBAL_TO_LOCAL: _async_copy,
    ttng.ASYNC_SHARED_STORE: _async_store,
    ttng.WARP_GROUP_DOT: lower_wgmma,
}
"""Operations that touch shared memory; a new one is a row."""
SHARED_OPS = frozenset(_RULES)
