"""From a time to rates: what the kernel moved, a second, against what the card can do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gluon_inspect.model.access import Access, Space
from gluon_inspect.model.report import Timing
from gluon_inspect.model.target import Target

_GIGA = 1e9


@dataclass(frozen=True, slots=True)
class Rates:
    """Bytes of one launch and their rates; None where the traffic is not known."""

    useful_bytes: int | None
    moved_bytes: int | None
    useful_gbps: float | None
    moved_gbps: float | None
    fraction_of_peak: float | None


def rates(accesses: Iterable[Access], time: Timing, peak_bytes_per_second: float | None, target: Target) -> Rates:
    """Useful bytes count each element once (reads and writes apart), moved ones whole sectors of every request."""
    touching = [access for access in accesses if access.space is Space.GLOBAL]
    useful = _total(access.bytes_unique for access in touching)
    sectors = _total(access.sectors for access in touching)
    moved = None if sectors is None else sectors * target.sector_bytes
    seconds = time.median * 1e-3
    gbps = None if useful is None else useful / seconds / _GIGA
    return Rates(
        useful_bytes=useful,
        moved_bytes=moved,
        useful_gbps=gbps,
        moved_gbps=None if moved is None else moved / seconds / _GIGA,
        fraction_of_peak=gbps * _GIGA / peak_bytes_per_second if gbps and peak_bytes_per_second else None,
    )


def _total(values: Iterable[int | None]) -> int | None:
    found = list(values)
    known = [value for value in found if value is not None]
    return sum(known) if found and len(known) == len(found) else None
