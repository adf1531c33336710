"""What is known of an operation: one row of a dialect's table. The rows stand in the dialects' files."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from gluon_inspect.ir.operations.constraints import Constraint
from gluon_inspect.ir.operations.effects import BulkEffect, LaneEffect, Move


class OperationKind(StrEnum):
    """What an operation does to memory and values; one kind an operation."""

    CONSTANT = "constant"
    QUERY = "query"
    """Program ids, warp ids, sizes: a scalar that the hardware or the launch knows."""
    ARITHMETIC = "arithmetic"
    SHAPE = "shape"
    """splat, broadcast, expand_dims, reshape, trans, join, split: elements are moved or repeated, not computed."""
    CONVERSION = "conversion"
    """A change of a tensor's layout."""
    REDUCTION = "reduction"
    SCAN = "scan"
    GATHER = "gather"
    MMA = "mma"
    GLOBAL_LOAD = "global load"
    GLOBAL_STORE = "global store"
    GLOBAL_ATOMIC = "global atomic"
    GLOBAL_TO_SHARED = "global to shared"
    """cp.async and buffer loads to LDS: every lane has its own address."""
    SHARED_TO_GLOBAL = "shared to global"
    BULK_LOAD = "bulk load"
    """TMA / TDM: one instruction moves a box of global memory to shared memory."""
    BULK_STORE = "bulk store"
    BULK_PREFETCH = "bulk prefetch"
    SHARED_ALLOC = "shared alloc"
    SHARED_FREE = "shared free"
    SHARED_VIEW = "shared view"
    SHARED_LOAD = "shared load"
    SHARED_STORE = "shared store"
    SHARED_ATOMIC = "shared atomic"
    TENSOR_ALLOC = "tensor memory alloc"
    TENSOR_VIEW = "tensor memory view"
    TENSOR_LOAD = "tensor memory load"
    TENSOR_STORE = "tensor memory store"
    TENSOR_COPY = "tensor memory copy"
    """Shared memory to tensor memory."""
    DESCRIPTOR = "descriptor"
    BARRIER = "barrier"
    """Every thread of the CTA, cluster or partition meets here."""
    MBARRIER = "mbarrier"
    """Initialise, arrive at, expect or wait for a barrier object in shared memory."""
    WAIT = "wait"
    """Commit or wait for asynchronous copies and MMAs."""
    FENCE = "fence"
    CONTROL = "control"
    CALL = "call"
    FUNCTION = "function"
    MODULE = "module"
    ASSEMBLY = "assembly"
    """Inline assembly or an external function: what it does to memory is unknown unless declared pure."""
    SCRATCH = "scratch"
    DEBUG = "debug"
    HINT = "hint"
    OPAQUE = "opaque"
    """Without a row: nothing is known of it."""


_PURE = frozenset(
    {
        *(OperationKind.CONSTANT, OperationKind.QUERY, OperationKind.ARITHMETIC, OperationKind.SHAPE),
        *(OperationKind.CONVERSION, OperationKind.REDUCTION, OperationKind.SCAN, OperationKind.GATHER),
    }
)
_READING = frozenset(
    {
        *(
            OperationKind.GLOBAL_LOAD,
            OperationKind.BULK_LOAD,
            OperationKind.SHARED_LOAD,
            OperationKind.TENSOR_LOAD,
        ),
        *(OperationKind.GLOBAL_ATOMIC, OperationKind.SHARED_ATOMIC),
    }
)


class ResultRule(StrEnum):
    """How an operation's result types follow from its text."""

    LISTED = "listed"
    """After the last `->` or `to`, else the last type list; one type repeats for all results."""
    LAST = "last"
    """The last type written."""
    OPERAND = "operand"
    """The type of operand 0."""
    POINTEE = "pointee"
    """What the first type written points to, with its shape and encoding."""
    BOOLEAN = "boolean"
    """i1, with the shape and encoding of the first type written."""
    LITERAL = "literal"
    """The literal's own type."""
    FIXED = "fixed"
    """`OperationRow.result_type`, whatever the text lists."""
    ELEMENT = "element"
    """The element type of operand 0."""
    TOKEN_SECOND = "token second"
    """Listed, with an async token as result 1 where the text has a `[…]` for it."""


@dataclass(frozen=True, slots=True)
class Roles:
    """Names for operands.

    `positional` in textual order, the last one repeating where it ends in `*`; `brackets` pairs the
    positional role before a `[…]` with the role inside; `keywords` maps the word in front of an operand
    to its role; `segments` is the order of the generic form.
    """

    positional: tuple[str, ...] = ()
    brackets: tuple[tuple[str, str], ...] = ()
    keywords: Mapping[str, str] = field(default_factory=dict[str, str])
    segments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class OperationRow:
    """Everything that is known of one operation; rows are compared by identity and can be keys.

    Syntax. `words` names the bare words and numbers of the custom form, in order; `symbol` the attribute that
    an `@name` is; `bracket` the attribute that a `[…]` of numbers is; `literal` the attribute that the text
    between name and type is. `shorthand` is the type in front of a bare `<…>`. `terminator` is what an
    unterminated region of it ends with. `isolated`: its regions see no value from outside.
    `regions`: it has some, so that `{}` is an empty region. `dialect` is the one that names without a
    dialect inside it belong to.

    Effect. `lanes` on global memory, lane by lane; `bulk` on global memory, by boxes; `shared` and `tensor`
    between registers and a buffer there. `predicate`: the role of what decides whether it takes effect,
    of operations that are no access to global memory.

    Meaning. `elementwise`: element i of the results depends on elements i of the operands alone. `pure`: no
    effect, and a result that depends on the operands alone; None: as its kind says. `loop`: its regions
    repeat. `combines`: its regions say how elements combine and run as it does. `hands_over`: it ends a block
    and its operands leave with the operation around it.

    `requires`: what its operands and results must fit, in the order in which it is looked at.
    """

    name: str
    kind: OperationKind
    result: ResultRule = ResultRule.LISTED
    result_type: str = ""
    roles: Roles = Roles()
    words: tuple[str, ...] = ()
    symbol: str = "callee"
    bracket: str = ""
    literal: str = ""
    shorthand: str = ""
    terminator: str = ""
    isolated: bool = False
    regions: bool = False
    dialect: str = ""
    lanes: LaneEffect | None = None
    bulk: BulkEffect | None = None
    shared: Move | None = None
    tensor: Move | None = None
    predicate: str = ""
    elementwise: bool = False
    pure: bool | None = None
    loop: bool = False
    combines: bool = False
    hands_over: bool = False
    requires: tuple[Constraint, ...] = ()

    @property
    def is_pure(self) -> bool:
        """Whether it could be left out or done twice without anybody noticing."""
        return self.kind in _PURE if self.pure is None else self.pure

    @property
    def is_global_access(self) -> bool:
        """Whether it addresses global memory in a way that is modelled."""
        return self.lanes is not None or self.bulk is not None

    @property
    def reads_memory(self) -> bool:
        """Whether its result comes out of memory."""
        return self.kind in _READING

    @property
    def is_view(self) -> bool:
        """Whether its result is part of the buffer that is its first operand."""
        return self.kind in (OperationKind.SHARED_VIEW, OperationKind.TENSOR_VIEW)

    @property
    def is_allocation(self) -> bool:
        """Whether its result is a new buffer."""
        return self.kind in (OperationKind.SHARED_ALLOC, OperationKind.TENSOR_ALLOC)


OPAQUE = OperationRow("", OperationKind.OPAQUE)
"""What is known of an operation without a row."""
