"""#ttg.blocked, and the operands of a dot on ordinary arithmetic units."""

from __future__ import annotations

from gluon_inspect.layouts.linear import LinearLayout
from gluon_inspect.layouts.tile import Tile
from gluon_inspect.model.encodings import Bases, BlockedEncoding

Shape = tuple[int, ...]


def blocked(encoding: BlockedEncoding, shape: Shape) -> LinearLayout:
    """Registers, then lanes, then warps, each along `order`; what is missing is repeated in registers.

    Registers beyond the tensor are not kept, lanes and warps beyond it hold copies.
    """
    order = encoding.order
    tile = Tile.registers(len(shape))
    tile.walk_all("register", encoding.size_per_thread, order)
    tile.walk_all("lane", encoding.threads_per_warp, order)
    tile.walk_all("warp", encoding.warps_per_cta, order)
    return tile.fit(shape, encoding.cga, order, dropped="register")


def fma_operand(encoding: BlockedEncoding, k_dim: int, shape: Shape, cga: Bases) -> LinearLayout:
    """Each thread holds all of K of the rows (or columns) of its results; lanes and warps along K copy."""
    order = encoding.order
    per_thread = list(encoding.size_per_thread)
    per_thread[k_dim] = shape[k_dim]
    tile = Tile.registers(len(shape))
    tile.walk_all("register", per_thread, order)
    tile.walk_all("lane", encoding.threads_per_warp, order, copied=k_dim)
    tile.walk_all("warp", encoding.warps_per_cta, order, copied=k_dim)
    return tile.fit(shape, cga, order)
