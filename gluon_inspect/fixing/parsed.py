"""A Python file as libcst reads it: nodes with the bytes they stand at, and what names refer to."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeVar

import libcst as cst
from libcst import metadata as m

from gluon_inspect.fixing.edits import Edit, Refused
from gluon_inspect.wording.places import short_path

_DEEPEST = 150
"""Nodes of the syntax tree in each other: libcst's visitors take three stack frames for each."""
_Node = TypeVar("_Node", bound=cst.CSTNode)


class Parsed:
    """One file. Raises Refused for text that is no Python."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        plain = text.removeprefix("\ufeff")
        if not _is_shallow(plain):
            raise Refused(f"{short_path(file)} cannot be read as Python")
        try:
            self.data = text.encode()
            self._start = len(self.data) - len(plain.encode())
            # what was parsed just now has a node object for each place, so that nothing need be copied
            self._wrapper = m.MetadataWrapper(cst.parse_module(plain), unsafe_skip_copy=True)
            self._spans = self._wrapper.resolve(m.ByteSpanPositionProvider)
        except (cst.ParserSyntaxError, RecursionError, ValueError) as error:
            raise Refused(f"{short_path(file)} cannot be read as Python") from error
        self.module = self._wrapper.module

    @cached_property
    def _scopes(self) -> Mapping[cst.CSTNode, m.Scope | None]:
        try:
            return self._wrapper.resolve(m.ScopeProvider)
        except RecursionError as error:
            raise Refused(f"{short_path(self.file)} is nested too deeply") from error

    @cached_property
    def _parents(self) -> Mapping[cst.CSTNode, cst.CSTNode]:
        return self._wrapper.resolve(m.ParentNodeProvider)

    @cached_property
    def functions(self) -> Sequence[cst.FunctionDef]:
        """Every function of the file, nested ones included."""
        return list(nodes(self.module, cst.FunctionDef))

    @cached_property
    def calls(self) -> Sequence[cst.Call]:
        """Every call of the file."""
        return list(nodes(self.module, cst.Call))

    def span(self, node: cst.CSTNode) -> tuple[int, int]:
        """The bytes that a node stands at, without comments and space around it."""
        found = self._spans[node]
        start = self._start + found.start
        return start, start + found.length

    def code(self, node: cst.CSTNode) -> str:
        """A node as the author wrote it."""
        start, end = self.span(node)
        return self.data[start:end].decode()

    def line(self, node: cst.CSTNode) -> int:
        """The 1-based line that a node begins at."""
        return self.data.count(b"\n", 0, self.span(node)[0]) + 1

    def last_line(self, node: cst.CSTNode) -> int:
        """The 1-based line that a node ends at."""
        return self.data.count(b"\n", 0, self.span(node)[1]) + 1

    def place(self, node: cst.CSTNode) -> str:
        """`file:line` of a node."""
        return f"{short_path(self.file)}:{self.line(node)}"

    def parent(self, node: cst.CSTNode) -> cst.CSTNode:
        """What a node is a part of; the module is its own."""
        return self._parents.get(node, self.module)

    def assignments(self, name: cst.Name) -> Sequence[m.BaseAssignment]:
        """What a name may refer to, where it is read."""
        scope = self._scopes.get(name)
        return () if scope is None else sorted(scope[name.value], key=self._where)

    def _where(self, assignment: m.BaseAssignment) -> int:
        return self.span(assignment.node)[0] if isinstance(assignment, m.Assignment) else -1

    def replaced(self, node: cst.CSTNode, text: str) -> Edit:
        """The edit that puts `text` in a node's place."""
        return Edit(*self.span(node), text)


def _is_shallow(text: str) -> bool:
    """Whether Python itself reads a text, and nothing in it is nested so deeply that libcst would overflow."""
    try:
        stack: list[tuple[ast.AST, int]] = [(ast.parse(text), 1)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    while stack:
        node, depth = stack.pop()
        if depth > _DEEPEST:
            return False
        stack.extend((child, depth + 1) for child in ast.iter_child_nodes(node))
    return True


def nodes(root: cst.CSTNode, kind: type[_Node]) -> Iterator[_Node]:
    """Every node of a kind below and including `root`, in the text's order."""
    stack: list[cst.CSTNode] = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, kind):
            yield node
        stack.extend(reversed(node.children))


def called(function: cst.BaseExpression) -> str:
    """The last part of what is called: `kernel` of `module.kernel`; empty for anything else."""
    match function:
        case cst.Name(value=name) | cst.Attribute(attr=cst.Name(value=name)):
            return name
        case _:
            return ""
