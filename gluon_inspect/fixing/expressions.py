"""A number or a layout as the author wrote it, and the least edit that makes it another.

An expression "has" a value where everything literal in it agrees. What is not literal (a name, a call) may be
anything, unless its value is known; the author's names are kept where the new value has the same number there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import libcst as cst

from gluon_inspect.errors import InspectError
from gluon_inspect.fixing.edits import Edit
from gluon_inspect.fixing.parsed import Parsed, called
from gluon_inspect.layouts.gluon_fields import CLASSES
from gluon_inspect.layouts.gluon_syntax import read_layout, write_layout

Known = Mapping[str, str]
"""Names whose values are known, as Python text."""
_NOTHING: Known = {}


@dataclass(slots=True)
class Match:
    """That an expression has a value: the edits that make it the new one, and whether all of it is known."""

    edits: tuple[Edit, ...]
    certain: bool


@dataclass(slots=True)
class _Unified:
    """What stands for what: by field, the author's text for a number. `free`: something may be anything."""

    known: Known
    names: dict[str, dict[int, str]] = field(default_factory=dict[str, dict[int, str]])
    free: bool = False


def match(parsed: Parsed, node: cst.BaseExpression, old: str, new: str, known: Known = _NOTHING) -> Match | None:
    """How to make an expression that has the value `old` have `new`; None where it has not.

    Both values are numbers or layouts in Gluon's syntax, without a module in front.
    """
    inner = unwrapped(node)
    if isinstance(inner, cst.Integer):
        same = old.isdecimal() and inner.evaluated_value == int(old)
        return Match((parsed.replaced(inner, new),), certain=True) if same else None
    if not isinstance(inner, cst.Call) or old.isdecimal():
        return None
    before, after = _canonical(old), _canonical(new)
    if before is None or after is None:
        return None
    unified = _Unified(known)
    if _has(parsed, inner, before, "", unified):
        return Match(tuple(_edits(parsed, inner, before, after, unified)), certain=not unified.free)
    if _is_literally(parsed.code(inner), old):
        return Match((parsed.replaced(inner, qualified(new, prefix(parsed, inner))),), certain=True)
    return None


def unwrapped(node: cst.BaseExpression) -> cst.BaseExpression:
    """What `gl.constexpr(…)` holds."""
    while isinstance(node, cst.Call) and called(node.func) == "constexpr" and len(node.args) == 1:
        node = node.args[0].value
    return node


def prefix(parsed: Parsed, call: cst.Call) -> str:
    """What stands in front of a layout's class or constructor: `gl.`, or nothing."""
    function = call.func
    while isinstance(function, cst.Attribute):
        function = function.value
        if called(function) not in CLASSES:
            return f"{parsed.code(function)}."
    return ""


def qualified(layout: str, module: str) -> str:
    """A layout with `module` ("gl.") in front of each class; a number as it is."""
    tree = ast.parse(layout, mode="eval")
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            node.func.id = f"{module}{node.func.id}"
    return ast.unparse(tree)


def _canonical(layout: str) -> ast.Call | None:
    """A layout in one way of many to write it; None where it is not in Gluon's syntax."""
    try:
        tree = ast.parse(write_layout(read_layout(layout)), mode="eval").body
    except (InspectError, SyntaxError):
        return None
    return tree if isinstance(tree, ast.Call) else None


def _is_literally(code: str, layout: str) -> bool:
    """Whether both are one layout, or are written alike: a report has a layout as it is written."""
    try:
        one, other = read_layout(code), read_layout(layout)
        return one == other or write_layout(one) == write_layout(other)
    except InspectError:
        return False


def _has(parsed: Parsed, node: cst.BaseExpression, value: ast.expr, place: str, unified: _Unified) -> bool:
    """Whether an expression can have a value; what stands for what is added to `unified`."""
    match node, value:
        case cst.Integer(), ast.Constant(value=int() as number):
            return node.evaluated_value == number
        case cst.Name(value="True" | "False" as word), ast.Constant(value=bool() as truth):
            return (word == "True") is truth
        case ((cst.List() | cst.Tuple()), ast.List(elts=values)):
            pairs = list(zip(node.elements, values, strict=False))
            own = len(node.elements) == len(values)
            return own and all(_has(parsed, each.value, other, place, unified) for each, other in pairs)
        case cst.Call(), ast.Call():
            return _call_has(parsed, node, value, unified)
        case ((cst.Integer() | cst.List() | cst.Tuple() | cst.Call() | cst.SimpleString()), _):
            return False
        case _:
            return _may_be(parsed, node, value, place, unified)


def _may_be(parsed: Parsed, node: cst.BaseExpression, value: ast.expr, place: str, unified: _Unified) -> bool:
    """A name, or something computed: held against what is known of it, else taken to have the value."""
    code = parsed.code(node)
    if code in unified.known:
        if not _same(unified.known[code], value):
            return False
    else:
        unified.free = True
    if isinstance(value, ast.Constant) and isinstance(value.value, int) and value.value > 1:
        unified.names.setdefault(place, {}).setdefault(value.value, code)
    return True


def _same(text: str, value: ast.expr) -> bool:
    other = ast.unparse(value)
    return text == other or _is_literally(text, other)


def _call_has(parsed: Parsed, node: cst.Call, value: ast.Call, unified: _Unified) -> bool:
    name = called(node.func)
    if name != called_of(value) or name not in CLASSES:
        return False
    given, wanted = _given(node), _fields(value)
    if given is None or any(each not in given for each in wanted):
        return False
    extra = (parsed.code(given[each]) for each in given if each not in wanted)
    if any(each not in ("[]", "None", "()") for each in extra):
        return False
    return all(_has(parsed, given[each], other, each, unified) for each, other in wanted.items())


def called_of(call: ast.Call) -> str:
    """The class that a canonical layout is of."""
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _given(call: cst.Call) -> dict[str, cst.BaseExpression] | None:
    """A layout's arguments by field; None where a star hides some."""
    fields = CLASSES[called(call.func)].fields
    found: dict[str, cst.BaseExpression] = {}
    for at, argument in enumerate(call.args):
        if argument.star or (argument.keyword is None and at >= len(fields)):
            return None
        found[fields[at] if argument.keyword is None else argument.keyword.value] = argument.value
    return found


def _fields(call: ast.Call) -> dict[str, ast.expr]:
    fields = CLASSES[called_of(call)].fields
    named = {each.arg: each.value for each in call.keywords if each.arg is not None}
    return {**dict(zip(fields, call.args, strict=False)), **named}


def _edits(parsed: Parsed, node: cst.Call, old: ast.Call, new: ast.Call, unified: _Unified) -> Iterator[Edit]:
    """Only what differs, where the class stays; else the whole expression."""
    before, after, given = _fields(old), _fields(new), _given(node)
    if called_of(old) != called_of(new) or before.keys() != after.keys() or given is None:
        yield parsed.replaced(node, qualified(ast.unparse(new), prefix(parsed, node)))
        return
    for name, value in after.items():
        own, was = given[name], before[name]
        if ast.dump(was) == ast.dump(value):
            continue
        if isinstance(own, cst.Call) and isinstance(was, ast.Call) and isinstance(value, ast.Call):
            yield from _edits(parsed, own, was, value, unified)
        else:
            text = _written(value, unified.names.get(name, {}))
            yield parsed.replaced(own, qualified(text, prefix(parsed, node)) if "(" in text else text)


def _written(value: ast.expr, names: Mapping[int, str]) -> str:
    match value:
        case ast.List(elts=items):
            return f"[{', '.join(_written(each, names) for each in items)}]"
        case ast.Constant(value=int() as number) if not isinstance(number, bool) and number in names:
            return names[number]
        case _:
            return ast.unparse(value)
