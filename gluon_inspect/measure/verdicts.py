"""Every predicted number beside its measured partner, with a verdict. Disagreement is shown, never hidden."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from gluon_inspect.measure.names import ROCPROF
from gluon_inspect.model.access import Access, Direction, Space
from gluon_inspect.model.finding import Cell, Column, Entry, Scalar, Table
from gluon_inspect.model.location import Location
from gluon_inspect.model.measured import ProfiledLaunch
from gluon_inspect.model.report import KernelReport

_LOADS = (Direction.LOAD, Direction.COPY)
_GLOBAL = ("LDG", "STG", "LDGSTS", "LD", "ST")
_SHARED = ("LDS", "STS", "LDSM", "STSM", "LDGSTS", "HGMMA", "IGMMA", "QGMMA", "BGMMA")
EQUAL, UNPREDICTED, UNMEASURED = "equal", "not predicted", "not measured"


@dataclass(frozen=True, slots=True)
class Pair:
    """One quantity; `location` None: of the whole launch."""

    what: str
    predicted: float | None
    measured: float | None
    location: Location | None = None

    @property
    def verdict(self) -> str:
        """Equal, by how much not, or which of the two is missing."""
        if self.predicted is None:
            return UNPREDICTED
        if self.measured is None:
            return UNMEASURED
        if round(self.predicted) == round(self.measured):
            return EQUAL
        if not self.measured:
            return "predicted, not seen"
        return f"{self.predicted / self.measured - 1:+.2%}"


def launch_pairs(kernel: KernelReport, profiled: ProfiledLaunch) -> Iterator[Pair]:
    """The totals of a launch: what lanes load and store, registers, and what limits the CTAs of an SM.

    AMD: each counter beside what was predicted of that counter, and of no other.
    """
    if kernel.kernel.target.startswith("hip:"):
        yield from _amd_pairs(kernel, profiled)
        return
    counted = profiled.counters
    plain = [access for access in kernel.accesses if _is_counted(access)]
    loads = [a for a in plain if a.space is Space.GLOBAL and a.direction in _LOADS]
    stores = [a for a in plain if a.space is Space.GLOBAL and a.direction is Direction.STORE]
    shared = [a for a in kernel.accesses if a.space is Space.SHARED]
    limits: Mapping[str, int] = kernel.occupancy.limits if kernel.occupancy else {}
    traffic: dict[str, float | None] = {
        "global_load_requests": _sum(a.requests for a in loads),
        "global_load_sectors": _sum(a.sectors for a in loads),
        "global_store_requests": _sum(a.requests for a in stores),
        "global_store_sectors": _sum(a.sectors for a in stores),
        "shared_wavefronts": _sum(a.wavefronts for a in shared),
        "shared_wavefronts_ideal": _sum(a.wavefronts_ideal for a in shared),
    }
    if not kernel.has_ir:
        traffic = dict.fromkeys(traffic)
    predicted: dict[str, float | None] = {
        **traffic,
        "registers_per_thread": kernel.registers.per_thread,
        **{f"ctas_limit_{name}": limit for name, limit in limits.items()},
    }
    for name, value in predicted.items():
        if name in counted or value:
            yield Pair(name.replace("_", " "), value, counted.get(name))


def _amd_pairs(kernel: KernelReport, profiled: ProfiledLaunch) -> Iterator[Pair]:
    rows = (row for table in kernel.tables if table.key == "predicted_counters" for row in table.rows)
    predicted = {ROCPROF.get(str(row[0]), str(row[0])): _as_number(row[2]) for row in rows}
    predicted["spill_bytes"] = (
        None if kernel.registers.spill_bytes is None else float(kernel.registers.spill_bytes)
    )
    for name in dict.fromkeys((*predicted, *profiled.counters)):
        value, counted = predicted.get(name), profiled.counters.get(name)
        if counted is not None or value:
            yield Pair(name.replace("_", " "), value, counted)


def _as_number(entry: Entry) -> float | None:
    value = entry.value if isinstance(entry, Cell) else entry
    return float(value) if isinstance(value, int | float) else None


def line_pairs(
    kernel: KernelReport, profiled: ProfiledLaunch, places: Mapping[int, Location | None]
) -> Iterator[Pair]:
    """The same by the author's lines; `places` gives the line of each instruction, by its offset in bytes."""
    measured: dict[tuple[str, int, str], float] = {}
    for each in profiled.instructions:
        place = places.get(each.offset)
        if place is None:
            continue
        for what in _quantities(each.text):
            key = (place.file, place.line, what)
            measured[key] = measured.get(key, 0.0) + each.counts.get(_COUNTED[what], 0.0)
    predicted, locations = _predicted_by_line(kernel.accesses)
    for key in sorted({*measured, *predicted}):
        file, line, what = key
        yield Pair(what, predicted.get(key), measured.get(key, 0.0), locations.get(key, Location(file, line)))


_COUNTED = {
    "global sectors": "sectors",
    "global lines": "lines",
    "shared wavefronts": "wavefronts",
    "shared wavefronts ideal": "wavefronts_ideal",
}


def _quantities(text: str) -> tuple[str, ...]:
    words = [word for word in text.split() if not word.startswith("@")]
    root = words[0].partition(".")[0] if words else ""
    found: tuple[str, ...] = ()
    if root in _GLOBAL:
        found += ("global sectors", "global lines")
    if root in _SHARED:
        found += ("shared wavefronts", "shared wavefronts ideal")
    return found


def _predicted_by_line(
    accesses: Iterable[Access],
) -> tuple[dict[tuple[str, int, str], float | None], dict[tuple[str, int, str], Location]]:
    values: dict[tuple[str, int, str], float | None] = {}
    locations: dict[tuple[str, int, str], Location] = {}
    for access in accesses:
        if access.location is None or not (_is_counted(access) or access.space is Space.SHARED):
            continue
        for what, value in _numbers(access):
            key = (access.location.file, access.location.line, what)
            before = values.get(key, 0.0)
            values[key] = None if before is None or value is None else before + value
            locations[key] = access.location
    return values, locations


def _numbers(access: Access) -> tuple[tuple[str, int | None], ...]:
    if access.space is Space.GLOBAL:
        return ("global sectors", access.sectors), ("global lines", access.lines)
    return ("shared wavefronts", access.wavefronts), ("shared wavefronts ideal", access.wavefronts_ideal)


def _is_counted(access: Access) -> bool:
    """Whether the profiler's load and store counters hold the access: no atomics, no descriptors."""
    return (
        access.space is Space.GLOBAL and access.direction is not Direction.ATOMIC and access.transactions is None
    )


def _sum(values: Iterable[int | None]) -> int | None:
    found = list(values)
    known = [value for value in found if value is not None]
    return sum(known) if len(known) == len(found) else None


def comparison_table(key: str, title: str, pairs: Iterable[Pair]) -> Table:
    """Predicted beside measured, one row a quantity."""
    found = list(pairs)
    columns = (
        Column("line", "right"),
        Column("quantity"),
        Column("predicted", "right"),
        Column("measured", "right"),
        Column("verdict"),
    )
    rows = tuple(
        (_line(pair), pair.what, _shown(pair.predicted), _shown(pair.measured), pair.verdict) for pair in found
    )
    both = [pair for pair in found if pair.predicted is not None and pair.measured is not None]
    equal = sum(pair.verdict == EQUAL for pair in both)
    return Table(key, title, columns, rows, tuple(p.location for p in found), f"{equal} of {len(both)} equal")


def instruction_table(profiled: ProfiledLaunch, places: Mapping[int, Location | None]) -> Table:
    """What each memory instruction did, as measured."""
    columns = (
        Column("offset", "right", "B"),
        Column("instruction"),
        Column("executed", "right"),
        Column("lines", "right"),
        Column("sectors", "right"),
        Column("ideal", "right"),
        Column("wavefronts", "right"),
        Column("ideal wavefronts", "right"),
    )
    names = ("executed", "lines", "sectors", "sectors_ideal", "wavefronts", "wavefronts_ideal")
    memory = [each for each in profiled.instructions if _quantities(each.text)]
    rows = tuple(
        (each.offset, each.text, *(_shown(each.counts.get(name, 0.0)) for name in names)) for each in memory
    )
    return Table(
        "measured_instructions",
        "Memory instructions as measured",
        columns,
        rows,
        tuple(places.get(each.offset) for each in memory),
    )


def _line(pair: Pair) -> Scalar:
    return pair.location.line if pair.location else "all"


def _shown(value: float | None) -> Scalar:
    if value is None:
        return None
    return int(value) if value == int(value) else round(value, 3)
