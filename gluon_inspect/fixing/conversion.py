"""A conversion put into a kernel: addresses for its store in a layout of their own.

Done where that is certain to mean the same: the store and everything that its addresses and its mask are computed
from stand in the kernel's own body, each name is assigned once, and nothing of it is loaded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import libcst as cst

from gluon_inspect.fixing.edits import Edit, Refused
from gluon_inspect.fixing.expressions import qualified
from gluon_inspect.fixing.names import assigned_names, read_names, variables
from gluon_inspect.fixing.parsed import Parsed, called, nodes

_LANGUAGE = "triton.experimental.gluon.language"
_LOAD, _STORE, _SUFFIX = "load_layout", "store_layout", "_to_store"
_POINTER, _VALUE = 0, 1


@dataclass(frozen=True, slots=True)
class _Kernel:
    """The kernel's own statements, what its file calls Gluon's language, and the name of its one layout."""

    parsed: Parsed
    definition: cst.FunctionDef
    statements: Sequence[cst.BaseStatement | cst.BaseSmallStatement]
    module: str
    parameter: str


def converted(
    parsed: Parsed, definition: cst.FunctionDef, line: int, parameter: str, layouts: Sequence[str]
) -> tuple[Edit, ...]:
    """The edits after which the kernel's store at a line is made in the second layout, all else in the first.

    `parameter` is the kernel's constexpr that holds its one layout now. Raises Refused where it is not certain
    that the kernel then computes the same.
    """
    kernel = _kernel(parsed, definition, parameter)
    store, call = _store(kernel, line)
    again = _behind(kernel, store, call)
    return tuple(_edits(kernel, store, call, again, layouts))


def _kernel(parsed: Parsed, definition: cst.FunctionDef, parameter: str) -> _Kernel:
    module, name = _language(parsed), definition.name.value
    if module is None:
        raise Refused(f"the file of {name} does not import triton.experimental.gluon.language under a name")
    used = {each.value for each in nodes(definition, cst.Name)}
    taken = sorted(each for each in used if each in (_LOAD, _STORE) or each.endswith(_SUFFIX))
    if taken:
        raise Refused(f"{name} has names of its own that the change would bring: {', '.join(taken)}")
    return _Kernel(parsed, definition, definition.body.body, module, parameter)


def _language(parsed: Parsed) -> str | None:
    """What the file calls Gluon's language module."""
    for statement in nodes(parsed.module, cst.ImportFrom):
        package = "" if statement.module is None else parsed.code(statement.module)
        if not isinstance(statement.names, cst.ImportStar):
            for alias in statement.names:
                if f"{package}.{parsed.code(alias.name)}" == _LANGUAGE:
                    return _known_as(alias) or parsed.code(alias.name)
    for statement in nodes(parsed.module, cst.Import):
        for alias in statement.names:
            if parsed.code(alias.name) == _LANGUAGE and (name := _known_as(alias)):
                return name
    return None


def _known_as(alias: cst.ImportAlias) -> str | None:
    name = alias.asname.name if alias.asname is not None else None
    return name.value if isinstance(name, cst.Name) else None


def _store(kernel: _Kernel, line: int) -> tuple[cst.SimpleStatementLine, cst.Call]:
    name = kernel.definition.name.value
    for statement in kernel.statements:
        if not kernel.parsed.line(statement) <= line <= kernel.parsed.last_line(statement):
            continue
        if isinstance(statement, cst.SimpleStatementLine) and len(statement.body) == 1:
            only = statement.body[0]
            if isinstance(only, cst.Expr) and isinstance(only.value, cst.Call) and _is_store(only.value):
                return statement, only.value
    raise Refused(f"the store at line {line} is no statement of {name}'s own body")


def _is_store(call: cst.Call) -> bool:
    plain = all(not each.star for each in call.args)
    given = [each for each in call.args if each.keyword is None]
    return isinstance(call.func, cst.Attribute) and called(call.func) == "store" and len(given) > _VALUE and plain


def _behind(kernel: _Kernel, store: cst.SimpleStatementLine, call: cst.Call) -> list[cst.SimpleStatementLine]:
    """The assignments that address and mask are computed from and that depend on the layout, in their order."""
    counts = Counter(name for each in kernel.statements for name in assigned_names(each))
    wanted = {name for each in _address_and_mask(call) for name in read_names(each)}
    found: list[cst.SimpleStatementLine] = []
    before = list(kernel.statements)[: list(kernel.statements).index(store)]
    for statement in reversed(before):
        names = set(assigned_names(statement))
        if not names & wanted:
            continue
        value = _only_value(statement)
        place = kernel.parsed.place(statement)
        if value is None or len(names) != 1 or not isinstance(statement, cst.SimpleStatementLine):
            raise Refused(f"the store's address is not computed by plain assignments ({place})")
        if any(called(each.func) == "load" for each in nodes(value, cst.Call)):
            raise Refused(f"the store's address is loaded ({place})")
        if counts[next(iter(names))] != 1:
            raise Refused(f"{next(iter(names))} is assigned more than once ({place})")
        wanted |= read_names(value)
        found.append(statement)
    return _dependent(found[::-1], kernel.parameter)


def _dependent(statements: Sequence[cst.SimpleStatementLine], parameter: str) -> list[cst.SimpleStatementLine]:
    moved, kept = {parameter}, list[cst.SimpleStatementLine]()
    for statement in statements:
        value = _only_value(statement)
        if value is not None and read_names(value) & moved:
            moved |= set(assigned_names(statement))
            kept.append(statement)
    return kept


def _only_value(statement: cst.CSTNode) -> cst.BaseExpression | None:
    """What is assigned, by a line that assigns one thing to one name."""
    if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
        return None
    only = statement.body[0]
    return only.value if isinstance(only, cst.Assign) and len(only.targets) == 1 else None


def _address_and_mask(call: cst.Call) -> Iterator[cst.BaseExpression]:
    """All of a store but its value."""
    yield from (each.value for each in call.args if each is not _value(call))


def _value(call: cst.Call) -> cst.Arg:
    return [each for each in call.args if each.keyword is None][_VALUE]


def _edits(
    kernel: _Kernel,
    store: cst.SimpleStatementLine,
    call: cst.Call,
    again: Sequence[cst.SimpleStatementLine],
    layouts: Sequence[str],
) -> Iterator[Edit]:
    parsed, definition = kernel.parsed, kernel.definition
    first = _first(definition)
    indent = _indent(parsed, first)
    given = "".join(
        f"{name}: {kernel.module}.constexpr = {qualified(layout, f'{kernel.module}.')}\n{indent}"
        for name, layout in zip((_LOAD, _STORE), layouts, strict=True)
    )
    start = parsed.span(first)[0]
    yield Edit(start, start, given)
    for use in variables(definition.body):
        if use.value == kernel.parameter:
            yield from _outside(store, parsed, parsed.replaced(use, _LOAD))
    names = {kernel.parameter: _STORE} | {name: name + _SUFFIX for each in again for name in assigned_names(each)}
    copies = "".join(f"{_renamed(parsed, each, names)}\n{indent}" for each in again)
    start, end = parsed.span(store)
    yield Edit(start, end, copies + _stored(kernel, store, call, names))


def _outside(store: cst.CSTNode, parsed: Parsed, edit: Edit) -> Iterator[Edit]:
    """The store is written anew as a whole."""
    start, end = parsed.span(store)
    if not start <= edit.start < end:
        yield edit


def _first(definition: cst.FunctionDef) -> cst.CSTNode:
    """The first statement below the docstring."""
    body = definition.body.body
    return body[1] if definition.get_docstring() is not None and len(body) > 1 else body[0]


def _indent(parsed: Parsed, statement: cst.CSTNode) -> str:
    start = parsed.span(statement)[0]
    line = parsed.data[parsed.data.rfind(b"\n", 0, start) + 1 : start].decode()
    if line.strip():
        raise Refused(f"{parsed.place(statement)} has more than one statement")
    return line


def _stored(kernel: _Kernel, store: cst.SimpleStatementLine, call: cst.Call, names: Mapping[str, str]) -> str:
    """The store with its address and mask renamed and its value converted."""
    parsed, value = kernel.parsed, _value(call).value
    uses = [name for each in _address_and_mask(call) for name in variables(each)]
    edits = [parsed.replaced(name, names[name.value]) for name in uses if name.value in names]
    kept = _code_with(
        parsed, value, [parsed.replaced(n, _LOAD) for n in variables(value) if n.value == kernel.parameter]
    )
    edits.append(parsed.replaced(value, f"{kernel.module}.convert_layout({kept}, {_STORE})"))
    return _code_with(parsed, store, edits)


def _renamed(parsed: Parsed, statement: cst.SimpleStatementLine, names: Mapping[str, str]) -> str:
    edits = [parsed.replaced(name, names[name.value]) for name in variables(statement) if name.value in names]
    return _code_with(parsed, statement, edits)


def _code_with(parsed: Parsed, node: cst.CSTNode, edits: Sequence[Edit]) -> str:
    """A node as the author wrote it, with edits made inside."""
    start, end = parsed.span(node)
    data = parsed.data[start:end]
    for edit in sorted(edits, reverse=True):
        data = data[: edit.start - start] + edit.text.encode() + data[edit.end - start :]
    return data.decode()
