"""Encodings lowered to linear layouts, as Triton's toLinearLayout gives them.

Rules: triton-lang/triton, lib/Dialect/TritonGPU/IR/LinearLayoutConversions.cpp (Triton 3.9).
"""

from __future__ import annotations

from functools import lru_cache
from math import prod

from gluon_inspect.errors import LayoutError
from gluon_inspect.layouts.linear import LinearLayout
from gluon_inspect.layouts.lowering import (
    amd,
    blocked,
    explicit,
    nvidia,
    nvmma,
    shared,
    tensor_memory,
)
from gluon_inspect.layouts.lowering.validity import check, encoding_rank
from gluon_inspect.model import encodings as e
from gluon_inspect.model.encodings import Bases, DotOperandEncoding, Encoding

__all__ = ["block_bases", "encoding_rank", "linear_layout", "program_layout"]

Shape = tuple[int, ...]


def block_bases(encoding: Encoding) -> Bases:
    """How the CTAs of a cluster share a tensor of this encoding: one vector for each bit of the CTA's index."""
    match encoding:
        case e.SliceEncoding(dim, parent):
            return tuple((*v[:dim], *v[dim + 1 :]) for v in block_bases(parent))
        case e.DotOperandEncoding(op_idx, parent):
            bases = block_bases(parent)
            return tuple(_without(v, _k_dim(op_idx, len(v))) for v in bases)
        case e.LinearEncoding(block=block) | e.SharedLinearEncoding(block=block):
            return block
        case e.PaddedSharedEncoding(block=block):
            return block
        case e.PartitionedSharedEncoding(inner=inner):
            return block_bases(inner)
        case e.AutoEncoding() | e.OpaqueEncoding():
            return ()
        case _:
            return encoding.cga


_MOST_ELEMENTS = 1 << 20
"""TRITON_MAX_TENSOR_NUMEL of Triton 3.6 to 3.9."""


def program_layout(encoding: Encoding, shape: Shape) -> LinearLayout:
    """The same for what will be counted element by element; LayoutError for more of them than Triton allows.

    IR that nobody ran can name tensors of any size, whose addresses would fill the memory.
    """
    if prod(shape) > _MOST_ELEMENTS:
        raise LayoutError(f"{prod(shape):,} elements, and Triton allows {_MOST_ELEMENTS:,} in a tensor")
    return linear_layout(encoding, shape)


@lru_cache(maxsize=4096)
def linear_layout(encoding: Encoding, shape: Shape) -> LinearLayout:
    """The layout of a tensor (or of one shared-memory allocation) of `shape` in elements.

    Raises LayoutError where the encoding is unknown, does not fit the shape or a size is not a power of two.
    Padded encodings: offsets before padding (`layouts.padding` applies it).
    """
    check(encoding, shape)
    match encoding:
        case e.BlockedEncoding():
            return blocked.blocked(encoding, shape)
        case e.SliceEncoding(dim, parent):
            return explicit.sliced(linear_layout(parent, (*shape[:dim], 1, *shape[dim:])), dim)
        case e.LinearEncoding():
            return explicit.linear(encoding, shape)
        case e.NvidiaMmaEncoding():
            return nvidia.mma(encoding, shape)
        case e.AmdMfmaEncoding():
            return amd.mfma(encoding, shape)
        case e.AmdWmmaEncoding():
            return amd.wmma(encoding, shape)
        case e.DotOperandEncoding():
            return _dot_operand(encoding, shape)
        case _:
            return _memory_layout(encoding, shape)


def _memory_layout(encoding: Encoding, shape: Shape) -> LinearLayout:
    match encoding:
        case e.SwizzledSharedEncoding():
            return shared.swizzled(encoding, shape)
        case e.AmdRotatingSharedEncoding():
            return shared.rotating(encoding, shape)
        case e.NvmmaSharedEncoding():
            return nvmma.nvmma(encoding, shape)
        case e.SharedLinearEncoding():
            return explicit.shared_linear(encoding, shape)
        case e.PaddedSharedEncoding():
            return shared.padded(encoding, shape)
        case e.PartitionedSharedEncoding(inner=inner):
            return shared.partitioned(encoding, shape, lambda piece: linear_layout(inner, piece))
        case e.TensorMemoryEncoding():
            return tensor_memory.tensor_memory(encoding, shape)
        case e.TensorMemoryScalesEncoding():
            return tensor_memory.tensor_memory_scales(encoding, shape)
        case _:
            raise LayoutError(f"{encoding} has no linear layout")


def _dot_operand(encoding: DotOperandEncoding, shape: Shape) -> LinearLayout:
    op_idx, k_width, cga = encoding.op_idx, encoding.k_width, block_bases(encoding)
    match encoding.parent:
        case e.BlockedEncoding() as parent:
            return blocked.fma_operand(parent, _k_dim(op_idx, len(shape)), shape, cga)
        case e.NvidiaMmaEncoding() as parent:
            return nvidia.mma_operand(parent, op_idx, k_width, shape, cga)
        case e.AmdMfmaEncoding() as parent:
            # Triton deals MFMA operands to the CTAs as it deals the results: K is split, not copied.
            return amd.mfma_operand(parent, op_idx, k_width, shape, parent.cga)
        case e.AmdWmmaEncoding() as parent:
            return amd.wmma_operand(parent, op_idx, k_width, shape, cga)
        case parent:
            raise LayoutError(f"no dot takes an operand of {type(parent).__name__}")


def _k_dim(op_idx: int, rank: int) -> int:
    return rank - 1 if op_idx == 0 else rank - 2


def _without(vector: tuple[int, ...], dim: int) -> tuple[int, ...]:
    return (*vector[:dim], 0, *vector[dim + 1 :])
