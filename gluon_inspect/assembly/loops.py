"""Loops of a function's assembly: what a backward branch encloses."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from gluon_inspect.model.asm import Function, Instruction

_BRANCH = re.compile(r"(?:BRA|bra|s_cbranch_\w+|s_branch|s_cbranch)$")
_LABEL = re.compile(r"`?\(?([\w.$]+)\)?$")
_ADDRESS = re.compile(r"(0x[0-9a-f]+)$")


@dataclass(frozen=True, slots=True)
class Loop:
    """Instructions `first` to `last` (both included) of a function, repeated by the branch at `last`."""

    first: int
    last: int


def innermost_loops(function: Function) -> tuple[Loop, ...]:
    """The loops that hold no other loop, in order.

    Loops are taken to lie in one piece, as LLVM and ptxas place them; a branch of an instruction to itself
    (the padding behind a kernel's end) is none.
    """
    offsets = {each.offset: index for index, each in enumerate(function.instructions) if each.offset >= 0}
    loops: dict[int, Loop] = {}
    for index, instruction in enumerate(function.instructions):
        target = branch_target(instruction, function.labels, offsets)
        if target is not None and target < index:
            loops[target] = Loop(target, index)
    return tuple(
        loop
        for loop in sorted(loops.values(), key=lambda loop: loop.first)
        if not any(_inside(other, loop) for other in loops.values() if other != loop)
    )


def _inside(inner: Loop, outer: Loop) -> bool:
    return outer.first <= inner.first and inner.last <= outer.last


def branch_target(instruction: Instruction, labels: Mapping[str, int], offsets: Mapping[int, int]) -> int | None:
    """The index of the instruction that a branch goes to; None for anything else."""
    name = instruction.root if instruction.root in ("BRA", "bra") else instruction.opcode
    if not _BRANCH.match(name) or not instruction.operands:
        return None
    operand = instruction.operands[-1]
    if address := _ADDRESS.match(operand):
        return offsets.get(int(address[1], 16))
    label = _LABEL.match(operand)
    return labels.get(label[1]) if label else None
