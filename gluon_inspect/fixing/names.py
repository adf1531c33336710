"""Names that a piece of source reads and assigns."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gluon_inspect.fixing.parsed import nodes


def names_in(node: cst.CSTNode) -> set[str]:
    """Every name in a node, attributes and keywords too."""
    return {each.value for each in nodes(node, cst.Name)}


def read_names(node: cst.CSTNode) -> set[str]:
    """Names in an expression; of `a.b` and `f(key=a)` the `a` alone."""
    return {name.value for name in variables(node)}


def variables(node: cst.CSTNode) -> Iterator[cst.Name]:
    """The nodes of those names."""
    match node:
        case cst.Name():
            yield node
        case cst.Attribute() | cst.Arg():
            yield from variables(node.value)
        case _:
            for child in node.children:
                yield from variables(child)


def assigned_names(statement: cst.CSTNode) -> Iterator[str]:
    """Every name that a statement may assign, nested ones included."""
    kinds = (cst.AssignTarget, cst.AnnAssign, cst.AugAssign, cst.For, cst.NamedExpr)
    for each in nodes(statement, cst.CSTNode):
        if isinstance(each, kinds):
            yield from (name.value for name in nodes(each.target, cst.Name))
