"""The kernels of a report as a list: which of them, in which order, in which words. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from rich.text import Text

from gluon_inspect.listings.marks import SYMBOLS
from gluon_inspect.model.artifact import Launch
from gluon_inspect.model.finding import Finding, Severity
from gluon_inspect.model.location import Location
from gluon_inspect.model.report import KernelReport, Report
from gluon_inspect.tui.palette import level_colour
from gluon_inspect.verdict.problems import joint_loss
from gluon_inspect.wording.characters import visible
from gluon_inspect.wording.numbers import duration, percent
from gluon_inspect.wording.verdict import needed_share, verdict

_SEVERITIES = (Severity.ERROR, Severity.WARNING, Severity.NOTE)
_LEVELS = ("error", "warning", "unknown", "note", "clean")
_SPARK_CELLS, _FEWEST_LINES, _LEAST = 10, 2, 0.005
_BARS = "▁▂▃▄▅▆▇█"


class Order(StrEnum):
    """How the list is sorted."""

    WORST = "by loss"
    SLOWEST = "slowest first"
    RECORDED = "as recorded"


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
    """The first finding of the highest severity that loses most: the report has the weightiest first."""
    return min(
        kernel.findings,
        key=lambda each: (_SEVERITIES.index(each.severity), -(each.lost_seconds or 0.0)),
        default=None,
    )


def lost_seconds(kernel: KernelReport) -> float | None:
    """What a kernel's findings lose over all launches of its entry; None where nothing is predicted."""
    losses = [each.lost_seconds for each in kernel.findings if each.lost_seconds is not None]
    return joint_loss(losses, kernel) * kernel.launch.count if losses else None


def worst_index(report: Report) -> int:
    """The kernel that is worst of all: what the screen opens on."""
    return next(iter(listed(report, "", Order.WORST)), 0)


def worst_place(kernel: KernelReport) -> Location | None:
    """The place of the worst finding that has one; without findings, the line where most of the time goes."""
    finding = worst_finding(kernel)
    if finding is not None and finding.location is not None:
        return finding.location
    lines = kernel.cost.standing_by_line() if kernel.cost is not None else ()
    return next((each.location for each in lines if each.location is not None), None)


def entry(kernel: KernelReport, dark: bool, differs: str = "") -> Text:
    """A kernel in three lines: name and launch; time, limit and where it goes; what is wrong, what differs."""
    level = verdict(kernel).level
    colour = level_colour(level, dark)
    text = Text(no_wrap=True, overflow="ellipsis")
    text.append(f"{SYMBOLS.get(level, '?')} ", colour)
    text.append(visible(kernel.name, 60), "bold")
    text.append(f" {grid_text(kernel.launch)}", "dim")
    text.append(f"\n  {_time(kernel)}{_limit(kernel)}", "dim")
    text.append(f"\n  {_judgement(kernel)}", colour)
    if differs:
        text.append(f" {differs}", "dim")
    return text


def _limit(kernel: KernelReport) -> str:
    """ "▁▂█▁ DRAM": the time by source line, first to last, and what limits it; else the target."""
    if kernel.cost is None:
        return kernel.kernel.target
    return f"{spark(kernel)}{kernel.cost.limiting.value}"


def spark(kernel: KernelReport) -> str:
    """Shares of the expected time from the kernel's first line to its last; empty where they are not known."""
    lines = kernel.cost.standing_by_line() if kernel.cost is not None else ()
    own = [(each.location.line, each.share) for each in lines if each.location is not None]
    if len(own) < _FEWEST_LINES:
        return ""
    first, last = min(line for line, _ in own), max(line for line, _ in own)
    cells = [0.0] * min(_SPARK_CELLS, last - first + 1)
    for line, share in own:
        cells[(line - first) * len(cells) // (last - first + 1)] += share
    return "".join(_spark_cell(each) for each in cells) + " "


def _spark_cell(share: float) -> str:
    return _BARS[min(int(share * len(_BARS)), len(_BARS) - 1)] if share > _LEAST else " "


def told_apart(kernels: Sequence[KernelReport]) -> tuple[str, ...]:
    """What each kernel's launch has that others of its name and grid have not; empty where it stands alone."""
    groups: dict[tuple[str, str], list[int]] = {}
    for index, kernel in enumerate(kernels):
        groups.setdefault((kernel.name, grid_text(kernel.launch)), []).append(index)
    found = [""] * len(kernels)
    for group in groups.values():
        for index, text in zip(group, _differences([kernels[index] for index in group]), strict=True):
            found[index] = text
    return tuple(found)


def _differences(kernels: Sequence[KernelReport]) -> list[str]:
    """Arguments, constants and targets that are not the same in all."""
    if len(kernels) == 1:
        return [""]
    told = [_told(kernel) for kernel in kernels]
    names = [name for name in told[0] if len({each.get(name) for each in told}) > 1]
    return [visible(" ".join(f"{name}={each.get(name, '-')}" for name in names), 80) for each in told]


def _told(kernel: KernelReport) -> dict[str, str]:
    arguments = {name: _argument(value) for name, value in kernel.launch.arguments.items()}
    warps = {} if kernel.num_warps is None else {"warps": str(kernel.num_warps)}
    return {"target": kernel.kernel.target} | arguments | dict(kernel.kernel.constexprs) | warps


def _argument(value: object) -> str:
    shape = getattr(value, "shape", None)
    return "x".join(map(str, shape)) if shape is not None else str(value)


def _time(kernel: KernelReport) -> str:
    """ "~12.1 µs  " where expected, "12.1 µs  " where measured."""
    seconds = seconds_of(kernel)
    if seconds is None:
        return ""
    is_measured = kernel.measurement is not None and kernel.measurement.time_ms is not None
    return f"{'' if is_measured else '~'}{duration(seconds)}  "


def _judgement(kernel: KernelReport) -> str:
    """What is lost and by which finding most, else the share of the global traffic that was needed."""
    if kernel.kernel.error:
        return "not compiled"
    finding, lost = worst_finding(kernel), lost_seconds(kernel)
    if finding is not None:
        more = len(kernel.findings) - 1
        loss = f"-{duration(lost)} " if lost else ""
        return loss + visible(finding.name, 60) + (f" +{more}" if more else "")
    share = needed_share(kernel.accesses)
    return f"{percent(share)} used" if share is not None else "nothing judged"


def _badness(kernel: KernelReport) -> tuple[int, float, int, float]:
    """What does not compile first, then what loses most; severities stand where no loss is predicted."""
    broken = bool(kernel.kernel.error or kernel.unread)
    level = _LEVELS.index(verdict(kernel).level)
    return int(not broken), -(lost_seconds(kernel) or 0.0), level, -(seconds_of(kernel) or 0.0)


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
