"""Conversions that stand around one access: of its pointers, mask and other, and of the value that it moves.

The compiler gives an access a layout of its own and converts all that goes in and out. One choice made them, and
one takes them away.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gluon_inspect.ir.graph import Graph
from gluon_inspect.ir.operations import operand, row_of, ttg
from gluon_inspect.ir.operations.kinds import OperationKind as K
from gluon_inspect.model.access import Conversion
from gluon_inspect.model.mlir import Operation

_WORDS = {"ptr": "pointers", "mask": "mask", "other": "other", "value": "value"}


@dataclass(frozen=True, slots=True)
class Around:
    """An access with a layout of its own: the conversions around it, and what each converts, in words."""

    op: Operation
    conversions: tuple[Conversion, ...]
    converted: tuple[str, ...]

    @property
    def value(self) -> Conversion | None:
        """That of what is loaded or stored."""
        return dict(zip(self.converted, self.conversions, strict=True)).get("value")


def around_accesses(conversions: Sequence[Conversion], graph: Graph | None) -> tuple[Around, ...]:
    """Every load or store whose pointers are converted, and something else of it as well."""
    if graph is None:
        return ()
    made = {each.result_of: each for each in conversions if each.op == ttg.CONVERT_LAYOUT.name}
    found = (_around(op, made, graph) for op in graph.operations if row_of(op).kind in _ACCESSES)
    return tuple(each for each in found if each is not None and len(each.conversions) > 1)


_ACCESSES = (K.GLOBAL_LOAD, K.GLOBAL_STORE)


def _around(op: Operation, made: dict[int, Conversion], graph: Graph) -> Around | None:
    members: dict[str, Conversion] = {}
    for role, word in _WORDS.items():
        value = operand(op, role)
        maker = None if value is None else graph.maker(value)
        if value is None or maker is None or maker.span.start not in made:
            continue
        if len(graph.users.get(value.index, ())) == 1:
            members[word] = made[maker.span.start]
    if "pointers" not in members:
        return None
    for result in op.results:
        users = graph.users.get(result.index, ())
        if len(users) == 1 and users[0].span.start in made:
            members["value"] = made[users[0].span.start]
    return Around(op, tuple(members.values()), tuple(members))
