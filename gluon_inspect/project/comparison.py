"""A report against a baseline: what changed, by weight, and which findings got worse."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

from gluon_inspect.model.change import Change, Comparison, TimeChange
from gluon_inspect.model.location import Location
from gluon_inspect.model.report import Report
from gluon_inspect.project.documents import matched
from gluon_inspect.project.quantities import Number, Quantity, quantities
from gluon_inspect.report.json import document

Json = dict[str, Any]
_NOTICEABLE = 0.01
"""Changes below one part in a hundred say nothing."""
_APPEARED = 1e9


def compared(report: Report, baseline: Json, name: str) -> Report:
    """The report with its comparison against a JSON report called `name`."""
    return replace(report, comparison=comparison(baseline, document(report), name))


def comparison(baseline: Json, head: Json, name: str) -> Comparison:
    """Two JSON reports: changes, what got worse first, then by weight."""
    ours = cast("list[Json]", head["kernels"])
    places = {id(kernel): index for index, kernel in enumerate(ours)}
    changes: list[Change] = []
    times: list[TimeChange] = []
    worse: set[tuple[int, str]] = set()
    for before, after in matched(cast("list[Json]", baseline["kernels"]), ours):
        changes.extend(_changes(before, after))
        times.append(_time_change(before, after))
        if after is not None:
            worse.update((places[id(after)], finding) for finding in _worse(before, after))
    ordered = sorted(changes, key=lambda change: (_RANK[change.better], -change.weight))
    slowest = sorted(times, key=lambda time: -(time.ratio or 0.0))
    return Comparison(name, tuple(ordered), frozenset(worse), tuple(slowest))


_RANK = {False: 0, None: 1, True: 2}


def _changes(before: Json | None, after: Json | None) -> Iterator[Change]:
    kernel = after if after is not None else before
    assert kernel is not None
    if before is None or after is None:
        there, here = ("absent", "present") if before is None else ("present", "absent")
        yield Change(kernel["name"], kernel["target"], "the kernel", there, here, None, _APPEARED)
        return
    if _count(before) != _count(after):
        more = _count(after) > _count(before) and bool(after["findings"])
        subject = "launches with these arguments"
        yield Change(
            after["name"],
            after["target"],
            subject,
            _count(before),
            _count(after),
            False if more else None,
            _APPEARED,
        )
    yield from _finding_changes(before, after)
    yield from _quantity_changes(before, after)
    yield from _pass_changes(before, after)


def _time_change(before: Json | None, after: Json | None) -> TimeChange:
    kernel = after if after is not None else before
    assert kernel is not None
    sides = [cast("Json", (side or {}).get("expected") or {}) for side in (before, after)]
    bands = [side["band"] for side in sides if side and side["band"] is not None]
    band = max(bands) if len(bands) == len(sides) else None
    was, now = (side.get("seconds") for side in sides)
    return TimeChange(kernel["name"], kernel["target"], was, now, band)


def _count(kernel: Json) -> int:
    """How often the launch was made."""
    return cast("int", kernel["launch"].get("count") or 1)


def _finding_changes(before: Json, after: Json) -> Iterator[Change]:
    old, new = _identified(before), _identified(after)
    for identity in [*new, *(identity for identity in old if identity not in new)]:
        if (identity in old) == (identity in new):
            continue
        better = identity in old
        finding = old[identity] if better else new[identity]
        texts = (finding["message"], None) if better else (None, finding["message"])
        subject = f"{finding['rule']} {finding['name']}"
        place, rule = _place(finding), finding["rule"]
        yield Change(after["name"], after["target"], subject, *texts, better, _APPEARED, place, rule=rule)


def _quantity_changes(before: Json, after: Json) -> Iterator[Change]:
    old = {quantity.key: quantity for quantity in quantities(before)}
    new = {quantity.key: quantity for quantity in quantities(after)}
    for key in [*new, *(key for key in old if key not in new)]:
        quantity = new.get(key) or old[key]
        was, now = (side[key].value if key in side else None for side in (old, new))
        if was == now or not _noticeable(was, now):
            continue
        file = cast("Json", after.get("source") or {}).get("file") or ""
        place = Location(file, quantity.line) if quantity.line and file else None
        better = _better(quantity, was, now)
        yield Change(
            after["name"], after["target"], quantity.title, was, now, better, _weight(was, now), place, key
        )


def _pass_changes(before: Json, after: Json) -> Iterator[Change]:
    """Passes that changed the IR on one side alone, by name; a pass that ran twice counts twice."""
    old, new = _changing_passes(before), _changing_passes(after)
    if old is None or new is None or old == new:
        return
    only_old, only_new = (
        ", ".join((one - other).elements()) or "none more" for one, other in ((old, new), (new, old))
    )
    yield Change(after["name"], after["target"], "passes that changed the IR", only_old, only_new, None)


def _changing_passes(kernel: Json) -> Counter[str] | None:
    """None where it is not known of every pass."""
    changed = [entry["changed"] for entry in kernel["passes"]]
    if not changed or None in changed:
        return None
    return Counter(entry["name"] for entry in kernel["passes"] if entry["changed"])


def _noticeable(was: Number | None, now: Number | None) -> bool:
    if was is None or now is None:
        return True
    return abs(now - was) > _NOTICEABLE * max(abs(was), abs(now))


def _better(quantity: Quantity, was: Number | None, now: Number | None) -> bool | None:
    if quantity.more_is_worse is None or was is None or now is None:
        return None
    return (now < was) == quantity.more_is_worse


def _weight(was: Number | None, now: Number | None) -> float:
    if not was or not now:
        return 1.0
    return max(was / now, now / was)


def _worse(before: Json | None, after: Json) -> Iterator[str]:
    """Findings that are new, whose access moves more than it did, or that more launches have."""
    known = _identified(before) if before and _count(after) <= _count(before) else {}
    for identity, finding in _identified(after).items():
        old = known.get(identity)
        if before is None or old is None or _moves_more(_access(before, old), _access(after, finding)):
            yield finding["id"]


def _moves_more(old: Json | None, new: Json | None) -> bool:
    if old is None or new is None:
        return False
    pairs = ((old[key], new[key]) for key in ("sectors", "wavefronts", "requests"))
    return any(was is not None and now is not None and now > was and _noticeable(was, now) for was, now in pairs)


def _access(kernel: Json, finding: Json) -> Json | None:
    return next((access for access in kernel["accesses"] if access["id"] == finding["subject"]), None)


def _identified(kernel: Json) -> dict[str, Json]:
    """Findings by rule, kind of access and order among like ones: what stays when lines move."""
    seen: dict[str, int] = {}
    identified: dict[str, Json] = {}
    for finding in sorted(kernel["findings"], key=_line):
        access = _access(kernel, finding) or {}
        key = " ".join((finding["rule"], access.get("direction", ""), access.get("op", "")))
        seen[key] = seen.get(key, 0) + 1
        identified[f"{key} {seen[key]}"] = finding
    return identified


def _line(finding: Json) -> tuple[int, str]:
    place = cast("Json", finding["location"] or {})
    return (place.get("line") or 0, finding["id"])


def _place(finding: Json) -> Location | None:
    place = finding["location"]
    return Location(place["file"], place["line"] or 0, place["column"] or 0) if place else None
