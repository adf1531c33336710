"""Rankings as a page, as JSON, and as the configurations to paste."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from gluon_inspect.model.finding import Cell, Column, Kind, Table, Tone
from gluon_inspect.model.page import Code, Heading, Part, Prose
from gluon_inspect.model.report import Report
from gluon_inspect.targets.bands import BETWEEN_CONFIGURATIONS
from gluon_inspect.tune.ranking import Candidate, Configuration, Ranking, best_for_all, fewest
from gluon_inspect.wording.characters import shortened
from gluon_inspect.wording.numbers import duration, percent, plural
from gluon_inspect.wording.times import time_with_band

_OPTIONS = {"num_warps": "", "num_stages": "", "num_ctas": "1", "maxnreg": "None"}
"""Of triton.Config beside the constants, with the value that need not be written."""
_MOST_ROWS, _MOST_REFUSED = 20, 8
_VALUE_CHARACTERS = 44
_LAYOUT = re.compile(r"\b(?=[A-Z]\w*Layout\()")
_COLUMNS = (
    Column("expected", "right"),
    Column("× first", "right"),
    Column("limited by", wraps=True),
    Column("registers", "right", priority=1),
    Column("spilled", "right", priority=2),
    Column("shared memory", "right", priority=1),
    Column("CTAs an SM", "right", priority=1),
    Column("same binary", "right", priority=3),
)
_MEASURED = (Column("measured", "right"), Column("spread", "right"))


def page(found: Sequence[Ranking]) -> Iterator[Part]:
    """Every kernel and target: its launches ranked, what serves all, and what to paste."""
    for (kernel, target), group in groupby(found, key=lambda each: (each.kernel, each.target)):
        own = list(group)
        varying = _varying(own)
        yield Heading(f"{kernel} for {target}")
        if fixed := _fixed(own, varying):
            yield Prose(f"In all of them: {fixed}.")
        for ranking in own:
            yield from _of_launch(ranking, varying)
        yield from _refused(own[0], varying)
        if any(ranking.candidates for ranking in own):
            yield Prose(" ".join(_serving(own, varying)))
            yield Code(tuple(pasted(fewest(own))))


def _of_launch(ranking: Ranking, varying: Sequence[str]) -> Iterator[Part]:
    if not ranking.candidates:
        return
    is_measured = any(each.report.measurement for each in ranking.candidates)
    chosen = tuple(Column(name, "right") for name in varying)
    columns = (Column("", "right"), *chosen, *_COLUMNS, *(_MEASURED if is_measured else ()))
    first = ranking.candidates[0].seconds
    shown = ranking.candidates[:_MOST_ROWS]
    rows = tuple(
        (at, *_row(each, first, varying, near=ranking.holds(each)), *(_measured(each) if is_measured else ()))
        for at, each in enumerate(shown, 1)
    )
    count, near = len(ranking.candidates), len(ranking.near)
    within = f"{near} of {count} within the model's error ({BETWEEN_CONFIGURATIONS:.0%}) of the first"
    note = f"{count - len(shown)} more in JSON" if count > len(shown) else ""
    yield Table("configurations", f"{ranking.problem or 'one launch'}: {within}", columns, rows, note=note)


def _row(each: Candidate, first: float, varying: Sequence[str], *, near: bool) -> tuple[Any, ...]:
    report, cost = each.report, each.report.cost
    held = report.occupancy
    return (
        *(_value(each.configuration.get(name)) for name in varying),
        time_with_band(cost) if cost else None,
        Cell(each.seconds / first, Kind.RATIO, tone=Tone.GOOD if near else Tone.NONE),
        cost.limiting.value if cost else None,
        Cell(report.registers.per_thread, Kind.COUNT),
        Cell(report.registers.spill_bytes, Kind.BYTES),
        Cell(report.shared_bytes, Kind.BYTES),
        Cell(held.ctas_per_sm if held else None, Kind.COUNT),
        Cell(len(each.also), Kind.COUNT) if each.also else Cell(kind=Kind.ABSENT),
    )


def _value(text: str | None) -> Cell:
    return Cell(kind=Kind.ABSENT) if text is None else Cell(_brief(text), Kind.NAME)


def _brief(text: str) -> str:
    """A layout without the spaces between its numbers."""
    return shortened(text.replace(", ", ","), _VALUE_CHARACTERS)


def _measured(each: Candidate) -> tuple[Any, ...]:
    found = each.report.measurement
    if found is None or found.time_ms is None:
        return Cell(kind=Kind.ABSENT), Cell(kind=Kind.ABSENT)
    time = found.time_ms
    return duration(time.median * 1e-3), percent((time.p80 - time.p20) / time.median)


def _refused(ranking: Ranking, varying: Sequence[str]) -> Iterator[Part]:
    if not ranking.refused:
        return
    shown = ranking.refused[:_MOST_REFUSED]
    rows = tuple((Cell(_short(each.configuration, varying), Kind.NAME), each.refusal) for each in shown)
    left = len(ranking.refused) - len(shown)
    title = f"Not ranked: {plural(len(ranking.refused), 'configuration')}"
    note = f"{left} more in JSON" if left else ""
    yield Table("refused", title, (Column("configuration"), Column("why", wraps=True)), rows, note=note)


def _serving(own: Sequence[Ranking], varying: Sequence[str]) -> Iterator[str]:
    """Whether one configuration serves all launches."""
    launched = [ranking for ranking in own if ranking.candidates]
    chosen, best = fewest(launched), best_for_all(launched)
    if len(launched) > 1 and len(chosen) == 1:
        yield f"One configuration serves all {len(launched)} launches: {_short(chosen[0], varying)}."
    elif len(launched) > 1 and best is not None:
        worst = max(range(len(launched)), key=lambda at: best[1][at])
        lost = f"{best[1][worst]:.2f} times the first's time at {launched[worst].problem}"
        yield f"No configuration serves all {len(launched)} launches: {_short(best[0], varying)} takes {lost}."
    if len(launched) == 1:
        yield "To paste:"
    else:
        yield f"To paste, with one for each launch within the model's error of its first ({len(chosen)} in all):"


def _varying(own: Sequence[Ranking]) -> list[str]:
    """Names whose values are not the same in all configurations, in their order."""
    every = [each.configuration for ranking in own for each in (*ranking.candidates, *ranking.refused)]
    names = dict.fromkeys(name for each in every for name in each)
    return [name for name in names if len({each.get(name) for each in every}) > 1] or list(names)


def _fixed(own: Sequence[Ranking], varying: Sequence[str]) -> str:
    first = next((each for ranking in own for each in (*ranking.candidates, *ranking.refused)), None)
    if first is None:
        return ""
    pairs = ((name, value) for name, value in first.configuration.items() if name not in varying)
    return ", ".join(f"{name}={value}" for name, value in pairs if value != _OPTIONS.get(name))


def _short(configuration: Configuration, names: Sequence[str]) -> str:
    return " ".join(f"{name}={_brief(configuration[name])}" for name in names if name in configuration)


def pasted(chosen: Sequence[Configuration]) -> Iterator[str]:
    """The argument of `triton.autotune` that has these configurations."""
    yield "configs=["
    yield from (f"    triton.Config({_as_python(each)})," for each in chosen)
    yield "],"


def _as_python(configuration: Configuration) -> str:
    written = {name: _LAYOUT.sub("gl.", value) for name, value in configuration.items()}
    constants = ", ".join(f'"{name}": {value}' for name, value in written.items() if name not in _OPTIONS)
    options = [
        f"{name}={value}" for name, value in configuration.items() if name in _OPTIONS and value != _OPTIONS[name]
    ]
    return ", ".join((f"{{{constants}}}", *options))


def as_json(found: Sequence[Ranking], report: Report) -> str:
    """Every ranking with all of its candidates; times in seconds."""
    document = {
        "origin": report.origin,
        "notes": list(report.notes),
        "error_between_configurations": BETWEEN_CONFIGURATIONS,
        "rankings": [_ranking_as_json(each) for each in found],
        "fewest": [
            {"kernel": kernel, "target": target, "configurations": [dict(each) for each in fewest(list(group))]}
            for (kernel, target), group in groupby(found, key=lambda each: (each.kernel, each.target))
        ],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _ranking_as_json(ranking: Ranking) -> Mapping[str, Any]:
    return {
        "kernel": ranking.kernel,
        "target": ranking.target,
        "problem": ranking.problem,
        "candidates": [
            {**_candidate_as_json(each), "may_be_best": ranking.holds(each)} for each in ranking.candidates
        ],
        "refused": [{"configuration": dict(each.configuration), "why": each.refusal} for each in ranking.refused],
    }


def _candidate_as_json(each: Candidate) -> Mapping[str, Any]:
    report, cost, measured = each.report, each.report.cost, each.report.measurement
    time = measured.time_ms if measured else None
    return {
        "configuration": dict(each.configuration),
        "same_binary": [dict(other) for other in each.also],
        "expected": each.seconds,
        "band": cost.band if cost else None,
        "limiting": cost.limiting.value if cost else None,
        "is_whole": bool(cost and cost.is_whole),
        "grid": list(report.launch.grid or ()),
        "registers": report.registers.per_thread,
        "spill_bytes": report.registers.spill_bytes,
        "shared_bytes": report.shared_bytes,
        "ctas_per_sm": report.occupancy.ctas_per_sm if report.occupancy else None,
        "measured": time and {"median": time.median * 1e-3, "p20": time.p20 * 1e-3, "p80": time.p80 * 1e-3},
    }
