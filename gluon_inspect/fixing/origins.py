"""Where an argument's value is written: in the launch, a constant that it names, a default, a caller's call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst
from libcst import metadata as m

from gluon_inspect.fixing.expressions import unwrapped
from gluon_inspect.fixing.parsed import Parsed, called

_DEEPEST = 4
"""Names and callers that are followed: a launch in a function of a function of a script."""


@dataclass(frozen=True, slots=True)
class Origin:
    """An expression that an argument's value may come from.

    `use`: the argument in the launch, in the file `used_in`. `is_shared`: somebody else reads the value too.
    """

    parsed: Parsed
    node: cst.BaseExpression
    used_in: Parsed
    use: cst.BaseExpression
    is_shared: bool = False


def origins(files: Sequence[Parsed], parsed: Parsed, use: cst.BaseExpression) -> Iterator[Origin]:
    """Every expression that an argument's value may come from, as far as it is passed on unchanged."""
    for own, node, is_shared in _followed(files, parsed, use, _DEEPEST):
        yield Origin(own, node, parsed, use, is_shared)


_Found = tuple[Parsed, cst.BaseExpression, bool]


def _followed(files: Sequence[Parsed], parsed: Parsed, node: cst.BaseExpression, depth: int) -> Iterator[_Found]:
    node = unwrapped(node)
    match node:
        case cst.Name() if depth:
            for each in parsed.assignments(node):
                if isinstance(each, m.Assignment):
                    shared = len(each.references) > 1
                    for own, found, more in _assigned(files, parsed, each.node, depth - 1):
                        yield own, found, shared or more
        case cst.IfExp():
            yield from _followed(files, parsed, node.body, depth)
            yield from _followed(files, parsed, node.orelse, depth)
        case _:
            yield parsed, node, False


def _assigned(files: Sequence[Parsed], parsed: Parsed, target: cst.CSTNode, depth: int) -> Iterator[_Found]:
    """The values that an assignment gives a name."""
    if isinstance(target, cst.Param):
        yield from _passed(files, parsed, target, depth)
        return
    holder = parsed.parent(target)
    match holder:
        case cst.AnnAssign(value=cst.BaseExpression() as value) | cst.NamedExpr(value=value):
            yield from _followed(files, parsed, value, depth)
        case cst.AssignTarget():
            assign = parsed.parent(holder)
            if isinstance(assign, cst.Assign):
                yield from _followed(files, parsed, assign.value, depth)
        case cst.Element():
            value = _element(parsed, holder)
            if value is not None:
                yield from _followed(files, parsed, value, depth)
        case _:
            return


def _element(parsed: Parsed, holder: cst.Element) -> cst.BaseExpression | None:
    """The value of a name in `a, b = 1, 2`."""
    several = parsed.parent(holder)
    assign = parsed.parent(parsed.parent(several))
    if not isinstance(several, cst.Tuple) or not isinstance(assign, cst.Assign):
        return None
    values = unwrapped(assign.value)
    if not isinstance(values, cst.Tuple) or len(values.elements) != len(several.elements):
        return None
    at = next(i for i, each in enumerate(several.elements) if each is holder)
    return values.elements[at].value


def _passed(files: Sequence[Parsed], parsed: Parsed, parameter: cst.Param, depth: int) -> Iterator[_Found]:
    """What callers pass for a function's parameter, and its default."""
    if parameter.default is not None:
        yield from _followed(files, parsed, parameter.default, depth)
    function = _function(parsed, parameter)
    if function is None:
        return
    for other in files:
        for call in other.calls:
            if called(call.func) == function.name.value:
                value = certainly_passed(function, call, parameter.name.value)
                if value is not None:
                    yield from _followed(files, other, value, depth)


def _function(parsed: Parsed, parameter: cst.Param) -> cst.FunctionDef | None:
    holder = parsed.parent(parsed.parent(parameter))
    return holder if isinstance(holder, cst.FunctionDef) else None


def passed(function: cst.FunctionDef, call: cst.Call, name: str) -> list[cst.BaseExpression]:
    """The arguments that a call may pass for a parameter: the one, or all that follow a star, or none."""
    own = certainly_passed(function, call, name)
    if own is not None:
        return [own]
    star = _star(call)
    return [each.value for each in call.args[star:] if not each.star and each.keyword is None]


def certainly_passed(function: cst.FunctionDef, call: cst.Call, name: str) -> cst.BaseExpression | None:
    """The argument that a call passes for a parameter; None where it passes none, or a star hides which.

    Methods are taken to be called on an object.
    """
    for argument in call.args:
        if argument.keyword is not None and argument.keyword.value == name:
            return argument.value
    parameters = [each.name.value for each in (*function.params.posonly_params, *function.params.params)]
    if parameters[:1] in (["self"], ["cls"]):
        del parameters[0]
    given = [each.value for each in call.args[: _star(call)] if each.keyword is None]
    at = parameters.index(name) if name in parameters else len(given)
    return given[at] if at < len(given) else None


def _star(call: cst.Call) -> int:
    """The place of a call's first `*` argument; the number of its arguments where there is none."""
    return next((at for at, each in enumerate(call.args) if each.star == "*"), len(call.args))
