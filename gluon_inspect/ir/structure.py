"""How a module's values and blocks hang together: who uses what, in which loops."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gluon_inspect.ir.operations import (
    row_of,
)
from gluon_inspect.model.mlir import Module, Operation


@dataclass(frozen=True, slots=True)
class Structure:
    """`users` by value index, `makers` by result index, `parents` and `depths` by operation.

    `depths` counts the loops around an operation.
    """

    users: Mapping[int, tuple[Operation, ...]]
    makers: Mapping[int, Operation]
    parents: Mapping[Operation, Operation]
    depths: Mapping[Operation, int]
    warps: int
    ctas: int

    @staticmethod
    def of(module: Module) -> Structure:
        """Read a module once."""
        users: dict[int, list[Operation]] = {}
        makers: dict[int, Operation] = {}
        parents: dict[Operation, Operation] = {}
        depths: dict[Operation, int] = {}
        stack = [(op, 0) for op in module.operations]
        while stack:
            op, depth = stack.pop()
            depths[op] = depth
            for value in _uses(op):
                users.setdefault(value, []).append(op)
            makers |= {result.index: op for result in op.results}
            for inner in _nested(op):
                parents[inner] = op
                stack.append((inner, depth + row_of(op).loop))
        return Structure(
            {value: tuple(sorted(ops, key=lambda o: o.span.start)) for value, ops in users.items()},
            makers,
            parents,
            depths,
            _number(module, "ttg.num-warps", 4),
            _number(module, "ttg.num-ctas", 1),
        )

    def loop_of(self, op: Operation) -> Operation | None:
        """The innermost loop around an operation."""
        at = self.parents.get(op)
        while at is not None and not row_of(at).loop:
            at = self.parents.get(at)
        return at


def _uses(op: Operation) -> set[int]:
    passed = (value.index for _, values in op.successors for value in values)
    return {value.index for value in op.operands} | set(passed)


def _nested(op: Operation) -> list[Operation]:
    return [inner for region in op.regions for block in region.blocks for inner in block.operations]


def _number(module: Module, name: str, default: int) -> int:
    found = module.attributes.get(name)
    return found if isinstance(found, int) else default
