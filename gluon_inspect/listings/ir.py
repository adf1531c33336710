"""TTGIR as people read it: no locations, layouts in Gluon's syntax, aliases short or spelled out."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache

from gluon_inspect.errors import InspectError
from gluon_inspect.ir.graph import graph_of
from gluon_inspect.ir.operations import builtin, row_of
from gluon_inspect.ir.operations.kinds import OperationKind
from gluon_inspect.listings.document import Chain, Document, Language, chain_of, shown_lines
from gluon_inspect.model.encodings import OpaqueEncoding
from gluon_inspect.model.mlir import Module, Operation
from gluon_inspect.wording.layouts import short_layout

_LOCATION = re.compile(r" ?\bloc\((?:[^()\"]|\"[^\"]*\"|\((?:[^()\"]|\"[^\"]*\"|\([^()]*\))*\))*\)")
_LOCATION_ALIAS = re.compile(r"#loc\d*\s*=")
_ALIAS = re.compile(r"#([A-Za-z_]\w*) = (#\w+\.\w+.*)$")
_USE = re.compile(r"#([A-Za-z_]\w*)\b(?!\.)")
_ATTRIBUTE = re.compile(r"#(?:ttg|ttng|amdg|amdgpu|gluon)\.\w+<")
_DEPTH = 16
_RANKS = {
    **dict.fromkeys((OperationKind.GLOBAL_LOAD, OperationKind.GLOBAL_STORE, OperationKind.GLOBAL_ATOMIC), 3),
    **dict.fromkeys((OperationKind.GLOBAL_TO_SHARED, OperationKind.SHARED_TO_GLOBAL, OperationKind.MMA), 3),
    **dict.fromkeys((OperationKind.BULK_LOAD, OperationKind.BULK_STORE), 3),
    **dict.fromkeys((OperationKind.SHARED_LOAD, OperationKind.SHARED_STORE, OperationKind.SHARED_ATOMIC), 2),
    **dict.fromkeys((OperationKind.TENSOR_LOAD, OperationKind.TENSOR_STORE, OperationKind.TENSOR_COPY), 2),
    **dict.fromkeys((OperationKind.CONVERSION, OperationKind.REDUCTION, OperationKind.SCAN), 2),
    **dict.fromkeys((OperationKind.GATHER, OperationKind.SHARED_ALLOC), 2),
    **dict.fromkeys((OperationKind.WAIT, OperationKind.MBARRIER, OperationKind.BARRIER), 1),
}
"""How much of its place's time an operation takes: what it shares a line and column with is cheap."""


class Form(StrEnum):
    """How layouts are written: by alias, spelled out in Gluon's syntax, or the text as it stands."""

    SHORT = "short"
    SPELLED = "spelled out"
    RAW = "raw"


@dataclass(frozen=True, slots=True)
class IrText:
    """The IR in one form, and which line of the original each shown line is (0-based)."""

    document: Document
    origin: tuple[int, ...]
    operations: Mapping[int, Operation] = field(default_factory=dict[int, Operation])
    """By index of the shown line."""


def ir_text(name: str, text: str, form: Form) -> IrText:
    """The IR without places: quick, for the first look. `located` adds them once the module is parsed."""
    lines = shown_lines(text)
    if form is Form.RAW:
        return IrText(Document(name, Language.MLIR, lines), tuple(range(len(lines))))
    rewrite = _rewriter(lines, form)
    kept = [index for index, line in enumerate(lines) if not _LOCATION_ALIAS.match(line)]
    shown = tuple(rewrite(lines[index]) for index in kept)
    return IrText(Document(name, Language.MLIR, shown), tuple(kept))


def located(view: IrText, module: Module) -> IrText:
    """The same text with the places and operations of the module it was printed from."""
    at = {origin: shown for shown, origin in enumerate(view.origin)}
    chains: dict[int, tuple[Chain, ...]] = {}
    operations: dict[int, Operation] = {}
    ranks: dict[int, int] = {}
    for operation in graph_of(module).operations:
        line = at.get(module.source.position(operation.span.start).line - 1)
        if line is None or operation.name in (builtin.MODULE.name, "module"):
            continue
        operations.setdefault(line, operation)
        if rank := _RANKS.get(row_of(operation).kind, 0):
            ranks[line] = max(rank, ranks.get(line, 0))
        if chain := chain_of(operation.location):
            chains[line] = (*chains.get(line, ()), chain)
    whole = Document(view.document.name, Language.MLIR, view.document.lines, chains, ranks)
    return IrText(whole, view.origin, operations)


def _rewriter(lines: tuple[str, ...], form: Form) -> Callable[[str], str]:
    aliases = _aliases(lines)

    def rewrite(line: str) -> str:
        line = _LOCATION.sub("", line)
        if definition := _ALIAS.match(line):
            return f"#{definition[1]} = {_spelled(aliases.get(definition[1], definition[2]))}"
        if "#" not in line:
            return line
        if form is Form.SPELLED:
            return _attributes(_expanded(line, aliases), _spelled)
        return _attributes(line, short_layout)

    return rewrite


def _aliases(lines: tuple[str, ...]) -> dict[str, str]:
    """Each alias's attribute with the aliases inside it expanded."""
    found = {match[1]: match[2] for line in lines if line.startswith("#") and (match := _ALIAS.match(line))}
    for _ in range(_DEPTH):
        expanded = {name: _expanded(text, found) for name, text in found.items()}
        if expanded == found:
            break
        found = expanded
    return found


def _expanded(text: str, aliases: Mapping[str, str]) -> str:
    return _USE.sub(lambda use: aliases.get(use[1], use[0]), text)


def _attributes(line: str, write: Callable[[str], str]) -> str:
    """The line with each layout attribute rewritten; one that does not close is left as it is."""
    parts: list[str] = []
    done = 0
    while match := _ATTRIBUTE.search(line, done):
        end = _closing(line, match.end())
        if end < 0:
            break
        parts += [line[done : match.start()], write(line[match.start() : end])]
        done = end
    return "".join(parts) + line[done:]


def _closing(line: str, start: int) -> int:
    depth = 1
    for at in range(start, len(line)):
        if line[at] == "<":
            depth += 1
        elif line[at] == ">" and line[at - 1] != "-":
            depth -= 1
            if not depth:
                return at + 1
    return -1


@lru_cache(maxsize=1024)
def _spelled(attribute: str) -> str:
    """In Gluon's syntax; the attribute itself where it is no layout that Gluon can write."""
    # Loaded here, in the background: the first screen must not wait for NumPy and the grammar.
    from gluon_inspect.ir.text import parse_encoding
    from gluon_inspect.layouts.gluon_syntax import write_layout

    try:
        encoding = parse_encoding(attribute)
    except InspectError:
        return attribute
    return attribute if isinstance(encoding, OpaqueEncoding) else write_layout(encoding)
