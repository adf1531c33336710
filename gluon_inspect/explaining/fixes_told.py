"""What fixes changed, as a table of launches before and after, and what was left and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gluon_inspect.explaining.fixes import Fixed, Pair
from gluon_inspect.explaining.launches import differences
from gluon_inspect.model.finding import Cell, Column, Entry, Kind, Table, Tone
from gluon_inspect.model.page import Part, Prose
from gluon_inspect.model.report import KernelReport
from gluon_inspect.wording.numbers import duration, plural
from gluon_inspect.wording.times import time_with_band

_SAME = 1.02
"""Ratio of expected times below which nothing is said to have changed."""
_LAUNCHED = Column("launched with", priority=1, wraps=True)
_COLUMNS = (
    Column("expected before", "right"),
    Column("after", "right"),
    Column("× faster", "right"),
    Column("findings before", "right", priority=2),
    Column("after", "right", priority=2),
)


def page(fixed: Fixed) -> Iterator[Part]:
    """The table, then a sentence for each proposal that was not made true."""
    shown = [pair for pair in fixed.pairs if _differs(pair)]
    if fixed.fixes and shown:
        names = differences([pair.before for pair in fixed.pairs])
        launched = [name for name, pair in zip(names, fixed.pairs, strict=True) if _differs(pair)]
        rest = len(fixed.pairs) - len(shown)
        note = f"{plural(rest, 'launch')} more as before" if rest else ""
        several = any(launched)
        columns = (Column("kernel"), *((_LAUNCHED,) if several else ()), *_COLUMNS)
        rows = tuple(
            (pair.before.name, *((name,) if several else ()), *_row(pair))
            for pair, name in zip(shown, launched, strict=True)
        )
        yield Table("fixed", "before and after", columns, rows, note=note)
    for left in dict.fromkeys((each.kernel.name, each.proposal.title, each.why) for each in fixed.left):
        name, title, why = left
        yield Prose(f"{name}, not changed: {title}: {why}.")


def _differs(pair: Pair) -> bool:
    before, after = _seconds(pair.before), _seconds(pair.after)
    if before is None or after is None:
        return pair.before is not pair.after
    fewer = pair.after is not None and len(pair.after.findings) != len(pair.before.findings)
    return fewer or not 1 / _SAME < before / after < _SAME


def _row(pair: Pair) -> tuple[Entry, ...]:
    before, after = _seconds(pair.before), _seconds(pair.after)
    ratio = before / after if before and after else None
    tone = (
        Tone.NONE
        if ratio is None
        else Tone.GOOD
        if ratio > _SAME
        else Tone.POOR
        if ratio < 1 / _SAME
        else Tone.NONE
    )
    return (
        _time(pair.before),
        _time(pair.after),
        Cell(ratio, Kind.RATIO, tone=tone),
        len(pair.before.findings),
        len(pair.after.findings) if pair.after is not None else None,
    )


def _time(kernel: KernelReport | None) -> str | None:
    return time_with_band(kernel.cost) if kernel is not None and kernel.cost is not None else None


def _seconds(kernel: KernelReport | None) -> float | None:
    return kernel.cost.seconds if kernel is not None and kernel.cost is not None else None


def headline(fixed: Fixed, files: Sequence[str]) -> str:
    """What was done, in a line."""
    if not fixed.fixes:
        return "nothing to change" if not fixed.left else "nothing was changed"
    what = f"{plural(len(fixed.fixes), 'proposal')} in {', '.join(files)}"
    if not fixed.is_checked:
        return f"{what}: predicted, not compiled"
    before = sum((_seconds(pair.before) or 0) * pair.before.launch.count for pair in fixed.pairs)
    after = sum((_seconds(pair.after) or 0) * pair.before.launch.count for pair in fixed.pairs)
    return f"{what}, compiled and inspected: all launches take {duration(before)} before, {duration(after)} after"
