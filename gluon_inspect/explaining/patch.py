"""A conversion put into the source of a kernel: addresses for the store in a layout of their own.

Done to the text where that is certain to mean the same: the store and everything that its addresses and its mask
are computed from stand in the kernel's own body, each name is assigned once, and nothing of it is loaded.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace
from difflib import unified_diff
from pathlib import PurePath

from gluon_inspect.errors import InspectError
from gluon_inspect.layouts.gluon_syntax import read_layout
from gluon_inspect.model.access import Direction
from gluon_inspect.model.explanation import KernelExplanation, Proposal
from gluon_inspect.model.report import KernelReport

_LANGUAGE = "triton.experimental.gluon.language"
_LOAD, _STORE, _SUFFIX = "load_layout", "store_layout", "_to_store"
_ADDRESS = 0
_VALUE = 1
_MASK = 2


def with_patches(explanation: KernelExplanation, sources: Mapping[str, str]) -> KernelExplanation:
    """The explanation with a diff for each conversion that can be put into the source."""
    report = explanation.report
    found = tuple(_with_diff(proposal, report, sources) for proposal in explanation.proposals)
    return replace(explanation, proposals=found)


def _with_diff(proposal: Proposal, report: KernelReport, sources: Mapping[str, str]) -> Proposal:
    before, after = sources.get(report.kernel.source_file), patched_source(proposal, report, sources)
    if before is None or after is None:
        return proposal
    name = PurePath(report.kernel.source_file).name
    lines = unified_diff(before.splitlines(), after.splitlines(), name, f"{name} (proposed)", lineterm="", n=2)
    return replace(proposal, patch=tuple(lines))


def patched_source(proposal: Proposal, report: KernelReport, sources: Mapping[str, str]) -> str | None:
    """The kernel's file with a proposal's conversion; None where it has none or it cannot be put in safely."""
    text, parameter = sources.get(report.kernel.source_file), _parameter(proposal, report)
    if text is None or parameter is None or len(proposal.layouts) != 2:
        return None
    stores = [
        access.location
        for access in report.accesses
        if access.direction is Direction.STORE and access.layout == proposal.replaces
    ]
    if len(stores) != 1 or stores[0] is None or stores[0].file != report.kernel.source_file:
        return None
    return convert_before_store(text, report.name, stores[0].line, parameter, proposal.layouts)


def _parameter(proposal: Proposal, report: KernelReport) -> str | None:
    for name, text in report.kernel.constexprs.items():
        try:
            if read_layout(text) == read_layout(proposal.replaces):
                return name
        except InspectError:
            continue
    return None


def convert_before_store(
    text: str, kernel: str, line: int, parameter: str, layouts: tuple[str, ...]
) -> str | None:
    """The source with the kernel's store at a line made in the second layout and the rest in the first.

    `parameter` is the kernel's constexpr that holds its one layout now. None where that is not certain to be the
    same computation.
    """
    tree = ast.parse(text)
    function = next((f for f in ast.walk(tree) if _is_kernel(f, kernel, line)), None)
    module = _language(tree)
    if not isinstance(function, ast.FunctionDef) or module is None or _taken(function):
        return None
    store = next((s for s in function.body if s.lineno <= line <= (s.end_lineno or s.lineno)), None)
    if not isinstance(store, ast.Expr) or not isinstance(store.value, ast.Call):
        return None
    copied = _behind_addresses(function, store, parameter)
    if copied is None or not _is_store(store.value) or _shares_a_line(function, store):
        return None
    return _edited(text, function, store, copied, parameter, layouts, module)


def _is_kernel(node: ast.AST, name: str, line: int) -> bool:
    return isinstance(node, ast.FunctionDef) and node.name == name and _holds(node, line)


def _holds(node: ast.FunctionDef, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def _language(tree: ast.Module) -> str | None:
    """What the file calls Gluon's language module."""
    for node in tree.body:
        names = node.names if isinstance(node, ast.Import | ast.ImportFrom) else ()
        package = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
        for alias in names:
            if package + alias.name == _LANGUAGE and (alias.asname or package):
                return alias.asname or alias.name
    return None


def _taken(function: ast.FunctionDef) -> bool:
    """Whether the kernel uses the new names already."""
    names = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    names |= {argument.arg for argument in function.args.args}
    return bool(names & {_LOAD, _STORE}) or any(name.endswith(_SUFFIX) for name in names)


def _is_store(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "store" and len(call.args) > _VALUE


def _shares_a_line(function: ast.FunctionDef, store: ast.Expr) -> bool:
    last = store.end_lineno or store.lineno
    others = (each for each in function.body if each is not store)
    return any(each.lineno <= last and (each.end_lineno or each.lineno) >= store.lineno for each in others)


def _behind_addresses(function: ast.FunctionDef, store: ast.Expr, parameter: str) -> list[ast.Assign] | None:
    """The assignments that address and mask are computed from and that depend on the layout, in their order."""
    assigned = _assignments(function)
    wanted, found = set[str](), list[ast.Assign]()
    for expression in _address_and_mask(store.value):
        wanted |= _names(expression)
    for statement in reversed(function.body[: function.body.index(store)]):
        names = _targets(statement)
        if not names & wanted:
            continue
        if not isinstance(statement, ast.Assign) or len(names) != 1 or _calls(statement, "load"):
            return None
        if assigned.get(next(iter(names))) != 1:
            return None
        wanted |= _names(statement.value)
        found.append(statement)
    return _layout_dependent(found[::-1], parameter)


def _layout_dependent(statements: list[ast.Assign], parameter: str) -> list[ast.Assign]:
    moved, kept = {parameter}, list[ast.Assign]()
    for statement in statements:
        if _names(statement.value) & moved:
            moved |= _targets(statement)
            kept.append(statement)
    return kept


def _assignments(function: ast.FunctionDef) -> dict[str, int]:
    counts: dict[str, int] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            counts[node.id] = counts.get(node.id, 0) + 1
    return counts


def _address_and_mask(call: ast.expr) -> Iterator[ast.expr]:
    if isinstance(call, ast.Call):
        yield from (argument for place, argument in enumerate(call.args) if place in (_ADDRESS, _MASK))
        yield from (keyword.value for keyword in call.keywords if keyword.arg != "value")


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)}


def _targets(statement: ast.stmt) -> set[str]:
    """Every name that a statement may assign, nested ones included."""
    return {
        each.id for each in ast.walk(statement) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }


def _calls(node: ast.AST, name: str) -> bool:
    calls = (each.func for each in ast.walk(node) if isinstance(each, ast.Call))
    return any(isinstance(function, ast.Attribute) and function.attr == name for function in calls)


class _Renamed(ast.NodeTransformer):
    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        """The name as the store's half of the kernel has it."""
        return ast.Name(self._names.get(node.id, node.id), node.ctx)


def _edited(
    text: str,
    function: ast.FunctionDef,
    store: ast.Expr,
    copied: list[ast.Assign],
    parameter: str,
    layouts: tuple[str, ...],
    module: str,
) -> str:
    names = {parameter: _STORE} | {name: name + _SUFFIX for each in copied for name in _targets(each)}
    lines = text.splitlines(keepends=True)
    first = function.body[1] if ast.get_docstring(function) is not None else function.body[0]
    indent = " " * first.col_offset
    uses = sorted(_uses(function, parameter), key=lambda use: (-use.lineno, -use.col_offset))
    for use in uses:
        raw = lines[use.lineno - 1].encode()
        end = use.col_offset + len(parameter.encode())
        lines[use.lineno - 1] = (raw[: use.col_offset] + _LOAD.encode() + raw[end:]).decode()
    again = [ast.unparse(_Renamed(names).visit(_copy(each))) for each in copied]
    again.append(ast.unparse(_stored(store, names, module)))
    start, end = store.lineno - 1, store.end_lineno or store.lineno
    lines[start:end] = [f"{indent}{line}\n" for line in again]
    given = [
        f"{indent}{name}: {module}.constexpr = {_qualified(layout, module)}\n"
        for name, layout in zip((_LOAD, _STORE), layouts, strict=True)
    ]
    lines[first.lineno - 1 : first.lineno - 1] = given
    return "".join(lines)


def _uses(function: ast.FunctionDef, parameter: str) -> Iterator[ast.Name]:
    for statement in function.body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and node.id == parameter:
                yield node


def _copy(node: ast.stmt) -> ast.stmt:
    return ast.parse(ast.unparse(node)).body[0]


def _stored(store: ast.Expr, names: Mapping[str, str], module: str) -> ast.AST:
    """The store with its address and mask renamed and its value converted."""
    call = _copy(store)
    assert isinstance(call, ast.Expr)
    assert isinstance(call.value, ast.Call)
    value = ast.unparse(call.value.args[_VALUE])
    renamed = _Renamed(names)
    call.value.args = [renamed.visit(argument) for argument in call.value.args]
    for keyword in call.value.keywords:
        keyword.value = renamed.visit(keyword.value)
    call.value.args[_VALUE] = ast.parse(f"{module}.convert_layout({value}, {_STORE})", mode="eval").body
    return call


def _qualified(layout: str, module: str) -> str:
    """A layout expression with the module in front of each class."""
    tree = ast.parse(layout, mode="eval")
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            node.func.id = f"{module}.{node.func.id}"
    return ast.unparse(tree)
