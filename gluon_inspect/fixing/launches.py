"""Launches of a kernel in the source, and the edits that pass it another value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from gluon_inspect.fixing.edits import Edit, Edits, Refused
from gluon_inspect.fixing.expressions import match, prefix, qualified, unwrapped
from gluon_inspect.fixing.origins import Origin, certainly_passed, origins, passed
from gluon_inspect.fixing.parsed import Parsed, called
from gluon_inspect.wording.characters import shortened

_SHOWN = 3
_CHARACTERS = 60
NUM_WARPS = "num_warps"
"""What a launch takes beside the kernel's own parameters."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A kernel's parameter (or `num_warps`), its value, and the one that it is to have.

    `everywhere`: whoever else reads the value is to have the new one too, as a grid that follows from it.
    """

    kernel: str
    parameter: str
    old: str
    new: str
    everywhere: bool = False


def passed_anew(files: Sequence[Parsed], definition: cst.FunctionDef, wanted: Wanted) -> Edits:
    """The edits after which the kernel's launches pass the new value. Raises Refused where that is not certain."""
    launches = [(parsed, call) for parsed in files for call in parsed.calls if is_launch(call, wanted.kernel)]
    if not launches:
        raise Refused(
            f"no launch of {wanted.kernel} was found",
            hint=f"pass {wanted.parameter}={wanted.new} where it is launched",
        )
    written = list(_written(files, definition, launches, wanted))
    found = [origin for origin in written if match(origin.parsed, origin.node, wanted.old, wanted.new) is not None]
    if not found:
        return _added(launches, written, wanted)
    places = {(origin.parsed.file, origin.parsed.span(origin.node)): origin for origin in found}
    if len(places) > 1:
        raise Refused(
            f"{wanted.parameter} of {wanted.kernel} may come from {len(places)} places; which one is not known: "
            + ", ".join(each.parsed.place(each.node) for each in list(places.values())[:_SHOWN])
        )
    return _edits([each for each in found if _is_same(each, found[0])], wanted)


def is_launch(call: cst.Call, kernel: str) -> bool:
    """Whether a call is `kernel[grid](…)`, whatever module the kernel is taken from."""
    return isinstance(call.func, cst.Subscript) and called(call.func.value) == kernel


def _written(
    files: Sequence[Parsed],
    definition: cst.FunctionDef,
    launches: Sequence[tuple[Parsed, cst.Call]],
    wanted: Wanted,
) -> Iterator[Origin]:
    for parsed, call in launches:
        for value in _values(definition, call, wanted):
            yield from origins(files, parsed, value)
    for parsed in files:
        if definition in parsed.functions and (default := _default(definition, wanted.parameter)) is not None:
            yield from origins(files, parsed, default)


def _values(definition: cst.FunctionDef, call: cst.Call, wanted: Wanted) -> list[cst.BaseExpression]:
    """A layout is known by what it is, wherever behind a star it stands; a number is not."""
    if not wanted.old.isdecimal():
        return passed(definition, call, wanted.parameter)
    own = certainly_passed(definition, call, wanted.parameter)
    return [] if own is None else [own]


def _default(definition: cst.FunctionDef, parameter: str) -> cst.BaseExpression | None:
    params = (*definition.params.posonly_params, *definition.params.params, *definition.params.kwonly_params)
    return next((each.default for each in params if each.name.value == parameter), None)


def _is_same(one: Origin, other: Origin) -> bool:
    return one.parsed is other.parsed and one.node is other.node


def _edits(found: Sequence[Origin], wanted: Wanted) -> Edits:
    """At the one expression, if nobody else reads it; else at the arguments of the launches."""
    first = found[0]
    uses = {(each.used_in.file, each.used_in.span(each.use)): each for each in found}
    if wanted.everywhere or not first.is_shared:
        made = match(first.parsed, first.node, wanted.old, wanted.new)
        return {first.parsed.file: made.edits if made else ()}
    if len(uses) > 1:
        lines = ", ".join(each.used_in.place(each.use) for each in list(uses.values())[:_SHOWN])
        raise Refused(f"{wanted.parameter} of {wanted.kernel} is passed by several launches: {lines}")
    inner = unwrapped(first.node)
    module = prefix(first.parsed, inner) if isinstance(inner, cst.Call) else ""
    return {first.used_in.file: (first.used_in.replaced(first.use, qualified(wanted.new, module)),)}


def _added(
    launches: Sequence[tuple[Parsed, cst.Call]], written: Sequence[Origin], wanted: Wanted
) -> dict[str, tuple[Edit, ...]]:
    """`num_warps` where no launch passes it; anything else has to be changed by its author."""
    if wanted.parameter == NUM_WARPS and not written and len(launches) == 1:
        parsed, call = launches[0]
        return {parsed.file: (_another_argument(parsed, call, f"{NUM_WARPS}={wanted.new}"),)}
    if not written:
        lines = ", ".join(parsed.place(call) for parsed, call in launches[:_SHOWN])
        raise Refused(
            f"what {wanted.parameter} of {wanted.kernel} is cannot be followed from its launch ({lines})"
        )
    shown = ", ".join(
        f"`{shortened(each.parsed.code(each.node), _CHARACTERS)}` at {each.parsed.place(each.node)}"
        for each in written[:_SHOWN]
    )
    raise Refused(f"{wanted.parameter} of {wanted.kernel} is not written as {wanted.old}: it comes from {shown}")


def _another_argument(parsed: Parsed, call: cst.Call, text: str) -> Edit:
    if call.args:
        end = parsed.span(call.args[-1])[1]
        return Edit(end, end, f", {text}")
    end = parsed.span(call)[1] - 1
    return Edit(end, end, text)
