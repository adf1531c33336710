"""AMD matrix cores: MFMA (CDNA, wave64) and WMMA (RDNA and gfx1250, wave32), and their operands.

Fragment shapes: AMD's matrix instruction calculator (ROCm/amd_matrix_instruction_calculator).
"""

from __future__ import annotations

from gluon_inspect.errors import LayoutError
from gluon_inspect.layouts import gf2
from gluon_inspect.layouts.linear import LinearLayout
from gluon_inspect.layouts.tile import Tile, row_major
from gluon_inspect.model.encodings import AmdMfmaEncoding, AmdWmmaEncoding, Bases, Basis

Shape = tuple[int, ...]

_MFMA_LANES = 64
_WMMA_LANES = 32
_WMMA_ROWS = 16


def _operand_dims(op_idx: int, rank: int) -> tuple[int, int]:
    """K and the other dimension of operand A (0) or B (1)."""
    return (rank - 1, rank - 2) if op_idx == 0 else (rank - 2, rank - 1)


def mfma(encoding: AmdMfmaEncoding, shape: Shape) -> LinearLayout:
    """The accumulator: a lane holds 4 neighbours (1 of 64-bit type) along M, along N when transposed."""
    rank = len(shape)
    m, n = rank - 2, rank - 1
    rows, columns = encoding.instr_shape[:2]
    height = 1 if encoding.element_bits == 64 else 4
    along, across, lanes = (n, m, rows) if encoding.transposed else (m, n, columns)
    tile = Tile.registers(rank).walk("register", along, height)
    tile.walk("lane", across, lanes).walk("lane", along, _MFMA_LANES // lanes)
    tile.walk("register", along, rows * columns // (_MFMA_LANES * height))
    _repeat_mfma(tile, encoding, shape)
    return tile.fit(shape, encoding.cga, row_major(rank))


def _repeat_mfma(tile: Tile, encoding: AmdMfmaEncoding, shape: Shape) -> None:
    """The instructions of the whole tensor, all of N before the next along M: the order AMD's dot wants."""
    rank = len(shape)
    m, n = rank - 2, rank - 1
    tiles, warps = encoding.tiles_per_warp or (1,) * rank, encoding.warps_per_cta
    columns = encoding.instr_shape[1]
    tile.walk("register", n, tiles[n]).walk("warp", n, warps[n])
    tile.walk("register", n, shape[n] // (columns * warps[n] * tiles[n]))
    tile.walk("register", m, tiles[m]).walk("warp", m, warps[m])
    if rank == 3:
        tile.walk("warp", 0, warps[0])


def mfma_operand(encoding: AmdMfmaEncoding, op_idx: int, k_width: int, shape: Shape, cga: Bases) -> LinearLayout:
    """Operand A or B: `k_width` neighbours along K in a lane, lanes along the other dimension, then along K."""
    rank = len(shape)
    k_dim, other = _operand_dims(op_idx, rank)
    rows, columns = encoding.instr_shape[:2]
    lanes = rows if op_idx == 0 else columns
    tile = Tile.registers(rank).walk("register", k_dim, k_width)
    tile.walk("lane", other, lanes).walk("lane", k_dim, _MFMA_LANES // lanes)
    if lanes == 64:
        # 64x4 and 4x64: the wide operand is read 16 times deeper along K.
        tile.walk("register", k_dim, 16)
    tile.walk("register", k_dim, shape[k_dim] // tile.sizes[k_dim])
    tile.walk("register", other, (encoding.tiles_per_warp or (1,) * rank)[other])
    tile.walk_all("warp", encoding.warps_per_cta, row_major(rank), copied=k_dim)
    return tile.fit(shape, cga, (k_dim, other, *range(rank - 2)))


def wmma(encoding: AmdWmmaEncoding, shape: Shape) -> LinearLayout:
    """The accumulator: 16 lanes along N (M when transposed), registers along the other dimension."""
    rank = len(shape)
    along, across = (rank - 1, rank - 2) if encoding.transposed else (rank - 2, rank - 1)
    tile = Tile.registers(rank)
    match encoding.version:
        case 1:
            # RDNA3: the two halves of the wave interleave rows.
            tile.walk("lane", across, _WMMA_ROWS).walk("lane", along, 2).walk("register", along, 8)
        case 2 | 3:
            tile.walk("register", along, 8).walk("lane", across, _WMMA_ROWS).walk("lane", along, 2)
            tile.walk("register", along, encoding.instr_shape[0] // _WMMA_ROWS)
        case _:
            raise LayoutError(f"amd_wmma version {encoding.version} is not known")
    tile.times({"register": encoding.register, "warp": encoding.warp})
    return tile.fit(shape, encoding.cga, row_major(rank))


def wmma_operand(encoding: AmdWmmaEncoding, op_idx: int, k_width: int, shape: Shape, cga: Bases) -> LinearLayout:
    """Operand A or B: `k_width` neighbours along K in a lane, 16 lanes, then the other half-wave along K.

    On RDNA3 both halves hold the same.
    """
    rank = len(shape)
    k_dim, other = _operand_dims(op_idx, rank)
    halves = _WMMA_LANES // _WMMA_ROWS
    tile = Tile.registers(rank).walk("register", k_dim, k_width).walk("lane", other, _WMMA_ROWS)
    if encoding.version == 1:
        tile.copy("lane", halves)
    else:
        tile.walk("lane", k_dim, halves)
    tile.walk("register", k_dim, encoding.instr_shape[2] // (halves * k_width))
    tile.walk("register", other, _operand_rows(encoding, op_idx) // _WMMA_ROWS)
    tile.times(_without_dim(encoding, k_dim))
    return tile.fit(shape, cga, (k_dim, other, *range(rank - 2)))


def _operand_rows(encoding: AmdWmmaEncoding, op_idx: int) -> int:
    """Size of the dimension that is not K; transposed instructions swap their operands."""
    return encoding.instr_shape[op_idx ^ encoding.transposed]


def _without_dim(encoding: AmdWmmaEncoding, dim: int) -> dict[str, list[Basis]]:
    """The tile bases without `dim`; registers that would hold copies disappear."""

    def project(vectors: Bases) -> list[Basis]:
        return [(*v[:dim], 0, *v[dim + 1 :]) for v in vectors]

    registers = project(encoding.register)
    redundant = gf2.dependent([sum(x << 16 * i for i, x in enumerate(v)) for v in registers])
    kept = [v for i, v in enumerate(registers) if not redundant >> i & 1]
    return {"register": kept, "warp": project(encoding.warp)}
