"""Which role each operand of an operation has, by its row."""

from __future__ import annotations

from collections.abc import Mapping

from gluon_inspect.ir.operations.kinds import Roles
from gluon_inspect.ir.text.frames import OperationFrame
from gluon_inspect.model.mlir import Attribute


def role_of(frame: OperationFrame, roles: Roles, keyword: str, *, in_square: bool) -> str:
    """The role of the operand at hand in the custom form; counts it."""
    positional = roles.positional
    before = positional[min(max(frame.position - 1, 0), len(positional) - 1)].rstrip("*")
    if keyword in roles.keywords:
        return roles.keywords.get(f"{before} {keyword}", roles.keywords[keyword]).rstrip("*")
    if in_square:
        return _in_square(frame, [role for after, role in roles.brackets if after == before])
    name = positional[min(frame.position, len(positional) - 1)]
    frame.brackets = 0
    frame.position = min(frame.position + 1, len(positional))
    return name.rstrip("*")


def repeats(roles: Roles, keyword: str) -> bool:
    """Whether several operands may follow a keyword."""
    return roles.keywords.get(keyword, "").endswith("*")


def _in_square(frame: OperationFrame, brackets: list[str]) -> str:
    """The role in the bracket at hand, one of those that may follow the last positional operand."""
    if not brackets:
        return "index"
    inside = brackets[min(frame.brackets, len(brackets)) - 1].split(",")
    frame.in_bracket += 1
    return inside[min(frame.in_bracket, len(inside)) - 1]


def generic_roles(roles: Roles, count: int, attributes: Mapping[str, Attribute]) -> dict[str, list[int]]:
    """Operand indices by role in the generic form, from operandSegmentSizes where there is one."""
    names = roles.segments
    groups: dict[str, list[int]] = {}
    at = 0
    for name, size in zip(names, _sizes(names, count, attributes), strict=False):
        taken = list(range(at, min(at + size, count)))
        if taken:
            groups.setdefault(name.rstrip("*"), []).extend(taken)
        at += size
    return groups


def _sizes(names: tuple[str, ...], count: int, attributes: Mapping[str, Attribute]) -> list[int]:
    written = attributes.get("operandSegmentSizes")
    if isinstance(written, tuple):
        return [size if isinstance(size, int) else 0 for size in written]
    fixed = sum(name[-1] != "*" for name in names)
    many = sum(name[-1] == "*" for name in names)
    return [1 if name[-1] != "*" else max(count - fixed, 0) // many for name in names]
