"""AMD's LDS: how many banks an instruction sees, which lanes are served together, how wide a wave's port is.

Reads: phase groups measured by pairwise latencies on MI300X, MI350X, W7900 and RX 9070 XT (AMD Shark AI,
docs/empirical-lds); the 128-bit groups of MI300 and MI350 stand in Triton pull request 11365 too, the number
of groups in 9662. Writes: contiguous lanes, as AMD's ROCm blog on LDS bank conflicts gives them for MI300
(ds_write_b128: lanes 0-7, 8-15, ...).

MI350 has 64 banks for ds_read_b64 and ds_read_b128 only; writes and other reads conflict as with 32: AMD's
rocRoller (LDSBankModel.cpp, which BankConflictTest.cpp and its rocprofiler test hold against a card) and
HipKittens' phase measurements (ds_read_b96: 32 banks, 8 groups of 8 lanes). For ds_read_b32 the sources differ:
Shark AI found one group of 64 lanes there. Transposed reads are in no model: 64 banks, unvalidated, under which
most of Triton's own layouts for them have no conflict. `ds_read2_b64` counts in 32 banks (Triton pull request
9544).
Everything about gfx90a and gfx1250 is the rule of the family, unmeasured.
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
    """Banks of 4 bytes, and the lanes that are served in the same cycle, group by group.

    `port_bytes` that one wave moves a cycle at most: the banks serve two waves of different SIMDs at once.
    """

    banks: int
    groups: Groups
    model: ModelStatus
    source: str
    port_bytes: int = 64


def lds_rule(target: Target, bits: int, kind: LdsKind = LdsKind.READ) -> LdsRule:
    """The rule for an instruction that moves `bits` a lane (8 to 128; `read2`: each of its two addresses).

    Measured groups where there are any; otherwise as many neighbouring lanes as fill the banks once.
    """
    architecture = target.name.removeprefix("hip:")
    banks = _banks(target, bits, kind)
    port = _port_bytes(architecture, bits, kind)
    measured = _MEASURED_GROUPS.get((architecture, bits)) if kind is LdsKind.READ else None
    if measured is not None:
        return LdsRule(banks, measured, ModelStatus.DOCUMENTED, _EMPIRICAL, port)
    groups = _neighbours(target.warp_size, banks * _BANK_BITS // max(_power_of_two(bits), _BANK_BITS))
    if architecture == _MI350 and kind is LdsKind.READ and bits <= _BANK_BITS:
        return LdsRule(banks, groups, ModelStatus.UNVALIDATED, _DISPUTED, port)
    known = architecture in _MEASURED and kind is not LdsKind.READ_TRANSPOSED
    status = ModelStatus.DOCUMENTED if known else ModelStatus.UNVALIDATED
    return LdsRule(banks, groups, status, _source(architecture, kind) if known else _FAMILY, port)


def port_cycles(target: Target, bits: int, kind: LdsKind = LdsKind.READ) -> int:
    """Cycles that an instruction without conflicts takes of its wave's port to the LDS, all lanes active.

    Addresses take four cycles of 16 lanes, and a store's data four more for each dword of a lane, since both
    share the way in (rocprof-compute, "pipeline descriptions", LDS: a store of 4 bytes takes 8 cycles;
    rocRoller, getInstructionIssueCycles). Wave32 targets: the same by their lanes.
    """
    lanes = target.warp_size
    addresses = -(-lanes // _ADDRESSES_A_CYCLE)
    dwords = -(-bits // _BANK_BITS)
    if kind is LdsKind.WRITE:
        return addresses * (1 + dwords)
    count = 2 if kind is LdsKind.READ2 else 1
    moved = lanes * dwords * _BANK_BITS // 8 * count
    return max(addresses, -(-moved // _port_bytes(target.name.removeprefix("hip:"), bits, kind)))


_ADDRESSES_A_CYCLE = 16
_PORT_BYTES = 64
_WIDE_PORT_BYTES = 128


def _port_bytes(architecture: str, bits: int, kind: LdsKind) -> int:
    """64 bytes a cycle a wave; MI350's reads of 64 and 128 bits: 128 (rocRoller, getThreadsPerClock)."""
    is_wide = architecture == _MI350 and kind is LdsKind.READ and bits in _WIDE_READS
    return _WIDE_PORT_BYTES if is_wide else _PORT_BYTES


def _banks(target: Target, bits: int, kind: LdsKind) -> int:
    if target.name != f"hip:{_MI350}":
        return target.shared_banks
    wide = kind is LdsKind.READ_TRANSPOSED or (kind is LdsKind.READ and bits in _WIDE_READS)
    return target.shared_banks if wide else _NARROW_BANKS


def _power_of_two(bits: int) -> int:
    """96 bits are served as 128 are."""
    return 1 << (bits - 1).bit_length()


def _neighbours(lanes: int, each: int) -> Groups:
    each = min(each, lanes)
    return tuple(tuple(range(start, start + each)) for start in range(0, lanes, each))


def _shifted(groups: Groups, by: int) -> Groups:
    return tuple(tuple(lane + by for lane in group) for group in groups)


def _quads(*firsts: int) -> tuple[int, ...]:
    """Groups of four neighbouring lanes, by their first lane."""
    return tuple(lane for first in firsts for lane in range(first, first + 4))


_MI350 = "gfx950"
_WIDE_READS = (64, 128)
_RDNA3_READ_128: Groups = (_quads(0, 20), _quads(4, 16), _quads(8, 28), _quads(12, 24))
_CDNA4_HALF: Groups = (_quads(0, 12, 20, 24), _quads(4, 8, 16, 28))
_CDNA3_READ_128: Groups = (*_RDNA3_READ_128, *_shifted(_RDNA3_READ_128, 32))

_MEASURED_GROUPS: dict[tuple[str, int], Groups] = {
    ("gfx90a", 128): _CDNA3_READ_128,
    ("gfx942", 128): _CDNA3_READ_128,
    ("gfx950", 128): (*_CDNA4_HALF, *_shifted(_CDNA4_HALF, 32)),
    ("gfx950", 96): _CDNA3_READ_128,
    ("gfx1100", 128): _RDNA3_READ_128,
}
_MEASURED = frozenset(("gfx942", "gfx950", "gfx1100", "gfx1201"))
_EMPIRICAL = "AMD Shark AI, docs/empirical-lds (measured on MI300X, MI350X, W7900, RX 9070 XT)"
_ROCROLLER = "AMD rocRoller, LDSBankModel.cpp (asserted on MI350 by its rocprofiler test)"
_DISPUTED = f"{_ROCROLLER}: 32 banks; against it {_EMPIRICAL}: one group of 64 lanes"
_FAMILY = "the family's rule: neighbouring lanes that fill the banks once"


def _source(architecture: str, kind: LdsKind) -> str:
    return _ROCROLLER if architecture == _MI350 and kind is LdsKind.WRITE else _EMPIRICAL
