"""The kernels of a report as a list: which of them, in which order, in which words. Pure."""

from __future__ import annotations

from enum import StrEnum

from rich.text import Text

from gluon_inspect.model.artifact import Launch
from gluon_inspect.model.finding import Finding, Severity
from gluon_inspect.model.report import KernelReport, Report
from gluon_inspect.tui.marks import SYMBOLS
from gluon_inspect.tui.palette import level_colour
from gluon_inspect.wording.characters import visible
from gluon_inspect.wording.numbers import duration, percent
from gluon_inspect.wording.verdict import needed_share, verdict

_SEVERITIES = (Severity.ERROR, Severity.WARNING, Severity.NOTE)
_LEVELS = ("error", "warning", "unknown", "note", "clean")


class Order(StrEnum):
    """How the list is sorted."""

    RECORDED = "as recorded"
    SLOWEST = "slowest first"
    WORST = "worst first"


def listed(report: Report, words: str, order: Order) -> tuple[int, ...]:
    """Indices of the kernels in which every word is found, sorted; what is unknown comes last."""
    wanted = words.lower().split()
    texts = map(_words, report.kernels)
    found = [index for index, text in enumerate(texts) if all(word in text for word in wanted)]
    match order:
        case Order.RECORDED:
            return tuple(found)
        case Order.SLOWEST:
            return tuple(sorted(found, key=lambda index: -(seconds_of(report.kernels[index]) or 0.0)))
        case Order.WORST:
            return tuple(sorted(found, key=lambda index: _badness(report.kernels[index])))


def seconds_of(kernel: KernelReport) -> float | None:
    """Seconds of one launch: measured, else expected; None where neither is known."""
    time = kernel.measurement.time_ms if kernel.measurement is not None else None
    if time is not None:
        return time.median * 1e-3
    return kernel.cost.seconds if kernel.cost is not None else None


def worst_finding(kernel: KernelReport) -> Finding | None:
    """The first finding of the highest severity: the report has the weightiest first."""
    return min(kernel.findings, key=lambda finding: _SEVERITIES.index(finding.severity), default=None)


def entry(kernel: KernelReport, dark: bool) -> Text:
    """A kernel in three lines: name; launch; time and what is wrong most."""
    level = verdict(kernel).level
    colour = level_colour(level, dark)
    text = Text(no_wrap=True, overflow="ellipsis")
    text.append(f"{SYMBOLS.get(level, '?')} ", colour)
    text.append(visible(kernel.name, 60), "bold")
    text.append(f"\n  {_time(kernel)}{kernel.kernel.target} {grid_text(kernel.launch)}", "dim")
    text.append(f"\n  {_judgement(kernel)}", colour)
    return text


def _time(kernel: KernelReport) -> str:
    """ "~12.1 µs  " where expected, "12.1 µs  " where measured."""
    seconds = seconds_of(kernel)
    if seconds is None:
        return ""
    is_measured = kernel.measurement is not None and kernel.measurement.time_ms is not None
    return f"{'' if is_measured else '~'}{duration(seconds)}  "


def _judgement(kernel: KernelReport) -> str:
    """The worst finding and how many more, else the share of the global traffic that was needed."""
    if kernel.kernel.error:
        return "not compiled"
    finding = worst_finding(kernel)
    if finding is not None:
        more = len(kernel.findings) - 1
        return visible(finding.name, 60) + (f" +{more}" if more else "")
    share = needed_share(kernel.accesses)
    return f"{percent(share)} used" if share is not None else "nothing judged"


def _badness(kernel: KernelReport) -> tuple[int, int, float]:
    worst = worst_finding(kernel)
    same = sum(finding.severity is worst.severity for finding in kernel.findings) if worst is not None else 0
    return _LEVELS.index(verdict(kernel).level), -same, -(seconds_of(kernel) or 0.0)


def _words(kernel: KernelReport) -> str:
    rules = " ".join(f"{finding.rule} {finding.name}" for finding in kernel.findings)
    launch = grid_text(kernel.launch)
    return f"{kernel.name} {kernel.kernel.target} {launch} {verdict(kernel).level} {rules}".lower()


def grid_text(launch: Launch) -> str:
    """ "32x64", and how often where it is more than once."""
    if launch.grid is None:
        return ""
    sizes = list(launch.grid)
    while len(sizes) > 1 and sizes[-1] == 1:
        sizes.pop()
    times = f" ×{launch.count}" if launch.count > 1 else ""
    return "x".join(map(str, sizes)) + times
