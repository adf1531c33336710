"""Operands that Hopper's matrix units read from shared memory (ttng.warp_group_dot).

One warp group's instruction reads both operands' tiles once; of the counter, each of its four warps
shows a quarter at 128 bytes a wavefront (three shapes on an H200).
"""

from __future__ import annotations

from gluon_inspect.errors import LayoutError
from gluon_inspect.model.encodings import NvidiaMmaEncoding
from gluon_inspect.model.mlir import Operation, Value
from gluon_inspect.model.types import MemDescType, TensorType, element_bits
from gluon_inspect.traffic.shared.steps import Lowering, OperandRead, Step

_GROUP_ROWS = 64
_GROUP_WARPS = 4
_WAVEFRONT_BYTES = 128


def lower_wgmma(op: Operation, around: object) -> Lowering:
    """The reads of one asynchronous MMA: (shared, load). Raises LayoutError for an unknown shape."""
    del around
    a, b, result = op.operands[0], op.operands[1], op.results[0].type
    if not isinstance(result, TensorType) or not isinstance(result.encoding, NvidiaMmaEncoding):
        raise LayoutError("an MMA without its layout")
    encoding, bits = result.encoding, element_bits(a.type)
    if bits is None or len(encoding.instr_shape) != 3:
        raise LayoutError("an MMA of unknown instruction shape")
    _, columns, depth = encoding.instr_shape
    rows_of_warps, columns_of_warps = encoding.warps_per_cta[0], encoding.warps_per_cta[1]
    warps = rows_of_warps * columns_of_warps
    count = (
        max(result.shape[0] // (16 * rows_of_warps), 1)
        * max(result.shape[1] // (columns * columns_of_warps), 1)
        * max(_depth(a) // depth, 1)
    )
    tile = (_GROUP_ROWS if isinstance(a.type, MemDescType) else 0) + (columns if _in_shared(b) else 0)
    bytes_each = tile * depth * bits // 8
    wavefronts = bytes_each // (_GROUP_WARPS * _WAVEFRONT_BYTES)
    return Lowering((Step(False, OperandRead("HGMMA", count, warps, wavefronts, bytes_each)),))


def _in_shared(value: Value) -> bool:
    return isinstance(value.type, MemDescType)


def _depth(value: Value) -> int:
    of = value.type
    if isinstance(of, TensorType | MemDescType):
        return of.shape[-1]
    raise LayoutError("an MMA operand without a shape")
