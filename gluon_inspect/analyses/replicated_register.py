"""Registers that hold copies: the same elements in several lanes or warps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gluon_inspect.facts.launched import Facts
from gluon_inspect.layouts.fitting import blocked_without_copies
from gluon_inspect.layouts.gluon_syntax import write_layout
from gluon_inspect.model.access import Access, Direction, Space
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.finding import AnalysisResult, Column, Finding, Rule, Severity, Table
from gluon_inspect.model.report import RegisterTensor

_SMALL_BYTES = 1024
"""Copies of less than this a program are not worth a word."""
_SERIOUS_SHARE = 0.25

REPLICATED = Rule(
    code="GI301",
    name="replicated-register",
    summary="A tensor smaller than its layout's tile is held several times, in several lanes or warps.",
    what=(
        "Copies are of three kinds. In the register dimension the layout names registers that the compiler "
        "merges, which costs nothing. Across lanes or across warps every copy takes a register, and every "
        "load and every operation on it is executed again."
    ),
    why=(
        "The copies use registers (fewer warps fit an SM), loads are repeated by every warp that holds one, "
        "and arithmetic is done once a copy."
    ),
    how=(
        "Free variables of the tensor's linear layout: zero bases among its lane and warp bases. Slices of a "
        "layout (the rows of a reduction) and operands of a matrix unit cannot do without copies: they are "
        "listed, and are a finding only from a quarter of the thread's registers on."
    ),
    not_modelled="Which of the copies are alive at once.",
    bad="""
@gluon.jit
def kernel(src, dst):
    # an 8 x 8 tensor in a tile of 64 x 16: 16 copies of each element
    layout: gl.constexpr = gl.BlockedLayout([2, 4], [8, 4], [4, 1], [1, 0])
    x = gl.arange(0, 8, layout=gl.SliceLayout(1, layout))
    y = gl.arange(0, 8, layout=gl.SliceLayout(0, layout))
    offsets = x[:, None] * 8 + y[None, :]
    gl.store(dst + offsets, gl.load(src + offsets))


src, dst = torch.empty(2, 8 * 8, device="cuda")
kernel[(1,)](src, dst)
""",
    good="""
@gluon.jit
def kernel(src, dst):
    # a tile no larger than the tensor: 64 x 16
    layout: gl.constexpr = gl.BlockedLayout([2, 4], [8, 4], [4, 1], [1, 0])
    x = gl.arange(0, 64, layout=gl.SliceLayout(1, layout))
    y = gl.arange(0, 16, layout=gl.SliceLayout(0, layout))
    offsets = x[:, None] * 16 + y[None, :]
    gl.store(dst + offsets, gl.load(src + offsets))


src, dst = torch.empty(2, 64 * 16, device="cuda")
kernel[(1,)](src, dst)
""",
)
RULES = (REPLICATED,)


def run(facts: Facts) -> AnalysisResult:
    """A table of the loaded and computed tensors with copies, and a finding for each that matters.

    Indices and masks of one dimension are held in copies by every layout of two, so they are left out.
    """
    held = [tensor for tensor in facts.registers.tensors if _copies(tensor) > 1]
    shown = _distinct(tensor for tensor in held if tensor.is_data)
    tables = (_table(shown),) if shown else ()
    return AnalysisResult(findings=tuple(_findings(facts, held)), tables=tables)


def _distinct(tensors: Iterable[RegisterTensor]) -> list[RegisterTensor]:
    """One of those that differ only in the operation that made them."""
    return list({(t.name, t.shape, t.layout, t.element_bits): t for t in tensors}.values())


def _copies(tensor: RegisterTensor) -> int:
    return tensor.replication.lane * tensor.replication.warp


def _wasted_registers(tensor: RegisterTensor) -> int:
    """Physical registers a program beyond one copy."""
    return tensor.registers_per_program - tensor.registers_per_program // _copies(tensor)


def _findings(facts: Facts, held: list[RegisterTensor]) -> Iterator[Finding]:
    worst: dict[tuple[str, int] | None, RegisterTensor] = {}
    for tensor in held:
        if not tensor.is_data or _wasted_registers(tensor) * 4 < _SMALL_BYTES // 2:
            continue
        if tensor.layout.startswith(_DERIVED) and (_share(facts, tensor) or 0) < _SERIOUS_SHARE:
            continue
        key = _place(tensor)
        if key not in worst or _wasted_registers(worst[key]) < _wasted_registers(tensor):
            worst[key] = tensor
    for number, tensor in enumerate(worst.values()):
        yield _finding(facts, tensor, number)


def _place(tensor: RegisterTensor) -> tuple[str, int] | None:
    """The author's line that makes it."""
    author = None if tensor.location is None else tensor.location.author
    return None if author is None else (author.file, author.line)


def _finding(facts: Facts, tensor: RegisterTensor, number: int) -> Finding:
    share, suggestion = _share(facts, tensor), _once(facts, tensor)
    repeated = suggestion is not None and _loads_again(facts, tensor)
    return Finding(
        id=f"{REPLICATED.code}-{number}",
        rule=REPLICATED.code,
        name=REPLICATED.name,
        severity=_severity(facts, share, repeated),
        confidence=Confidence.EXACT,
        model=ModelStatus.DOCUMENTED if facts.target.backend == "hip" else ModelStatus.VALIDATED,
        message=_message(tensor, share) + (_AGAIN if repeated else ""),
        location=tensor.location,
        evidence={
            "registers_per_thread": tensor.registers_per_thread,
            "registers_per_program": tensor.registers_per_program,
            "unique_elements": tensor.unique_elements,
            "lane_copies": tensor.replication.lane,
            "warp_copies": tensor.replication.warp,
            "layout": tensor.layout,
            "suggestion": suggestion,
        },
        help=f"{suggestion} holds each element once" if suggestion else _HELP,
    )


def _severity(facts: Facts, share: float | None, repeated: bool) -> Severity:
    """A note where the compiler chose the layout, unless copies are loaded again and again."""
    serious = share is None or share >= _SERIOUS_SHARE
    return Severity.WARNING if repeated or (serious and "ttir" not in facts.kernel.stages) else Severity.NOTE


_DERIVED = ("SliceLayout", "DotOperandLayout")
"""Layouts that follow from another one, copies included: the author cannot choose them apart."""
_WHOLE = ("BlockedLayout", "DistributedLinearLayout")
_HELP = "a layout whose tile is no larger than the tensor, or fewer warps"


def _once(facts: Facts, tensor: RegisterTensor) -> str | None:
    """A blocked layout without copies in the access's direction; None where the tensor is too small or sliced."""
    if facts.num_warps is None or not tensor.layout.startswith(_WHOLE):
        return None
    fastest = next((dim for dim in _contiguous(facts, tensor) if dim is not None), len(tensor.shape) - 1)
    lanes = facts.target.warp_size
    found = blocked_without_copies(tensor.shape, fastest, tensor.element_bits, facts.num_warps, lanes)
    return None if found is None else write_layout(found, tensor.shape)


_AGAIN = "; every copy is loaded again in each iteration"


def _loads_again(facts: Facts, tensor: RegisterTensor) -> bool:
    """Whether lanes load copies of the tensor from memory in a loop."""
    programs = facts.programs.total
    if tensor.replication.lane == 1 or programs is None:
        return False
    return any(
        access.direction is Direction.LOAD and access.executions is not None and access.executions > programs
        for access in _accesses(facts, tensor)
    )


def _accesses(facts: Facts, tensor: RegisterTensor) -> Iterator[Access]:
    for access in facts.accesses:
        if access.space is Space.GLOBAL and access.layout == tensor.layout and access.shape == tensor.shape:
            yield access


def _contiguous(facts: Facts, tensor: RegisterTensor) -> Iterator[int | None]:
    for access in _accesses(facts, tensor):
        if access.geometry is not None:
            yield access.geometry.contiguous_dim


def _share(facts: Facts, tensor: RegisterTensor) -> float | None:
    total = facts.registers.per_thread
    if not total:
        return None
    return tensor.registers_per_thread * (1 - 1 / _copies(tensor)) / total


def _message(tensor: RegisterTensor, share: float | None) -> str:
    kinds = [
        f"{count} {word}"
        for count, word in ((tensor.replication.lane, "lanes"), (tensor.replication.warp, "warps"))
        if count > 1
    ]
    shape = "x".join(map(str, tensor.shape))
    named = f"{shape} tensor" if len(tensor.shape) > 1 else f"tensor of {shape}"
    of = "" if share is None else f", {share:.0%} of the thread's registers"
    if share is not None and share > 1:
        of = ", more than the thread has: they are not alive all at once"
    return (
        f"each element of this {named} is held in {' and '.join(kinds)}: "
        f"{tensor.registers_per_program} registers a program for {tensor.unique_elements} elements{of}"
    )


def _table(held: list[RegisterTensor]) -> Table:
    columns = (
        Column("tensor"),
        Column("registers a thread", "right"),
        Column("registers a program", "right"),
        Column("elements", "right"),
        Column("lane copies", "right"),
        Column("warp copies", "right"),
        Column("layout"),
    )
    ordered = sorted(held, key=_wasted_registers, reverse=True)[:12]
    rows = tuple(
        (
            f"{t.name or 'tensor'} {'x'.join(map(str, t.shape))}",
            t.registers_per_thread,
            t.registers_per_program,
            t.unique_elements,
            t.replication.lane,
            t.replication.warp,
            t.layout,
        )
        for t in ordered
    )
    return Table("replicated", "Tensors held more than once", columns, rows, tuple(t.location for t in ordered))
