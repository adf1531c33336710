"""tcgen05.mma: how many instructions an MMA becomes, and what they read.

One instruction takes a block of the accumulator (64 or 128 rows, twice that for a pair of CTAs) and 32 bytes
of each row along K (PTX ISA, "tcgen05.mma", kinds and shapes); fp4 values that are padded to bytes fill
16 of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from gluon_inspect.errors import LayoutError
from gluon_inspect.ir.operations import operand, ttng
from gluon_inspect.layouts.lowering import block_bases
from gluon_inspect.layouts.tile import share_of_cta
from gluon_inspect.model.encodings import NvmmaSharedEncoding, TensorMemoryEncoding
from gluon_inspect.model.mlir import Operation
from gluon_inspect.model.types import MemDescType, element_bits

TENSOR_MMAS = (ttng.TC_GEN5_MMA, ttng.TC_GEN5_MMA_SCALED)
_K_BYTES = 32


@dataclass(frozen=True, slots=True)
class TensorMma:
    """One tcgen05 MMA. `instruction`: M, N and bytes along K of one instruction; counts are of all CTAs.

    `shared_bytes`, `tensor_bytes`: what the instructions read of A and B from either memory.
    """

    tile: tuple[int, int, int]
    instruction: tuple[int, int, int]
    instructions: int
    shared_bytes: int
    tensor_bytes: int
    major: tuple[str, str]


def tensor_mma(op: Operation) -> TensorMma:
    """Read an MMA's operands. Raises LayoutError where their layouts are not understood."""
    a, b, d = (_memory(op, role) for role in ("a", "b", "d"))
    if not isinstance(d.encoding, TensorMemoryEncoding):
        raise LayoutError("an accumulator that is not in tensor memory")
    cga = d.encoding.cga
    rows, columns = share_of_cta(d.shape[-2:], cga)
    pair = bool(op.attributes.get("two_ctas")) or d.encoding.two_ctas
    wide = min(d.encoding.block_n, columns)
    depth = a.shape[-1] * _bits(a) // 8
    step = _K_BYTES // 2 if _padded(a) else _K_BYTES
    repeats = -(-rows // d.encoding.block_m), -(-columns // wide), -(-depth // step)
    ctas = 1 << len(cga)
    issuing = ctas // 2 if pair and ctas > 1 else ctas
    reads = {"shared": 0, "tensor": 0}
    for of, times in ((a, repeats[1]), (b, repeats[0])):
        reads[of.memory_space if of.memory_space in reads else "shared"] += _held(of) * times
    return TensorMma(
        tile=(d.shape[-2], d.shape[-1], a.shape[-1]),
        instruction=(d.encoding.block_m * (2 if pair else 1), wide, step),
        instructions=prod(repeats) * issuing,
        shared_bytes=reads["shared"],
        tensor_bytes=reads["tensor"],
        major=(major(a, 1), major(b, 0)),
    )


def major(of: MemDescType, k_dim: int) -> str:
    """Along which dimension an operand is contiguous: "K", "MN", or "" where the layout does not say."""
    match of.encoding:
        case NvmmaSharedEncoding():
            contiguous = 0 if of.encoding.transposed else 1
            return "K" if contiguous == k_dim else "MN"
        case TensorMemoryEncoding():
            return "K"
        case _:
            return ""


def _held(of: MemDescType) -> int:
    """Bytes that all CTAs of the cluster hold, copies included."""
    cga = () if of.encoding is None else block_bases(of.encoding)
    copies = 1 << sum(not any(basis) for basis in cga)
    return prod(of.shape[-2:]) * _bits(of) // 8 * copies


def _padded(of: MemDescType) -> bool:
    return isinstance(of.encoding, NvmmaSharedEncoding | TensorMemoryEncoding) and of.encoding.fp4_padded


def _bits(of: MemDescType) -> int:
    return max(element_bits(of) or 8, 1)


def _memory(op: Operation, role: str) -> MemDescType:
    found = operand(op, role)
    if found is None or not isinstance(found.type, MemDescType):
        raise LayoutError(f"an MMA without its operand {role}")
    return found.type
