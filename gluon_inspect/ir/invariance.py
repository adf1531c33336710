"""Operations that compute the same in every iteration of their loop."""

from __future__ import annotations

from gluon_inspect.ir.operations import (
    row_of,
)
from gluon_inspect.ir.structure import Structure
from gluon_inspect.model.mlir import Operation


def is_invariant(op: Operation, structure: Structure) -> bool:
    """Whether an operation in a loop depends on nothing that its innermost loop changes."""
    loop = structure.loop_of(op)
    if loop is None:
        return False
    pending, seen = [op], set[int]()
    while pending:
        at = pending.pop()
        if at is not op and not row_of(at).is_pure:
            return False
        for value in at.operands:
            maker = structure.makers.get(value.index)
            if maker is None:
                if _is_argument_of(value.index, loop):
                    return False
            elif _is_inside(maker, loop, structure) and value.index not in seen:
                seen.add(value.index)
                pending.append(maker)
    return True


def _is_argument_of(value: int, loop: Operation) -> bool:
    """Block arguments of the loop, or of anything in it, change with its iterations."""
    return any(
        argument.index == value
        for inner in loop.walk()
        for region in inner.regions
        for block in region.blocks
        for argument in block.arguments
    )


def _is_inside(op: Operation, loop: Operation, structure: Structure) -> bool:
    at = structure.parents.get(op)
    while at is not None:
        if at is loop:
            return True
        at = structure.parents.get(at)
    return False
