"""How Triton lays out the scratch of a layout conversion: swizzled so that neither side conflicts.

The rules of `optimalSwizzling` (triton-lang/triton, lib/Tools/GenericSwizzling.cpp, 3.6): pick a pair
of instructions whose contiguous tiles agree, put the tile's bases at the lowest offsets, make the
bases that select a 128-byte line (`segment`) independent of both sides' lanes, and repeat the whole
for what both sides hold in registers (`repetitions`). All layouts here are flat.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gluon_inspect.layouts.flat import FlatLayout, log2
from gluon_inspect.layouts.gf2 import complement, intersection
from gluon_inspect.traffic.shared.swizzle_vector import plain_vector, vectorised_first

_ROW_BITS = 128


@dataclass(frozen=True, slots=True)
class Banks:
    """The memory that a swizzle is for: lanes of a warp, banks of 32 bits.

    Triton pull request 9662: a side conflicts only among lanes served in one cycle, so
    `log2(lanes * bits a lane / (banks * 32))` lane bits are left out.
    """

    lanes: int = 32
    banks: int = 32

    @property
    def line_bits(self) -> int:
        """Bits that all banks give at once."""
        return 32 * self.banks

    @property
    def phase_bits(self) -> int:
        """Lane bits that are served at once where each lane moves 16 bytes."""
        return log2(self.line_bits // _ROW_BITS)

    def serialised(self, bits: int) -> int:
        """Lane bits that number an instruction's cycles, for `bits` a lane."""
        return log2(max(self.lanes * bits // self.line_bits, 1))


NVIDIA = Banks()


@dataclass(frozen=True, slots=True)
class Tile:
    """An instruction's part in one phase: lane bits that must be contiguous, lane bits that address rows."""

    contiguous: tuple[int, ...]
    address: tuple[int, ...]
    matrix: bool = False
    transposed: bool = False


PLAIN = Tile((), (0, 1, 2))
MATRIX = Tile((0, 1), (2, 3, 4), matrix=True)
MATRIX_TRANSPOSED = Tile((2, 3, 4), (0, 1), matrix=True, transposed=True)


@dataclass(frozen=True, slots=True)
class Scratch:
    """A scratch layout: flat element bases by what they select, lowest offset first."""

    vector: tuple[int, ...]
    bank: tuple[int, ...]
    segment: tuple[int, ...]
    repetition: tuple[int, ...]
    store: Tile = PLAIN
    load: Tile = PLAIN

    @property
    def offset(self) -> tuple[int, ...]:
        """Bases of the offset within one repetition, in elements."""
        return (*self.vector, *self.bank, *self.segment)

    @property
    def elements(self) -> int:
        """Elements of shared memory that one CTA needs."""
        return 1 << len(self.offset)

    @property
    def repetitions(self) -> int:
        """How often the scratch is written and read."""
        return 1 << len(self.repetition)


def tiles(element_bits: int, allowed: bool, memory: Banks = NVIDIA) -> list[Tile]:
    """The instructions that one side may use, in Triton's order; `allowed`: it has matrix instructions."""
    found = [Tile((), tuple(range(memory.phase_bits)))]
    if allowed and element_bits <= 32:
        found.append(MATRIX)
    if allowed and element_bits == 16:
        found.append(MATRIX_TRANSPOSED)
    return found


def _common_tile(
    first: FlatLayout, second: FlatLayout, registers: tuple[int, int], lanes: tuple[Tile, Tile]
) -> list[int] | None:
    """The bases of a contiguous 16-byte tile that both instructions can move, or None.

    `registers`: how many register bases each side's tile holds.
    """
    if registers[0] < registers[1]:
        return _common_tile(second, first, (registers[1], registers[0]), (lanes[1], lanes[0]))
    vector = intersection(first.register, second.register, first.bits)
    if len(vector) < registers[1]:
        return None
    first_lanes = [first.lane[i] for i in lanes[0].contiguous]
    second_lanes = [second.lane[i] for i in lanes[1].contiguous]
    if not all(first_lanes) or not all(second_lanes):
        return None
    extra = registers[0] - registers[1]
    if not all(_in_registers(first, basis) for basis in second_lanes[:extra]):
        return None
    if second_lanes[len(second_lanes) - len(first_lanes) :] != first_lanes:
        return None
    return [*vector[: registers[1]], *second_lanes]


def _in_registers(layout: FlatLayout, basis: int) -> bool:
    """Whether a basis needs a register of `layout` (the least solution uses one)."""
    inputs = (*layout.register, *layout.lane, *layout.warp, *layout.block)
    single = FlatLayout((basis,), (), (), (), layout.bits).through(inputs)
    return bool(single.register[0] & ((1 << len(layout.register)) - 1))


def _phase(tile: Tile, layout: FlatLayout, vector: Sequence[int]) -> list[int] | None:
    """The bases that vary within one phase of an instruction, or None where registers are missing."""
    needed = max(3 - len(tile.address), 0)
    free = [basis for basis in layout.register if basis not in vector][:needed]
    return None if len(free) < needed else [*free, *(layout.lane[i] for i in tile.address)]


def _segment(store_bank: Sequence[int], load_bank: Sequence[int], bits: int, length: int) -> list[int]:
    """Bases that select a line: neither side's phase may move along them, where that is possible."""
    store, load = set(store_bank) - {0}, set(load_bank) - {0}
    segment = [1 << bit for bit in range(bits) if 1 << bit not in store and 1 << bit not in load]
    if len(segment) >= length:
        return segment[:length]
    few, many = sorted(store - load), sorted(load - store)
    if len(few) > len(many):
        few, many = many, few
    conflicts = min(max(0, length - len(few) - len(segment)), len(few))
    segment += [a ^ b for a, b in zip(few[conflicts:], many[conflicts:], strict=False)]
    segment += few[:conflicts]
    segment += many[:conflicts]
    return segment[:length]


def _arrange(
    source: FlatLayout,
    target: FlatLayout,
    element_bits: int,
    vector: Sequence[int],
    phases: tuple[Sequence[int], Sequence[int]],
    spare: int = 0,
    memory: Banks = NVIDIA,
) -> Scratch:
    """The scratch layout for a vector tile and both sides' phases; `spare` repetitions stay in the segment."""
    bits = source.bits
    bank_length = min(log2(max(memory.line_bits // ((1 << len(vector)) * element_bits), 1)), bits - len(vector))
    segment_length = bits - bank_length - len(vector)
    segment = _segment([*vector, *phases[0]], [*vector, *phases[1]], bits, segment_length)
    bank = complement([*vector, *segment], bits)
    kept, repeated = list[int](), list[int]()
    for basis in segment:
        both = basis in source.register and basis in target.register
        (repeated if both and spare <= 0 else kept).append(basis)
        spare -= both
    return Scratch(tuple(vector), tuple(bank), tuple(kept), tuple(repeated))


def _conflicts(scratch: Scratch, phases: tuple[Sequence[int], Sequence[int]], bits: int) -> int:
    """How badly both sides together conflict: the excess of each phase that moves along the segment."""
    return sum((1 << len(intersection(scratch.segment, phase, bits))) - 1 for phase in phases)


def _plain(source: FlatLayout, target: FlatLayout, element_bits: int, memory: Banks) -> Scratch:
    """No common 16-byte tile: LDS / STS of whatever width the registers allow."""
    vector, from_source = plain_vector(source, target, element_bits)
    vector_bits = max((1 << len(vector)) * element_bits, 32)
    wide = memory.serialised(vector_bits)
    store, load = (side.lane[: len(side.lane) - wide] for side in (source, target))
    scratch = _arrange(source, target, element_bits, vector, (store, load), memory=memory)
    if vector_bits >= _ROW_BITS:
        return scratch
    return replace(scratch, bank=vectorised_first(scratch.bank, source, target, from_source))


def scratch_layout(
    source: FlatLayout,
    target: FlatLayout,
    element_bits: int,
    store_matrix: bool,
    load_matrix: bool,
    memory: Banks = NVIDIA,
) -> Scratch:
    """Triton's scratch for a conversion within a CTA.

    `source`, `target`: flat, without register copies. `element_bits`: 8 to 128. `store_matrix`,
    `load_matrix`: whether the target has stmatrix / ldmatrix.
    """
    total = log2(_ROW_BITS // element_bits)
    best: tuple[tuple[int, int], Scratch] | None = None
    for store in tiles(element_bits, store_matrix, memory):
        for load in tiles(element_bits, load_matrix, memory):
            found = _candidate(source, target, element_bits, total, store, load, memory)
            if found is not None and (best is None or found[0] < best[0]):
                best = found
    return _plain(source, target, element_bits, memory) if best is None else best[1]


def _candidate(
    source: FlatLayout,
    target: FlatLayout,
    element_bits: int,
    total: int,
    store: Tile,
    load: Tile,
    memory: Banks = NVIDIA,
) -> tuple[tuple[int, int], Scratch] | None:
    """One pair of instructions -> (rank, scratch): fewest conflicts, then most repetitions."""
    registers = (total - len(store.contiguous), total - len(load.contiguous))
    if min(registers) < 0:
        return None
    vector = _common_tile(source, target, registers, (store, load))
    if vector is None:
        return None
    phases = (_phase(store, source, vector), _phase(load, target, vector))
    if phases[0] is None or phases[1] is None:
        return None
    both = (phases[0], phases[1])
    spare = min(len(tile.contiguous) + len(tile.address) - memory.phase_bits for tile in (store, load))
    arranged = _arrange(source, target, element_bits, vector, both, spare, memory)
    scratch = Scratch(arranged.vector, arranged.bank, arranged.segment, arranged.repetition, store, load)
    return (_conflicts(scratch, both, source.bits), -scratch.repetitions), scratch
