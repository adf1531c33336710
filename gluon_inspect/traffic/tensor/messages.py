"""Which tcgen05.ld / tcgen05.st instructions move a register tensor to or from tensor memory.

Shapes and lanes: PTX ISA, "tcgen05.ld" (.32x32b, .16x64b, .16x128b, .16x256b, .16x32bx2). How many
registers one instruction takes follows triton-lang/triton, TensorMemoryUtils.cpp: at most half of what a
thread may have, and 64 where 256 are allowed and one instruction would not do.
"""

from __future__ import annotations

from dataclasses import dataclass

from gluon_inspect.errors import LayoutError
from gluon_inspect.layouts.algebra import invert_and_compose
from gluon_inspect.layouts.linear import LinearLayout

Place = tuple[int, int]
"""A basis in tensor memory: row and column of 32 bits."""

MOST_REGISTERS = 256
_REGISTER_BITS = 32


@dataclass(frozen=True, slots=True)
class Atom:
    """One instruction shape: the places of its own registers and of the lanes that it fixes."""

    name: str
    registers: tuple[Place, ...]
    lanes: tuple[Place, ...]

    @property
    def columns(self) -> int:
        """Columns that it covers before it is repeated."""
        places = (*self.registers, *self.lanes)
        return 1 << sum(1 for row, column in places if column and not row)


_ROWS = ((1, 0), (2, 0), (4, 0))
_ATOMS = (
    Atom("32x32b", (), (*_ROWS, (8, 0), (16, 0))),
    Atom("16x256b", ((0, 1), (8, 0)), ((0, 2), (0, 4), *_ROWS)),
    Atom("16x64b", (), ((8, 0), (0, 1), *_ROWS)),
    Atom("16x128b", ((8, 0),), ((0, 1), (0, 2), *_ROWS)),
    Atom("16x32bx2", (), (*_ROWS, (8, 0))),
)


@dataclass(frozen=True, slots=True)
class Messages:
    """`instructions` a warp, each of `registers` 32-bit registers a thread."""

    shape: str
    registers: int
    instructions: int

    @property
    def name(self) -> str:
        """Shape and repetitions as PTX writes them."""
        own = {"16x256b": 4, "16x128b": 2}.get(self.shape, 1)
        return f"{self.shape}.x{self.registers // own}"


def messages(registers: LinearLayout, memory: LinearLayout, bits: int, limit: int = MOST_REGISTERS) -> Messages:
    """How a tensor of `bits` an element goes between a register layout and a tensor memory layout.

    `limit`: registers a thread may have. Raises LayoutError where no shape fits.
    """
    moved = invert_and_compose(registers, memory)
    rows, columns = moved.outs.index("row"), moved.outs.index("col")

    def places(name: str) -> list[Place]:
        return [(vector[rows], vector[columns]) for vector in moved.bases.get(name, ())]

    own = [place for place in places("register") if any(place)]
    kept, shift = _packed(own, bits)
    regs, lanes = _shifted(kept, shift), _shifted(places("lane"), shift)
    # warps 0 to 3 reach their own 32 rows each, whatever the layout holds twice
    warps = [(32, 0), (64, 0), *_shifted(places("warp")[2:], shift)]
    for atom in _ATOMS:
        taken = _fit(atom, regs, lanes, warps, limit)
        if taken:
            return Messages(atom.name, taken, (1 << len(regs)) // taken)
    raise LayoutError("registers that no tcgen05.ld or tcgen05.st shape fits")


def _packed(registers: list[Place], bits: int) -> tuple[list[Place], int]:
    """Registers of 32 bits, and by how much columns of elements are finer than columns of 32 bits."""
    wide = (_REGISTER_BITS // bits).bit_length() - 1
    if wide <= 0:
        return registers, 0
    together = 0
    while together < wide and (0, 1 << together) in registers[: together + 1]:
        together += 1
    if together == wide:
        return registers[wide:], wide
    if together:
        kept, shift = _packed(_shifted(registers[together:], together), bits << together)
        return kept, shift + together
    if bits == 16 and registers and registers[0] == (0, 2):
        return registers[1:], 2
    return registers, wide


def _shifted(places: list[Place], by: int) -> list[Place]:
    return [(row, column >> by) for row, column in places]


def _fit(atom: Atom, registers: list[Place], lanes: list[Place], warps: list[Place], limit: int) -> int:
    """Registers of one instruction; 0 where the shape does not fit."""
    if tuple(lanes[: len(atom.lanes)]) != atom.lanes or any(place not in registers for place in atom.registers):
        return 0
    most = min(limit, MOST_REGISTERS) // 2
    if limit >= MOST_REGISTERS and 1 << len(registers) > most:
        most //= 2
    own = 1 << len(atom.registers)
    taken, column, used = own, atom.columns, list(atom.registers)
    if not _apart(atom, used, registers, lanes, warps):
        return 0
    while (
        taken * 2 <= most
        and (0, column) in registers
        and _apart(atom, [*used, (0, column)], registers, lanes, warps)
    ):
        used.append((0, column))
        taken, column = taken * 2, column * 2
    return taken


def _apart(atom: Atom, used: list[Place], registers: list[Place], lanes: list[Place], warps: list[Place]) -> bool:
    """Whether everything beyond one instruction lies outside the bits that it covers."""
    inside = [*used, *atom.lanes, *warps[:2]]
    rows = columns = 0
    for row, column in inside:
        rows, columns = rows | row, columns | column
    rest = [place for place in registers if place not in used] + lanes[len(atom.lanes) :] + warps[2:]
    return all(not (row & rows) and not (column & columns) for row, column in rest)
