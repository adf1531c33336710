"""A layout that a kernel makes itself, or takes from a constant of its module."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst
from libcst import metadata as m

from gluon_inspect.fixing.edits import Edits, Refused
from gluon_inspect.fixing.expressions import Known, Match, match
from gluon_inspect.fixing.origins import origins
from gluon_inspect.fixing.parsed import Parsed, nodes


def made_anew(parsed: Parsed, definition: cst.FunctionDef, old: str, new: str, known: Known) -> Edits:
    """The edits after which the kernel makes `new` wherever it made `old`; Refused where it is not certain."""
    found = list(_matching(parsed, nodes(definition.body, cst.Call), old, new, known))
    if not found:
        found = list(_matching(parsed, _constants(parsed, definition), old, new, known))
    name = definition.name.value
    if not found:
        raise Refused(f"{name} makes {old} by no expression of its own", hint="change it where it is made")
    if len(found) > 1 and not all(each.certain for _, each in found):
        places = ", ".join(parsed.place(node) for node, _ in found)
        raise Refused(f"which expression of {name} makes {old} is not known: {places}")
    return {parsed.file: tuple(edit for _, each in found for edit in each.edits)}


def _matching(
    parsed: Parsed, calls: Iterator[cst.Call], old: str, new: str, known: Known
) -> Iterator[tuple[cst.Call, Match]]:
    for call in calls:
        made = match(parsed, call, old, new, known)
        if made is not None:
            yield call, made


def _constants(parsed: Parsed, definition: cst.FunctionDef) -> Iterator[cst.Call]:
    """Layouts that names of the module stand for, which the kernel reads."""
    seen: set[cst.CSTNode] = set()
    for name in nodes(definition.body, cst.Name):
        outside = (each for each in parsed.assignments(name) if isinstance(each.scope, m.GlobalScope))
        if not any(isinstance(each, m.Assignment) for each in outside):
            continue
        for origin in origins([parsed], parsed, name):
            if isinstance(origin.node, cst.Call) and origin.node not in seen:
                seen.add(origin.node)
                yield origin.node
