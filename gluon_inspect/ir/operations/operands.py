"""Which of an operation's operands play a role."""

from collections.abc import Mapping

from gluon_inspect.model.mlir import Operation, Value


def operands_of(op: Operation, role: str) -> tuple[Value, ...]:
    """All operands that play a role, as the operation's row names it."""
    groups = op.attributes.get("operand_groups")
    places = groups.get(role, ()) if isinstance(groups, Mapping) else ()
    if not isinstance(places, tuple):
        places = (places,)
    return tuple(op.operands[place] for place in places if isinstance(place, int))


def operand(op: Operation, role: str) -> Value | None:
    """The first operand that plays a role; None where it is absent."""
    return next(iter(operands_of(op, role)), None)
