"""Two compilations of one kernel: the first pass where they part, in operations and in layouts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher

from gluon_inspect.passes.contents import Contents
from gluon_inspect.passes.timeline import Row, Timeline


@dataclass(frozen=True, slots=True)
class Parting:
    """The first pair of rows after which two compilations differ in `what`; None: they never do.

    `left` or `right` None: only the other side ran such a pass there.
    """

    what: str
    left: Row | None
    right: Row | None
    difference: tuple[str, ...]


def first_partings(left: Timeline, right: Timeline) -> tuple[Parting, ...]:
    """Where operations, layouts and vector widths first differ, each on its own; nothing that never does."""
    pairs = _aligned(left.rows(), right.rows())
    views: tuple[tuple[str, Callable[[Contents], Mapping[str, int]]], ...] = (
        ("layouts", lambda contents: contents.layouts),
        ("conversions", lambda contents: contents.conversions),
        ("access widths", lambda contents: contents.widths),
        ("operations", lambda contents: contents.operations),
    )
    found = (_first(name, view, pairs) for name, view in views)
    return tuple(parting for parting in found if parting is not None)


def _first(
    name: str, view: Callable[[Contents], Mapping[str, int]], pairs: list[tuple[Row | None, Row | None]]
) -> Parting | None:
    last: tuple[Row | None, Row | None] = (None, None)
    for left, right in pairs:
        last = (left or last[0], right or last[1])
        if last[0] is None or last[1] is None:
            continue
        if last[0].run.after is None or last[1].run.after is None:
            continue
        if last[0].run.after.level is not last[1].run.after.level:
            continue
        a, b = view(last[0].after), view(last[1].after)
        if dict(a) != dict(b):
            return Parting(name, left, right, _described(a, b))
    return None


def _described(left: Mapping[str, int], right: Mapping[str, int]) -> tuple[str, ...]:
    a, b = Counter(left), Counter(right)
    return tuple(f"{key}: {a[key]} -> {b[key]}" for key in sorted(a | b) if a[key] != b[key])


def _aligned(left: tuple[Row, ...], right: tuple[Row, ...]) -> list[tuple[Row | None, Row | None]]:
    """Passes paired by name, in order; one that only one side ran stands alone."""
    names = [[row.run.argument or row.run.name for row in rows] for rows in (left, right)]
    pairs: list[tuple[Row | None, Row | None]] = []
    for tag, i, j, k, n in SequenceMatcher(None, names[0], names[1], autojunk=False).get_opcodes():
        if tag == "equal":
            pairs.extend(zip(left[i:j], right[k:n], strict=True))
            continue
        pairs.extend((row, None) for row in left[i:j])
        pairs.extend((None, row) for row in right[k:n])
    return pairs
