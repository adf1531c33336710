"""One transfer between registers and shared memory: which instructions, at which addresses, at what cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gluon_inspect.layouts.flat import FlatLayout
from gluon_inspect.targets.lds import LdsRule
from gluon_inspect.traffic.placement import span
from gluon_inspect.traffic.shared.amd.banks import lds_cost
from gluon_inspect.traffic.shared.nvidia.async_copy import copy_cost
from gluon_inspect.traffic.shared.nvidia.banks import Addresses, Cost, Mask, access_cost, matrix_cost
from gluon_inspect.traffic.shared.vectorise import MatrixShape, joined_vector, largest_vector, matrix_shape


@dataclass(frozen=True, slots=True)
class Padding:
    """After every `intervals` elements, `pads` more: offset -> offset + sum(offset // interval * pad)."""

    intervals_pads: tuple[tuple[int, int], ...] = ()

    @property
    def interval(self) -> int | None:
        """The smallest interval, in elements; None without padding."""
        return min((interval for interval, _ in self.intervals_pads), default=None)

    @property
    def keeps_together(self) -> int:
        """Elements that stay side by side and aligned: the largest such power of two."""
        numbers = [n for pair in self.intervals_pads for n in pair]
        return min((n & -n for n in numbers), default=1 << 30)

    def apply(self, offsets: Addresses) -> Addresses:
        """Element offsets with padding."""
        return offsets + sum((offsets // interval * pad for interval, pad in self.intervals_pads), np.int64(0))


NO_PADDING = Padding()


@dataclass(frozen=True, slots=True)
class Transfer:
    """The instructions of one transfer by all warps of one CTA.

    `addresses` in bytes from the buffer's start, shape (instructions, warps, lanes): lanes are 32, or
    the row addresses of a matrix instruction. `active`: same shape, None where every lane takes part.
    `inner`, `outer`: which register bits (copies left out) one instruction moves, and which number the
    instructions, lowest first; None where that is not known. `memory`: the global addresses that a copy
    (LDGSTS) reads, same shape. `rule`: banks and lane groups of AMD's LDS; None on NVIDIA.
    """

    mnemonic: str
    bits: int
    addresses: Addresses
    active: Mask | None = None
    matrices: int = 0
    transposed: bool = False
    inner: tuple[int, ...] | None = None
    outer: tuple[int, ...] = ()
    memory: Addresses | None = None
    rule: LdsRule | None = None

    @property
    def instructions(self) -> int:
        """Instructions a thread issues."""
        return int(self.addresses.shape[0])

    @property
    def warps(self) -> int:
        """Warps of the CTA."""
        return int(self.addresses.shape[1])

    @property
    def requests(self) -> int:
        """Warp instructions with an active lane, all warps of one CTA."""
        if self.active is None:
            return self.instructions * self.warps
        return int(self.active.any(axis=2).sum())

    @property
    def threads(self) -> int:
        """Active lanes, summed over the requests."""
        if self.active is None:
            return self.instructions * self.warps * (32 if self.matrices else int(self.addresses.shape[2]))
        return int(self.active.sum())

    @property
    def misaligned(self) -> int:
        """Bytes by which some address misses its access's alignment; 0 where all are aligned."""
        width = 16 if self.matrices else max(self.bits // 8, 1)
        rest = self.addresses % width
        if self.active is not None and not self.matrices:
            rest = rest[self.active]
        return int(rest.max(initial=0))

    def cost(self) -> Cost:
        """Wavefronts of each request, all warps, in (instruction, warp) order."""
        lanes = self.addresses.shape[2]
        flat = self.addresses.reshape(-1, lanes)
        if self.matrices:
            return matrix_cost(flat)
        active = None if self.active is None else self.active.reshape(-1, lanes)
        if self.rule is not None:
            return lds_cost(flat, self.bits, self.rule, active)
        if self.mnemonic == "LDGSTS":
            memory = None if self.memory is None else self.memory.reshape(-1, lanes)
            everyone: Mask = np.ones(flat.shape, dtype=bool)
            return copy_cost(flat, memory, everyone if active is None else active, self.bits // 8)
        return access_cost(flat, self.bits, active, store=self.mnemonic == "STS")


def _grid(register: Sequence[int], warp: Sequence[int], lane: Sequence[int]) -> Addresses:
    return span(register)[:, None, None] ^ span(warp)[None, :, None] ^ span(lane)[None, None, :]


def vector_transfer(
    offsets: FlatLayout,
    element_bits: int,
    store: bool,
    padding: Padding = NO_PADDING,
    places: Sequence[int] | None = None,
    limit: int | None = None,
) -> Transfer:
    """LDS / STS of a register -> offset map (elements); copies in registers are dropped.

    `places`: the tensor's register bit behind each register basis, where they are not simply counted.
    `limit`: elements an instruction moves at most.
    """
    unique = offsets.without_register_copies
    chosen = largest_vector(unique, element_bits, limit or padding.interval)
    if limit is None and not (store and padding.intervals_pads):
        joined = joined_vector(unique, element_bits, padding.keeps_together)
        if joined is not None and joined.elements > chosen.elements:
            chosen = joined
    elements = _grid(chosen.starts, unique.warp, unique.lane)
    addresses = padding.apply(elements) * element_bits // 8
    names = range(len(unique.register)) if places is None else places
    return Transfer(
        "STS" if store else "LDS",
        chosen.elements * element_bits,
        addresses,
        inner=None if chosen.inner is None else tuple(names[i] for i in chosen.inner),
        outer=tuple(names[i] for i in chosen.outer),
    )


def _matrix_transfer(shape: MatrixShape, element_bits: int, store: bool) -> Transfer:
    layout = shape.offsets
    elements = _grid(layout.register, layout.warp, shape.rows)
    addresses = elements * element_bits // 8
    name = "STSM" if store else "LDSM"
    return Transfer(name, 32 * shape.matrices, addresses, None, shape.matrices, shape.transposed)


def matrix_transfer(offsets: FlatLayout, element_bits: int, store: bool, transposed: bool) -> Transfer | None:
    """LDSM / STSM of a register -> offset map, or None where the layout does not allow it."""
    shape = matrix_shape(offsets.without_register_copies, element_bits, transposed)
    return None if shape is None else _matrix_transfer(shape, element_bits, store)


def choose_transfer(
    offsets: FlatLayout,
    element_bits: int,
    store: bool,
    matrix_allowed: bool,
    padding: Padding = NO_PADDING,
) -> Transfer:
    """What Triton emits for a local_load / local_store: matrix instructions where possible, else LDS / STS."""
    if matrix_allowed and not padding.intervals_pads:
        for transposed in (False, True):
            found = matrix_transfer(offsets, element_bits, store, transposed)
            if found is not None:
                return found
    return vector_transfer(offsets, element_bits, store, padding)
