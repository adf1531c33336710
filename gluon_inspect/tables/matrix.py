"""Kernel by target, where there are several: does it compile, how long is it expected to take, what is worst."""

from collections.abc import Iterable, Sequence

from gluon_inspect.model.finding import Cell, Column, Entry, Kind, Table, Tone
from gluon_inspect.model.report import KernelReport, Report
from gluon_inspect.tables import ABSENT
from gluon_inspect.verdict.problems import Problem, problems
from gluon_inspect.wording.compile_errors import in_six_words
from gluon_inspect.wording.numbers import duration, percent
from gluon_inspect.wording.verdict import verdict

Place = tuple[str, str]
"""A target and the version of Triton that compiled for it."""
_TONES = {"error": Tone.POOR, "warning": Tone.FAIR, "note": Tone.QUIET, "unknown": Tone.UNSURE, "clean": Tone.GOOD}


def target_tables(report: Report) -> tuple[Table, ...]:
    """The matrix; none of one target and one version."""
    places = tuple(dict.fromkeys(map(_place, report.kernels)))
    if len(places) < 2:
        return ()
    names = dict.fromkeys(kernel.name for kernel in report.kernels)
    found = problems(report)
    rows = tuple(_row(name, places, report.kernels, found) for name in names)
    columns = (Column("kernel"), *(Column(_title(place, places), wraps=True) for place in places))
    return (
        Table("targets", "Kernels by target: expected time of all launches, and the worst finding", columns, rows),
    )


def _place(kernel: KernelReport) -> Place:
    return kernel.kernel.target, kernel.kernel.triton_version


def _title(place: Place, places: Sequence[Place]) -> str:
    """The version of Triton only where there are several."""
    target, version = place
    several = len({version for _, version in places}) > 1
    return f"{target}, Triton {version or 'unknown'}" if several else target


def _row(
    name: str, places: Sequence[Place], kernels: Iterable[KernelReport], found: Sequence[Problem]
) -> tuple[Entry, ...]:
    own = [kernel for kernel in kernels if kernel.name == name]
    cells = (_cell([kernel for kernel in own if _place(kernel) == place], found) for place in places)
    return (Cell(name, Kind.NAME), *cells)


def _cell(kernels: Sequence[KernelReport], found: Sequence[Problem]) -> Entry:
    """What a kernel is for one target, over its launches; of configurations a tuner tried the one it chose."""
    if not kernels:
        return ABSENT
    works = [kernel for kernel in kernels if not (kernel.kernel.error or kernel.unread)]
    if not works:
        first = kernels[0]
        what = "does not compile" if first.kernel.error else "not read"
        return Cell(f"{what}: {in_six_words(first.kernel.error or first.unread)}", tone=Tone.POOR)
    made = [kernel for kernel in works if not kernel.launch.trial] or works
    level, worst = _worst(made, found)
    failed = len(kernels) - len(works)
    some = f", {failed} of {len(kernels)} not compiled" if failed else ""
    return Cell(f"{_time(made)}, {worst}{some}", tone=_TONES[level])


def _time(kernels: Sequence[KernelReport]) -> str:
    costs = [(kernel.cost.seconds, kernel.launch.count) for kernel in kernels if kernel.cost is not None]
    return (
        duration(sum(seconds * count for seconds, count in costs))
        if len(costs) == len(kernels)
        else "time unknown"
    )


def _worst(kernels: Sequence[KernelReport], found: Sequence[Problem]) -> tuple[str, str]:
    """The level and the first problem that some of these launches have; else what is known of them."""
    for problem in (each for each in found if each.is_shown):
        own = [each for each in problem.occurrences if any(each.kernel is kernel for kernel in kernels)]
        if own:
            finding = own[0].finding
            share = "" if finding.cost is None else f" {percent(finding.cost)}"
            return finding.severity.value, f"{finding.rule}{share}"
    unknown = any(verdict(kernel).level == "unknown" for kernel in kernels)
    return ("unknown", "not wholly known") if unknown else ("clean", "clean")
