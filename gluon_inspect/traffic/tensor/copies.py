"""tcgen05.cp: how many instructions a copy from shared to tensor memory becomes, and what they move.

Shapes and multicast to other warps' rows: PTX ISA, "tcgen05.cp". Which one is taken follows triton-lang/triton,
TensorMemoryToLLVM.cpp: 128 rows of 32 bytes, or of 16 where there is no more; 64 or 32 rows where the tensor
memory's other rows hold copies.
"""

from __future__ import annotations

from dataclasses import dataclass

from gluon_inspect.errors import LayoutError
from gluon_inspect.layouts.linear import LinearLayout
from gluon_inspect.layouts.lowering import linear_layout
from gluon_inspect.model.encodings import TensorMemoryEncoding
from gluon_inspect.model.types import MemDescType, element_bits

_ROWS = 128
_ATOMS = {
    (False, False): (128, ""),
    (True, False): (64, ".warpx2::02_13"),
    (False, True): (64, ".warpx2::01_23"),
    (True, True): (32, ".warpx4"),
}
"""By whether rows 32 to 63, and rows 64 to 127, are copies of the rows before them: rows read, multicast."""


@dataclass(frozen=True, slots=True)
class TensorCopy:
    """One copy, in one CTA. `rows`, `row_bits`: what one instruction reads; it writes all 128 rows."""

    instructions: int
    rows: int
    row_bits: int
    multicast: str

    @property
    def name(self) -> str:
        """Multicast and shape as PTX writes them."""
        return f"{self.multicast}.{self.rows}x{self.row_bits}b".lstrip(".")

    @property
    def read_bytes(self) -> int:
        """Bytes read from shared memory."""
        return self.instructions * self.rows * self.row_bits // 8

    @property
    def written_bytes(self) -> int:
        """Bytes written to tensor memory."""
        return self.instructions * _ROWS * self.row_bits // 8


def tensor_copy(source: MemDescType, target: MemDescType) -> TensorCopy:
    """The instructions of a copy. Raises LayoutError where the layouts are not understood."""
    bits = element_bits(source)
    if target.encoding is None or not bits:
        raise LayoutError("a copy to tensor memory without layouts")
    memory = linear_layout(target.encoding, target.shape[-2:])
    rows = memory.bases.get("row", ())
    if len(rows) != _ROWS.bit_length() - 1:
        raise LayoutError("a copy to tensor memory that has not 128 rows")
    height, multicast = _ATOMS[(not any(rows[5]), not any(rows[6]))]
    columns, together = _columns(memory, has_holes=isinstance(target.encoding, TensorMemoryEncoding))
    row_bits = 256 if height == _ROWS and together * bits != 128 else 128
    return TensorCopy(max(columns * bits // row_bits, 1), height, row_bits, multicast)


def _columns(memory: LinearLayout, *, has_holes: bool) -> tuple[int, int]:
    """Columns that hold elements, and how many of them lie side by side."""
    bases = memory.bases.get("col", ())
    holes = [place for place, basis in enumerate(bases) if has_holes and not any(basis)]
    held = 1 << (len(bases) - len(holes))
    return held, min(held, 1 << holes[0]) if holes else held
