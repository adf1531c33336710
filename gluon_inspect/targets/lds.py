"""AMD's LDS: how many banks an instruction sees, and which lanes are served together.

Reads: phase groups measured by pairwise latencies on MI300X, MI350X, W7900 and RX 9070 XT (AMD Shark AI,
docs/empirical-lds); the 128-bit groups of MI300 and MI350 stand in Triton pull request 11365 too, the number
of groups in 9662. Writes: contiguous lanes, as AMD's ROCm blog on LDS bank conflicts gives them for MI300
(ds_write_b128: lanes 0-7, 8-15, ...). `ds_read2_b64` counts in 32 banks also on MI350 (Triton pull request
9544). Everything about gfx90a and gfx1250 is the rule of the family, unmeasured.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from gluon_inspect.model.confidence import ModelStatus
from gluon_inspect.model.target import Target

_BANK_BITS = 32
_NARROW_BANKS = 32

Groups = tuple[tuple[int, ...], ...]


class LdsKind(StrEnum):
    """The kinds of LDS instructions that differ in how lanes are grouped."""

    READ = "read"
    WRITE = "write"
    READ2 = "read2"
    READ_TRANSPOSED = "read_tr"


@dataclass(frozen=True, slots=True)
class LdsRule:
    """Banks of 4 bytes, and the lanes that are served in the same cycle, group by group."""

    banks: int
    groups: Groups
    model: ModelStatus
    source: str


def lds_rule(target: Target, bits: int, kind: LdsKind = LdsKind.READ) -> LdsRule:
    """The rule for an instruction that moves `bits` a lane (8 to 128; `read2`: each of its two addresses).

    Measured groups where there are any; otherwise as many neighbouring lanes as fill the banks once.
    """
    architecture = target.name.removeprefix("hip:")
    banks = _banks(target, bits, kind)
    measured = _READ_128.get(architecture)
    if bits == 128 and kind is LdsKind.READ and measured is not None:
        return LdsRule(banks, measured, ModelStatus.DOCUMENTED, _EMPIRICAL)
    groups = _neighbours(target.warp_size, banks * _BANK_BITS // max(bits, _BANK_BITS))
    known = architecture in _MEASURED and kind is not LdsKind.READ_TRANSPOSED
    status = ModelStatus.DOCUMENTED if known else ModelStatus.UNVALIDATED
    return LdsRule(banks, groups, status, _EMPIRICAL if known else _FAMILY)


def _banks(target: Target, bits: int, kind: LdsKind) -> int:
    """On MI350 the two-address reads of 64 bits see half of the banks."""
    if kind is LdsKind.READ2 and bits == 64:
        return min(target.shared_banks, _NARROW_BANKS)
    return target.shared_banks


def _neighbours(lanes: int, each: int) -> Groups:
    each = min(each, lanes)
    return tuple(tuple(range(start, start + each)) for start in range(0, lanes, each))


def _shifted(groups: Groups, by: int) -> Groups:
    return tuple(tuple(lane + by for lane in group) for group in groups)


def _quads(*firsts: int) -> tuple[int, ...]:
    """Groups of four neighbouring lanes, by their first lane."""
    return tuple(lane for first in firsts for lane in range(first, first + 4))


_RDNA3_READ_128: Groups = (_quads(0, 20), _quads(4, 16), _quads(8, 28), _quads(12, 24))
_CDNA4_HALF: Groups = (_quads(0, 12, 20, 24), _quads(4, 8, 16, 28))
_CDNA3_READ_128: Groups = (*_RDNA3_READ_128, *_shifted(_RDNA3_READ_128, 32))

_READ_128: dict[str, Groups] = {
    "gfx90a": _CDNA3_READ_128,
    "gfx942": _CDNA3_READ_128,
    "gfx950": (*_CDNA4_HALF, *_shifted(_CDNA4_HALF, 32)),
    "gfx1100": _RDNA3_READ_128,
}
_MEASURED = frozenset(("gfx942", "gfx950", "gfx1100", "gfx1201"))
_EMPIRICAL = "AMD Shark AI, docs/empirical-lds (measured on MI300X, MI350X, W7900, RX 9070 XT)"
_FAMILY = "the family's rule: neighbouring lanes that fill the banks once"
