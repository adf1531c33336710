"""What each operation does to global memory, lane by lane: which operand is the address, which the mask."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gluon_inspect.model.access import Direction
from gluon_inspect.model.mlir import Operation, Value


@dataclass(frozen=True, slots=True)
class GlobalOp:
    """One row: the direction seen from global memory, and the roles of the operands (their ODS names).

    `offsets`: the role of a tensor of element offsets to a scalar pointer (buffer operations), or empty.
    `once`: copies in other lanes and warps are predicated off.
    """

    direction: Direction
    address: str = "ptr"
    offsets: str = ""
    mask: str = "mask"
    once: bool = False
    shared: str = ""


GLOBAL_OPS: dict[str, GlobalOp] = {
    "tt.load": GlobalOp(Direction.LOAD),
    "tt.store": GlobalOp(Direction.STORE, once=True),
    "tt.atomic_rmw": GlobalOp(Direction.ATOMIC, once=True),
    "tt.atomic_cas": GlobalOp(Direction.ATOMIC, mask="", once=True),
    "ttg.async_copy_global_to_local": GlobalOp(Direction.COPY, address="src", shared="result", once=True),
    "amdg.async_copy_local_to_global": GlobalOp(Direction.STORE, address="dst", once=True),
    "amdg.buffer_load": GlobalOp(Direction.LOAD, offsets="offsets"),
    "amdg.buffer_store": GlobalOp(Direction.STORE, offsets="offsets", once=True),
    "amdg.buffer_atomic_rmw": GlobalOp(Direction.ATOMIC, offsets="offsets", once=True),
    "amdg.buffer_atomic_cas": GlobalOp(Direction.ATOMIC, offsets="offsets", mask="", once=True),
    "amdg.buffer_load_to_local": GlobalOp(Direction.COPY, offsets="offsets", shared="dest", once=True),
}


def row_of(op: Operation) -> GlobalOp | None:
    """The row of an operation (its old dialect name included); None if it is no such access."""
    return GLOBAL_OPS.get(op.name.replace("amdgpu.", "amdg.", 1))


def operand(op: Operation, role: str) -> Value | None:
    """The operand that plays a role, as the parser's table names it; None where it is absent."""
    groups = op.attributes.get("operand_groups")
    if not role or not isinstance(groups, Mapping):
        return None
    found = groups.get(role)
    if isinstance(found, tuple) and found and isinstance(found[0], int):
        return op.operands[found[0]]
    return op.operands[found] if isinstance(found, int) else None
