"""Encodings: the layout attributes of the tt / ttg / ttng / amdg dialects, as written in the IR.

An encoding is a recipe; `gluon_inspect.layouts.lowering` turns it into a linear layout.
`cga` holds the block bases (`CGALayout`): one vector over the tensor's dimensions for each bit of
the CTA's index in its cluster; empty means one CTA.
"""

from __future__ import annotations

from dataclasses import dataclass

Basis = tuple[int, ...]
Bases = tuple[Basis, ...]


@dataclass(frozen=True, slots=True)
class BlockedEncoding:
    """#ttg.blocked: elements per thread, threads per warp, warps per CTA; `order` fastest first."""

    size_per_thread: tuple[int, ...]
    threads_per_warp: tuple[int, ...]
    warps_per_cta: tuple[int, ...]
    order: tuple[int, ...]
    cga: Bases = ()


@dataclass(frozen=True, slots=True)
class SliceEncoding:
    """#ttg.slice: the parent's layout with dimension `dim` removed."""

    dim: int
    parent: Encoding


@dataclass(frozen=True, slots=True)
class LinearEncoding:
    """#ttg.linear / #ttg.generic_linear: bases given outright, one vector per bit."""

    register: Bases
    lane: Bases
    warp: Bases
    block: Bases
    generic: bool = False


@dataclass(frozen=True, slots=True)
class DotOperandEncoding:
    """#ttg.dot_op: operand `op_idx` (0 is A) of the parent's MMA; `k_width` contiguous elements along K."""

    op_idx: int
    parent: Encoding
    k_width: int = 0


@dataclass(frozen=True, slots=True)
class NvidiaMmaEncoding:
    """#ttg.nvidia_mma: version 2 (Ampere), 3 (Hopper), 5 (Blackwell, registers)."""

    version_major: int
    version_minor: int
    warps_per_cta: tuple[int, ...]
    instr_shape: tuple[int, ...]
    cga: Bases = ()


@dataclass(frozen=True, slots=True)
class AmdMfmaEncoding:
    """#ttg.amd_mfma: CDNA matrix cores, version 1-4."""

    version: int
    warps_per_cta: tuple[int, ...]
    instr_shape: tuple[int, ...]
    transposed: bool
    tiles_per_warp: tuple[int, ...] = ()
    element_bits: int = 32
    cga: Bases = ()


@dataclass(frozen=True, slots=True)
class AmdWmmaEncoding:
    """#ttg.amd_wmma: RDNA / gfx1250 matrix cores, version 1-3; `ctaLayout` as register and warp bases."""

    version: int
    transposed: bool
    register: Bases
    warp: Bases
    instr_shape: tuple[int, ...] = (16, 16, 16)
    rank: int = 2
    cga: Bases = ()


@dataclass(frozen=True, slots=True)
class AutoEncoding:
    """#gluon.auto_encoding / #gluon.coalesced_encoding: to be inferred by the compiler."""

    kind: str


@dataclass(frozen=True, slots=True)
class SwizzledSharedEncoding:
    """#ttg.swizzled_shared: vectors of `vec` elements XORed by (row / per_phase) % max_phase."""

    vec: int
    per_phase: int
    max_phase: int
    order: tuple[int, ...]
    cga: Bases = ()


@dataclass(frozen=True, slots=True)
class PaddedSharedEncoding:
    """#ttg.padded_shared: after every `interval` elements, `pad` more; offsets by linear bases.

    `intervals_pads` in elements. `offset` is empty where the attribute gives order and shape instead.
    """

    intervals_pads: tuple[tuple[int, int], ...]
    offset: Bases
    block: Bases = ()
    order: tuple[int, ...] = ()
    shape: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class SharedLinearEncoding:
    """#ttg.shared_linear: bases given outright, from offset (in elements) and block."""

    offset: Bases
    block: Bases = ()
    alignment_bytes: int = 16


@dataclass(frozen=True, slots=True)
class NvmmaSharedEncoding:
    """#ttg.nvmma_shared: what TMA writes and WGMMA / tcgen05 read; swizzle in bytes (0, 32, 64, 128)."""

    swizzle_bytes: int
    transposed: bool
    element_bits: int
    fp4_padded: bool = False
    rank: int = 2
    cga: Bases = ()


@dataclass(frozen=True, slots=True)
class AmdRotatingSharedEncoding:
    """#ttg.amd_rotating_shared: like swizzled, the phase rotating with every block of rows."""

    vec: int
    per_phase: int
    max_phase: int
    order: tuple[int, ...]
    cga: Bases = ()


@dataclass(frozen=True, slots=True)
class PartitionedSharedEncoding:
    """#ttg.partitioned_shared: groups of partitions along `dim`, each by the inner layout."""

    num_partitions: int
    num_groups: int
    dim: int
    inner: Encoding


@dataclass(frozen=True, slots=True)
class TensorMemoryEncoding:
    """#ttng.tensor_memory_encoding: blocks of 64 or 128 rows by `block_n` columns of tensor memory."""

    block_m: int
    block_n: int
    col_stride: int
    cga: Bases = ()
    two_ctas: bool = False
    fp4_padded: bool = False


@dataclass(frozen=True, slots=True)
class TensorMemoryScalesEncoding:
    """#ttng.tensor_memory_scales_encoding: block scales of tcgen05.mma_scaled."""

    cga: Bases = ()
    block_rep_order: str = ""


@dataclass(frozen=True, slots=True)
class OpaqueEncoding:
    """An encoding that is not understood; `text` as it stands, aliases expanded."""

    text: str


DistributedEncoding = (
    BlockedEncoding
    | SliceEncoding
    | LinearEncoding
    | DotOperandEncoding
    | NvidiaMmaEncoding
    | AmdMfmaEncoding
    | AmdWmmaEncoding
)
SharedEncoding = (
    SwizzledSharedEncoding
    | PaddedSharedEncoding
    | SharedLinearEncoding
    | NvmmaSharedEncoding
    | AmdRotatingSharedEncoding
    | PartitionedSharedEncoding
)
TensorMemory = TensorMemoryEncoding | TensorMemoryScalesEncoding
Encoding = DistributedEncoding | SharedEncoding | TensorMemory | AutoEncoding | OpaqueEncoding
