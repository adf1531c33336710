"""Accesses of one tensor that take turns: each reads or writes every k-th element, together all of them."""

from __future__ import annotations

from collections.abc import Sequence

from gluon_inspect.axis.weak_arguments import pointers_behind
from gluon_inspect.facts.launched import Facts
from gluon_inspect.ir.graph import Graph
from gluon_inspect.ir.operations import operand
from gluon_inspect.model.access import Access, Direction, Space
from gluon_inspect.model.mlir import Operation


def interleaved(facts: Facts) -> tuple[tuple[Access, ...], ...]:
    """Groups of k accesses to one tensor, k elements apart along their contiguous dimension, each with its phase.

    Their first lanes differ by less than k elements, so the sectors that one of them touches are those of all.
    """
    if facts.graph is None:
        return ()
    operations = {op.span.start: op for op in facts.graph.operations}
    groups: dict[tuple[object, ...], list[Access]] = {}
    for access in facts.accesses:
        step = _step(access)
        if step is not None and step > 1:
            of = _pointers(operations.get(access.result_of), facts.graph)
            geometry = access.geometry
            strides = () if geometry is None else geometry.dim_strides_bytes
            key = (of, access.op, access.shape, access.element_bits, strides, access.executions, step)
            groups.setdefault(key, []).append(access)
    return tuple(tuple(group) for key, group in groups.items() if key[0] and _take_turns(group))


def _step(access: Access) -> int | None:
    """Elements between neighbours along the dimension in which they are nearest; None where unknown."""
    size, found = (access.element_bits or 0) // 8, access.geometry
    if access.space is not Space.GLOBAL or access.is_bulk or access.is_gather or found is None or not size:
        return None
    if access.direction not in (Direction.LOAD, Direction.STORE):
        return None
    strides = [abs(stride) for stride in found.dim_strides_bytes if stride]
    nearest = min(strides, default=0)
    return nearest // size if nearest % size == 0 else None


def _pointers(op: Operation | None, graph: Graph) -> tuple[int, ...]:
    pointer = None if op is None else operand(op, "ptr")
    return () if pointer is None else tuple(each.index for each in pointers_behind(pointer, graph))


def _take_turns(group: Sequence[Access]) -> bool:
    """Whether the accesses are as many as the elements of a step, each with a phase of its own."""
    step, size = _step(group[0]) or 0, (group[0].element_bits or 0) // 8
    phases = {a.geometry.misalignment_bytes for a in group if a.geometry is not None}
    known = [phase for phase in phases if phase is not None]
    return len(known) == len(group) == step and max(known) - min(known) < step * size
