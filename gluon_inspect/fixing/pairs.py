"""Two accesses that take turns over the elements of a tensor, as one of neighbours and a split or a join.

`tl.load(p + 2 * i)` and `tl.load(p + 2 * i + 1)` are what
`tl.split(tl.load(tl.expand_dims(p + 2 * i, -1) + tl.arange(0, 2)))` gives.
Done where both stand in one block of the kernel, have one mask, and nothing between them may change what they see.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import libcst as cst

from gluon_inspect.fixing.edits import Edit, Refused
from gluon_inspect.fixing.names import assigned_names, names_in, read_names
from gluon_inspect.fixing.parsed import Parsed, called, nodes
from gluon_inspect.model.access import Access, Direction

_PARAMETERS = {
    Direction.LOAD: ("pointer", "mask", "other"),
    Direction.STORE: ("pointer", "value", "mask"),
}
_LOADED = "_loaded"
_TOUCHES = ("load", "store", "atomic", "debug_barrier", "async")
"""Beginnings of calls that memory may tell apart from those that are moved past them."""


@dataclass(frozen=True, slots=True)
class _Call:
    """One access in the source: its statement, and its arguments by the parameter's name."""

    call: cst.Call
    statement: cst.SimpleStatementLine
    arguments: Mapping[str, cst.BaseExpression]
    module: str

    def same_but(self, other: _Call, parsed: Parsed, names: Sequence[str]) -> bool:
        """Whether all arguments but those named are written alike."""
        own, others = (
            {name: parsed.code(value) for name, value in each.arguments.items() if name not in names}
            for each in (self, other)
        )
        return own == others and self.module == other.module


def joined_pairs(
    parsed: Parsed, definition: cst.FunctionDef, pairs: Sequence[tuple[Access, Access]]
) -> tuple[Edit, ...]:
    """The edits after which each pair, the one at the lower address first, is one access; Refused where unsafe."""
    edits: list[Edit] = []
    for first, second in pairs:
        one, two = (_found(parsed, definition, access) for access in (first, second))
        made = _load if first.direction is Direction.LOAD else _store
        edits += made(parsed, definition, one, two)
    if any(one.conflicts(other) for one in edits for other in edits):
        raise Refused(f"accesses of {definition.name.value} that are to become one stand in each other")
    return tuple(edits)


def _found(parsed: Parsed, definition: cst.FunctionDef, access: Access) -> _Call:
    place, name = access.location, definition.name.value
    wanted = access.direction.value
    if place is None or access.direction not in _PARAMETERS:
        raise Refused(f"a {wanted} of {name} has no place in the source")
    calls = [
        call
        for call in nodes(definition.body, cst.Call)
        if called(call.func) == wanted and parsed.line(call) <= place.author.line <= parsed.last_line(call)
    ]
    at = [call for call in calls if _holds(parsed, call, place.author.column - 1)]
    chosen = calls if len(calls) == 1 else at
    if len(chosen) != 1:
        raise Refused(f"which call is the {wanted} at line {place.author.line} of {name} is not known")
    return _call(parsed, chosen[0], access.direction)


def _holds(parsed: Parsed, node: cst.CSTNode, column: int) -> bool:
    """Whether a 0-based column is in a node: compilers name its start, or that of one of its arguments."""
    start, end = parsed.span(node)
    line = parsed.data.rfind(b"\n", 0, start) + 1
    return start - line <= column < end - line


def _call(parsed: Parsed, call: cst.Call, direction: Direction) -> _Call:
    parameters, given = _PARAMETERS[direction], dict[str, cst.BaseExpression]()
    module = call.func.value if isinstance(call.func, cst.Attribute) else None
    for at, argument in enumerate(call.args):
        if argument.star or (argument.keyword is None and at >= len(parameters)):
            raise Refused(f"the arguments of {parsed.place(call)} are not plain")
        given[parameters[at] if argument.keyword is None else argument.keyword.value] = argument.value
    statement: cst.CSTNode = call
    while not isinstance(statement, cst.SimpleStatementLine | cst.Module):
        statement = parsed.parent(statement)
    if not isinstance(statement, cst.SimpleStatementLine) or not isinstance(module, cst.Name):
        raise Refused(f"{parsed.place(call)} is no call of a module in a statement of its own")
    if "pointer" not in given or (direction is Direction.STORE and "value" not in given):
        raise Refused(f"the arguments of {parsed.place(call)} are not plain")
    return _Call(call, statement, given, module.value)


def _between(parsed: Parsed, one: _Call, two: _Call) -> list[cst.CSTNode]:
    """The statements from the earlier one up to the later one, which is left out."""
    block = parsed.parent(one.statement)
    if parsed.parent(two.statement) is not block or not isinstance(block, cst.IndentedBlock):
        raise Refused(f"{parsed.place(one.call)} and {parsed.place(two.call)} stand in different blocks")
    body: list[cst.CSTNode] = list(block.body)
    start, end = sorted(body.index(each.statement) for each in (one, two))
    return body[start:end]


def _refuse_memory(parsed: Parsed, statements: Sequence[cst.CSTNode], allowed: str) -> None:
    for statement in statements:
        for call in nodes(statement, cst.Call):
            name = called(call.func)
            if name.startswith(_TOUCHES) and name != allowed:
                raise Refused(
                    f"memory may change at {parsed.place(call)}, between two accesses that are to become one"
                )


def _refuse_assigned(parsed: Parsed, statements: Sequence[cst.CSTNode], read: set[str]) -> None:
    for statement in statements:
        changed = sorted(read & set(assigned_names(statement)))
        if changed:
            raise Refused(f"{changed[0]} is assigned at {parsed.place(statement)}, between two accesses")


def _load(parsed: Parsed, definition: cst.FunctionDef, one: _Call, two: _Call) -> Iterator[Edit]:
    """One load at the earlier place; `one` is that of the lower address."""
    statements = _between(parsed, one, two)
    _refuse_memory(parsed, statements, "load")
    if not one.same_but(two, parsed, ("pointer",)):
        raise Refused(f"{parsed.place(one.call)} and {parsed.place(two.call)} differ in more than their pointers")
    _refuse_assigned(parsed, statements, {name for each in one.arguments.values() for name in read_names(each)})
    names = _names(definition, (_target(one) or "first", _target(two) or "second"))
    earlier = min(one, two, key=lambda each: parsed.span(each.call))
    start = parsed.span(earlier.statement)[0]
    text = f"{', '.join(names)} = {one.module}.split({_wide(parsed, one, {})})\n{_indent(parsed, earlier)}"
    yield Edit(start, start, text)
    yield parsed.replaced(one.call, names[0])
    yield parsed.replaced(two.call, names[1])


def _store(parsed: Parsed, definition: cst.FunctionDef, one: _Call, two: _Call) -> Iterator[Edit]:
    """One store at the later place; `one` is that of the lower address."""
    statements = _between(parsed, one, two)
    for each in (one, two):
        if len(each.statement.body) != 1 or not isinstance(each.statement.body[0], cst.Expr):
            raise Refused(f"{parsed.place(each.call)} is no statement of its own in {definition.name.value}")
    _refuse_memory(parsed, statements[1:], "")
    if not one.same_but(two, parsed, ("pointer", "value")):
        raise Refused(
            f"{parsed.place(one.call)} and {parsed.place(two.call)} differ in more than pointer and value"
        )
    earlier, later = sorted((one, two), key=lambda each: parsed.span(each.call))
    read = {name for each in earlier.arguments.values() for name in read_names(each)}
    _refuse_assigned(parsed, statements[1:], read)
    values = ", ".join(parsed.code(each.arguments["value"]) for each in (one, two))
    yield parsed.replaced(later.call, _wide(parsed, one, {"value": f"{one.module}.join({values})"}))
    yield _removed(parsed, earlier)


def _wide(parsed: Parsed, one: _Call, instead: Mapping[str, str]) -> str:
    """The access with a last dimension of two neighbours."""
    module = one.module
    pointer = f"{module}.expand_dims({parsed.code(one.arguments['pointer'])}, -1) + {module}.arange(0, 2)"
    texts = [pointer, *(instead[name] for name in one.arguments if name in instead)]
    for name, value in one.arguments.items():
        if name not in ("pointer", *instead):
            code = parsed.code(value)
            texts.append(f"{name}={module}.expand_dims({code}, -1)" if name == "mask" else f"{name}={code}")
    return f"{parsed.code(one.call.func)}({', '.join(texts)})"


def _names(definition: cst.FunctionDef, wanted: tuple[str, str]) -> tuple[str, str]:
    """Two names for what a load gives that the kernel does not use."""
    taken, found = set(names_in(definition)), list[str]()
    for base in wanted:
        name = f"{base}{_LOADED}"
        while name in taken:
            name += "_"
        taken.add(name)
        found.append(name)
    return found[0], found[1]


def _target(one: _Call) -> str:
    """The one variable that a load's statement assigns, for a name like it; empty where there is none."""
    assigned = list(assigned_names(one.statement))
    return assigned[0] if len(assigned) == 1 else ""


def _indent(parsed: Parsed, one: _Call) -> str:
    start = parsed.span(one.statement)[0]
    line = parsed.data[parsed.data.rfind(b"\n", 0, start) + 1 : start].decode()
    if line.strip():
        raise Refused(f"{parsed.place(one.statement)} has more than one statement")
    return line


def _removed(parsed: Parsed, one: _Call) -> Edit:
    """A statement goes with its line; what stands behind it on the line stays."""
    start, end = parsed.span(one.statement)
    line, after = start - len(_indent(parsed, one).encode()), parsed.data.find(b"\n", end)
    rest = parsed.data[end : after if after >= 0 else len(parsed.data)]
    return Edit(start, end, "") if rest.strip() or after < 0 else Edit(line, after + 1, "")
