"""What is different from the baseline: the time first, then findings that are new or gone, then the rest."""

from collections.abc import Sequence

from gluon_inspect.model.change import EXPECTED_TIME, Change, Comparison, TimeChange
from gluon_inspect.model.finding import Cell, Column, Entry, Kind, Scalar, Table, Tone
from gluon_inspect.model.location import Location
from gluon_inspect.tables import ABSENT
from gluon_inspect.wording.numbers import duration, plural, ratio

_COLUMNS = (
    Column(""),
    Column("kernel"),
    Column("what", wraps=True),
    Column("before", "right", wraps=True),
    Column("after", "right", wraps=True),
)
_TIMES = (Column("kernel"), Column("before", "right"), Column("after", "right"), Column("", wraps=True))
_FINDINGS = (Column(""), Column("kernel"), Column("finding", wraps=True), Column("what it says", wraps=True))
_SAME = 1.01
"""A time that changes by less is told as the same."""
_WORDS = {
    True: Cell("better", tone=Tone.GOOD),
    False: Cell("worse", tone=Tone.POOR),
    None: Cell("changed", tone=Tone.QUIET),
}
_CAME = {True: Cell("gone", tone=Tone.GOOD), False: Cell("new", tone=Tone.POOR)}


def comparison_tables(comparison: Comparison | None) -> tuple[Table, ...]:
    """Times, findings, the rest, without those that are empty; one table without rows where nothing changed."""
    if comparison is None:
        return ()
    findings = [change for change in comparison.changes if change.rule]
    told = EXPECTED_TIME if comparison.times else ""
    rest = [change for change in comparison.changes if not change.rule and (not told or change.key != told)]
    title = f"against {comparison.baseline}"
    found = (
        _time_table(comparison.times, title),
        Table("findings", f"Findings {title}", _FINDINGS, tuple(map(_finding, findings)), _places(findings)),
        Table("changes", f"Changes {title}", _COLUMNS, tuple(map(_row, rest)), _places(rest)),
    )
    return tuple(table for table in found if table.rows) or (Table("changes", f"Nothing changed {title}", (), ()),)


def _places(changes: Sequence[Change]) -> tuple[Location | None, ...]:
    return tuple(change.location for change in changes)


def _time_table(times: Sequence[TimeChange], title: str) -> Table:
    """A row a launch whose time changes; how many stay as they are below it."""
    changed = [each for each in times if _changes(each)]
    same = sum(each.ratio is not None for each in times) - sum(each.ratio is not None for each in changed)
    note = f"{plural(same, 'kernel')} as before, within 1%" if same else ""
    return Table("times", f"Expected time {title}", _TIMES, tuple(map(_time, changed)), note=note)


def _changes(time: TimeChange) -> bool:
    if time.ratio is None:
        return (time.before is None) != (time.after is None)
    return not 1 / _SAME <= time.ratio <= _SAME


def _time(time: TimeChange) -> tuple[Entry, ...]:
    kernel = Cell(f"{time.kernel} {time.target}", Kind.NAME)
    return kernel, _seconds(time.before), _seconds(time.after), _verdict(time)


def _seconds(seconds: float | None) -> Entry:
    return ABSENT if seconds is None else duration(seconds)


def _verdict(time: TimeChange) -> Entry:
    if not time.ratio:
        return ABSENT
    slower = time.ratio > 1
    text = f"{ratio(max(time.ratio, 1 / time.ratio))}x {'slower' if slower else 'faster'}"
    match time.is_within_error:
        case None:
            return Cell(f"{text}, the model's error is not known", tone=Tone.UNSURE)
        case True:
            return Cell(f"{text}, within the model's error (± {time.band:.0%})", tone=Tone.QUIET)
        case False:
            return Cell(f"{text} (± {time.band:.0%})", tone=Tone.POOR if slower else Tone.GOOD)


def _finding(change: Change) -> tuple[Entry, ...]:
    kernel = Cell(f"{change.kernel} {change.target}", Kind.NAME)
    message = change.before if change.better else change.after
    return _CAME[bool(change.better)], kernel, change.subject + _line(change), message


def _row(change: Change) -> tuple[Entry, ...]:
    kernel = Cell(f"{change.kernel} {change.target}", Kind.NAME)
    return _WORDS[change.better], kernel, change.subject + _line(change), _side(change.before), _side(change.after)


def _line(change: Change) -> str:
    return f" (line {change.location.author.line})" if change.location else ""


def _side(value: Scalar) -> Entry:
    return ABSENT if value is None else value
