"""What a picture is of: threads that own elements, banks of shared memory, or places in tensor memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from gluon_inspect.layouts.drawing.colours import Colour, by_bank, by_warp_and_lane
from gluon_inspect.layouts.drawing.picture import Frame
from gluon_inspect.layouts.linear import LinearLayout

BANKS = 32
BANK_BYTES = 4
"""NVIDIA: 32 banks of 4 bytes (CUDA C++ Programming Guide, shared memory). AMD's LDS has 32 or 64 of 4 bytes."""

_CHUNK_BYTES = 16

Owner = Mapping[str, int]


class Subject(Protocol):
    """How owners are named and coloured."""

    @property
    def layout(self) -> LinearLayout:
        """The layout to draw."""
        ...

    @property
    def frame(self) -> Frame:
        """What goes into a cell and what counts as a repetition."""
        ...

    @property
    def whole(self) -> str:
        """What the elements of a cell have in common."""
        ...

    def label(self, owner: Owner) -> str:
        """The text of a cell."""
        ...

    def colour(self, owner: Owner) -> Colour:
        """The colour of a cell."""
        ...

    def element(self, owner: Owner) -> str:
        """The text of one element inside a cell."""
        ...

    def key(self) -> str:
        """How to read a cell."""
        ...


@dataclass(frozen=True, slots=True)
class Threads:
    """A tensor in registers; `registers` adds the first register to each cell."""

    layout: LinearLayout
    registers: bool = False

    @property
    def frame(self) -> Frame:
        """Cells hold registers of one thread."""
        return Frame()

    @property
    def whole(self) -> str:
        """What the elements of a cell have in common."""
        return "of one thread"

    def label(self, owner: Owner) -> str:
        """warp:lane, the CTA in front where there are several."""
        text = f"{owner.get('warp', 0)}:{owner.get('lane', 0)}"
        if self.layout.bits("block"):
            text = f"{owner.get('block', 0)}/{text}"
        return f"{text} r{owner.get('register', 0)}" if self.registers else text

    def colour(self, owner: Owner) -> Colour:
        """Hue by warp (CTAs shift it), lightness by lane."""
        warp = owner.get("warp", 0) + self.layout.size("warp") * owner.get("block", 0)
        return by_warp_and_lane(warp, owner.get("lane", 0), self.layout.size("lane"))

    def element(self, owner: Owner) -> str:
        """The register."""
        return f"r{owner.get('register', 0)}"

    def key(self) -> str:
        """The parts of a label."""
        parts = "CTA/warp:lane" if self.layout.bits("block") else "warp:lane"
        return f"{parts} rN, N the first register" if self.registers else parts


@dataclass(frozen=True, slots=True)
class Banks:
    """A tensor in shared memory: offsets split into chunks (`element` inside), `bank` groups and `line`s.

    `chunk` elements are adjacent in memory, `group` banks of 4 bytes hold a chunk; `padding` as pairs of
    interval and pad in elements.
    """

    layout: LinearLayout
    element_bits: int
    chunk: int
    padding: tuple[tuple[int, int], ...] = ()

    @property
    def frame(self) -> Frame:
        """Cells hold a chunk; lines repeat unless padding shifts each of them."""
        steady = {"element"} if self.padding else {"element", "line"}
        return Frame(rows=16, in_cell=frozenset({"element"}), steady=frozenset(steady))

    @property
    def whole(self) -> str:
        """What the elements of a cell have in common."""
        return "adjacent in memory"

    def offset(self, owner: Owner) -> int:
        """Elements from the start of the allocation, padding included."""
        chunks_a_line = self.layout.size("bank")
        chunk = owner.get("line", 0) * chunks_a_line + owner.get("bank", 0)
        offset = chunk * self.chunk + owner.get("element", 0)
        return offset + sum(offset // interval * pad for interval, pad in self.padding)

    def bank(self, owner: Owner) -> int:
        """The first bank that the owner's element touches."""
        return self.offset(owner) * self.element_bits // 8 // BANK_BYTES % BANKS

    def label(self, owner: Owner) -> str:
        """The banks of a chunk; partition and CTA in front where there are several."""
        first, wide = self.bank(owner), max(self.chunk * self.element_bits // 8 // BANK_BYTES, 1)
        text = f"{first}-{(first + wide - 1) % BANKS}" if wide > 1 else str(first)
        for name, mark in (("partition", "p"), ("block", "")):
            if self.layout.bits(name):
                text = f"{mark}{owner.get(name, 0)}/{text}"
        return text

    def colour(self, owner: Owner) -> Colour:
        """Around the wheel by bank."""
        return by_bank(self.bank(owner), BANKS)

    def element(self, owner: Owner) -> str:
        """The offset."""
        return f"+{owner.get('element', 0)}"

    def key(self) -> str:
        """The parts of a label."""
        parts = "".join(
            f"{word}/" for name, word in (("block", "CTA"), ("partition", "partition")) if self.layout.bits(name)
        )
        return f"{parts}banks (4 bytes each) of {self.element_bits}-bit elements"


@dataclass(frozen=True, slots=True)
class TensorMemory:
    """A tensor in tensor memory: rows (lanes) and columns."""

    layout: LinearLayout

    @property
    def frame(self) -> Frame:
        """Cells hold columns of one row."""
        return Frame(in_cell=frozenset({"col"}), steady=frozenset({"col"}))

    @property
    def whole(self) -> str:
        """What the elements of a cell have in common."""
        return "of one row"

    def label(self, owner: Owner) -> str:
        """row.column of the first element."""
        text = f"{owner.get('row', 0)}.{owner.get('col', 0)}"
        return f"{owner.get('block', 0)}/{text}" if self.layout.bits("block") else text

    def colour(self, owner: Owner) -> Colour:
        """Hue by the warp that can reach the row (32 rows each), lightness by row."""
        row = owner.get("row", 0)
        return by_warp_and_lane(row // 32 + 4 * owner.get("block", 0), row % 32, 32)

    def element(self, owner: Owner) -> str:
        """The column."""
        return f"c{owner.get('col', 0)}"

    def key(self) -> str:
        """The parts of a label."""
        return ("CTA/" if self.layout.bits("block") else "") + "row.column of tensor memory"


def subject(layout: LinearLayout, element_bits: int, padding: tuple[tuple[int, int], ...] = ()) -> Subject:
    """What a layout is a layout of, by its inputs."""
    if "offset" in layout.bases:
        return _banks(layout, element_bits, padding)
    if "row" in layout.bases:
        return TensorMemory(layout)
    return Threads(layout)


def with_registers(of: Subject) -> Subject:
    """The same with registers in the labels, where it has any."""
    return replace(of, registers=True) if isinstance(of, Threads) else of


def _banks(layout: LinearLayout, element_bits: int, padding: tuple[tuple[int, int], ...]) -> Banks:
    """Chunks as large as 16 bytes, smaller where the layout moves less at a time."""
    chunk = max(_CHUNK_BYTES * 8 // element_bits, 1)
    smallest = max(BANK_BYTES * 8 // element_bits, 1)
    while chunk > smallest and not _moves_whole(layout, chunk, padding):
        chunk //= 2
    return Banks(_split(layout, chunk, element_bits), element_bits, chunk, padding)


def _moves_whole(layout: LinearLayout, chunk: int, padding: tuple[tuple[int, int], ...]) -> bool:
    """Chunks of this size are contiguous along one dimension and padding never splits one."""
    if any(interval % chunk or pad % chunk for interval, pad in padding):
        return False
    bits = chunk.bit_length() - 1
    first = layout.bases["offset"][:bits]
    dims = {next((d for d, x in enumerate(v) if x), -1) for v in first}
    if len(dims) > 1 or any(sum(v) != 1 << bit for bit, v in enumerate(first)):
        return False
    dim = next(iter(dims), 0)
    rest = layout.bases["offset"][bits:]
    return not any(vector[dim] % chunk > 0 for vector in rest)


def _split(layout: LinearLayout, chunk: int, element_bits: int) -> LinearLayout:
    offset = layout.bases["offset"]
    inside = chunk.bit_length() - 1
    line = max(BANKS * BANK_BYTES * 8 // element_bits // chunk, 1).bit_length() - 1 + inside
    others = {name: vectors for name, vectors in layout.bases.items() if name != "offset"}
    parts = {"element": offset[:inside], "bank": offset[inside:line], "line": offset[line:]}
    return LinearLayout({**parts, **others}, layout.shape)
