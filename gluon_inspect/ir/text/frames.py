"""What the parser holds of operations and regions that have begun and not ended yet."""

from __future__ import annotations

from dataclasses import dataclass, field

from gluon_inspect.ir.operations.kinds import OperationRow
from gluon_inspect.model.mlir import Attribute, Block, Operation, Region, Value
from gluon_inspect.model.types import Type

NOWHERE = -1
"""A token that was not there."""


@dataclass(frozen=True, slots=True)
class Binding:
    """A name that a header gives to the region after it."""

    name: str
    type: Type
    offset: int
    location: str = ""


@dataclass(slots=True)
class OperationFrame:
    """An operation being read; `head` is the token of its name, `part` the one where its unread header begins.

    `results` are name, count and offset of each result group. `colon`, `last_colon`, `arrow` and `to` are
    tokens outside all brackets that type lists follow.
    """

    name: str
    row: OperationRow | None
    start: int
    head: int
    part: int
    generic: bool
    results: list[tuple[str, int, int]]
    opened: int = 0
    """Regions opened so far."""
    operands: list[Value] = field(default_factory=list[Value])
    groups: dict[str, list[int]] = field(default_factory=dict[str, "list[int]"])
    attributes: dict[str, Attribute] = field(default_factory=dict[str, Attribute])
    regions: list[Region] = field(default_factory=list[Region])
    successors: list[tuple[str, tuple[Value, ...]]] = field(default_factory=list["tuple[str, tuple[Value, ...]]"])
    bindings: list[Binding] = field(default_factory=list[Binding])
    """Names for the next region."""
    labels: list[tuple[str, int]] = field(default_factory=list["tuple[str, int]"])
    words: int = 0
    position: int = 0
    """Positional operands seen."""
    brackets: int = 0
    """`[…]` opened since the last positional operand."""
    in_bracket: int = 0
    """Operands seen in the `[…]` at hand."""
    colon: int = NOWHERE
    last_colon: int = NOWHERE
    arrow: int = NOWHERE
    to: int = NOWHERE
    region_list: bool = False
    """Inside `({…}, {…})` of the generic form."""
    token_bracket: bool = False
    """A `[…]` stood right after the first operand."""


@dataclass(slots=True)
class RegionFrame:
    """A region being read and the operation it belongs to; `label` and `arguments` are the current block's."""

    owner: OperationFrame
    name: str
    arguments: tuple[Value, ...] = ()
    label: str = ""
    blocks: list[Block] = field(default_factory=list[Block])
    operations: list[Operation] = field(default_factory=list[Operation])
    labels: set[str] = field(default_factory=set[str])
    used: list[tuple[str, int]] = field(default_factory=list["tuple[str, int]"])
    dialect: str = ""
    in_block: bool = False
