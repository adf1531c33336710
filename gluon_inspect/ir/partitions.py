"""Warp specialisation: the partitions of ttg.warp_specialize, their warps and their registers.

Registers follow triton-lang/triton, lib/Conversion/TritonGPUToLLVM/AllocateWarpGroups.cpp: every partition's
warp group gets what was asked for, rounded up to 8, and the default partition what is left of the
register file; setmaxnreg allows at most 256 (PTX ISA: 24 to 256, in steps of 8).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from gluon_inspect.ir.graph import graph_of
from gluon_inspect.ir.operations import row_of, ttg
from gluon_inspect.model.mlir import Module, Operation, Region

DEFAULT = "default"
"""The partition that runs on in the kernel's own warps."""
_GROUP_WARPS = 4
_STEP = 8
_LEAST = 24
_MOST = 256
_FILE_REGISTERS = 64 * 1024
_WARP_SIZE = 32


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """One group of warps and its code. `requested`, `registers` a thread; None: the compiler was told nothing."""

    name: str
    warps: int
    requested: int | None
    registers: int | None
    region: Region

    def operations(self) -> Iterator[Operation]:
        """Everything it executes, nested operations included."""
        for block in self.region.blocks:
            for op in block.operations:
                yield from op.walk()


@dataclass(frozen=True, slots=True, eq=False)
class Specialization:
    """One ttg.warp_specialize: the default partition first. `budget_registers` a thread before it starts.

    `total_warps` counts the warps that fill up the last warp group, too.
    """

    op: Operation
    partitions: tuple[Partition, ...]
    total_warps: int
    budget_registers: int | None


def specializations(module: Module) -> tuple[Specialization, ...]:
    """Every ttg.warp_specialize of a module, in order."""
    found = [op for op in graph_of(module).operations if row_of(op) is ttg.WARP_SPECIALIZE and op.regions]
    base = _number(module, "ttg.num-warps") or _GROUP_WARPS
    extra = max((_groups(sum(_warps(op))) for op in found), default=0) * _GROUP_WARPS
    return tuple(_specialization(op, module, base, extra) for op in found)


def _specialization(op: Operation, module: Module, base: int, extra: int) -> Specialization:
    warps, requested = _warps(op), _integers(op, "requestedRegisters")
    total = base + extra
    budget = _number(module, "ttg.maxnreg") or _FILE_REGISTERS // total // _WARP_SIZE // _STEP * _STEP
    given = _integers(op, "actualRegisters")
    actual = given or (_allotted(base, warps, requested, extra, budget) if requested else ())
    regions = _regions(op)
    parts: list[Partition] = []
    for place, (name, region) in enumerate(regions):
        asked = requested[place - 1] if 0 < place <= len(requested) else None
        count = base if place == 0 else warps[place - 1] if place <= len(warps) else 0
        held = min(actual[place], _MOST) if place < len(actual) else None
        parts.append(Partition(name, count, asked, held, region))
    return Specialization(op, tuple(parts), total, budget if requested else None)


def _regions(op: Operation) -> list[tuple[str, Region]]:
    found = [(DEFAULT, op.regions[0])]
    for block in (block for region in op.regions[1:] for block in region.blocks):
        for holder in block.operations:
            if row_of(holder) is ttg.PARTITIONS:
                found += [(region.name or f"partition{n}", region) for n, region in enumerate(holder.regions)]
    return found


def _allotted(
    base: int, warps: tuple[int, ...], requested: tuple[int, ...], extra: int, budget: int
) -> tuple[int, ...]:
    """Registers a thread: the default partition's, then each partition's; nothing where they do not suffice."""
    members = sorted(zip(warps, requested, range(len(warps)), strict=False), key=lambda each: -each[0])
    granted = [0] * len(warps)
    left = budget * base
    filled = 0
    while members:
        group: list[tuple[int, int, int]] = []
        held = 0
        while members and (held < _GROUP_WARPS or not group):
            group.append(members.pop(0))
            held += group[-1][0]
        size = _groups(held) * _GROUP_WARPS
        most = max(-(-asked // _STEP) * _STEP for _, asked, _ in group)
        for _, _, place in group:
            granted[place] = most
        left += (budget - most) * size
        filled += size
    left += (budget - 16) * (extra - filled)
    rest = left // base // _STEP * _STEP
    return (rest, *granted) if rest >= _LEAST else ()


def _groups(warps: int) -> int:
    return -(-warps // _GROUP_WARPS)


def _warps(op: Operation) -> tuple[int, ...]:
    return _integers(op, "partitionNumWarps")


def _integers(op: Operation, name: str) -> tuple[int, ...]:
    found = op.attributes.get(name)
    return tuple(each for each in found if isinstance(each, int)) if isinstance(found, tuple) else ()


def _number(module: Module, name: str) -> int | None:
    found = module.attributes.get(name)
    return found if isinstance(found, int) else None


_HOMES: WeakKeyDictionary[Module, dict[int, Partition]] = WeakKeyDictionary()


def homes(module: Module) -> Mapping[int, Partition]:
    """The partition of each operation inside a ttg.warp_specialize, by the operation's span start."""
    if module in _HOMES:
        return _HOMES[module]
    _HOMES[module] = found = {
        op.span.start: part
        for each in specializations(module)
        for part in each.partitions
        for op in part.operations()
    }
    return found
