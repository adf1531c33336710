"""Shared memory that is read or written in pieces smaller than a word, and what keeps them small."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from gluon_inspect.cost.launch import share_of_width
from gluon_inspect.facts.launched import Facts
from gluon_inspect.facts.severity import THRESHOLDS, severity_of
from gluon_inspect.ir.operations import operand, row_of
from gluon_inspect.layouts.gluon_syntax import write_layout
from gluon_inspect.model.access import Access, Direction, Space
from gluon_inspect.model.confidence import Confidence
from gluon_inspect.model.encodings import Encoding, PaddedSharedEncoding, SwizzledSharedEncoding
from gluon_inspect.model.finding import AnalysisResult, Finding, Rule, Severity
from gluon_inspect.model.mlir import Operation
from gluon_inspect.model.types import MemDescType, TensorType, element_bits
from gluon_inspect.traffic.shared.lowering import matrix_support
from gluon_inspect.traffic.shared.search import Use, candidates, suggest, width_bits
from gluon_inspect.traffic.shared.transfer import Transfer

_WORD_BITS = 32

NARROW = Rule(
    code="GI205",
    name="narrow-shared-access",
    summary="Shared memory is read or written in less than a word a lane, where neighbours could go together.",
    what=(
        "A thread moves 8 or 16 bits by each instruction, though it holds more of the tile, and the same "
        "registers would move a word or more under another shared layout."
    ),
    why=(
        "Each instruction takes its issue slot and its turn at the banks whatever it moves, so that a tile in "
        "16-bit pieces costs twice to eight times the instructions, and halves of registers are then put together."
    ),
    how=(
        "The instruction width that Triton's lowering gives these registers and this shared layout, and what it "
        "would give without the padding, without the swizzle, and in other orders: the first of these that widens "
        "it is named. Silent where the store repeats a narrow load from global memory (GI101, GI102), and where "
        f"ldmatrix could be had (GI204). Severity follows the predicted loss: {THRESHOLDS}. Without one: a note."
    ),
    not_modelled="Instructions that LLVM or ptxas join later, and the moves that put halves together.",
    bad="""
@gluon.jit
def kernel(src, dst):
    # a thread's 4 rows lie apart in a buffer that is stored by rows
    rows: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])
    columns: gl.constexpr = gl.BlockedLayout([4, 1], [8, 4], [1, 4], [0, 1])
    padded: gl.constexpr = gl.PaddedSharedLayout.with_identity_for([[64, 8]], [64, 64], [1, 0])
    x = gl.arange(0, 64, layout=gl.SliceLayout(1, rows))
    y = gl.arange(0, 64, layout=gl.SliceLayout(0, rows))
    tile = gl.allocate_shared_memory(src.dtype.element_ty, [64, 64], padded)
    tile.store(gl.load(src + x[:, None] * 64 + y[None, :]))
    u = gl.arange(0, 64, layout=gl.SliceLayout(1, columns))
    v = gl.arange(0, 64, layout=gl.SliceLayout(0, columns))
    gl.store(dst + u[:, None] + v[None, :] * 64, tile.load(columns))


src, dst = torch.empty(2, 64 * 64, device="cuda", dtype=torch.float16)
kernel[(1,)](src, dst)
""",
    good="""
@gluon.jit
def kernel(src, dst):
    # what is read in rows lies in rows
    rows: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])
    others: gl.constexpr = gl.BlockedLayout([1, 8], [8, 4], [2, 2], [1, 0])
    padded: gl.constexpr = gl.PaddedSharedLayout.with_identity_for([[64, 8]], [64, 64], [1, 0])
    x = gl.arange(0, 64, layout=gl.SliceLayout(1, rows))
    y = gl.arange(0, 64, layout=gl.SliceLayout(0, rows))
    tile = gl.allocate_shared_memory(src.dtype.element_ty, [64, 64], padded)
    tile.store(gl.load(src + x[:, None] * 64 + y[None, :]))
    u = gl.arange(0, 64, layout=gl.SliceLayout(1, others))
    v = gl.arange(0, 64, layout=gl.SliceLayout(0, others))
    gl.store(dst + u[:, None] * 64 + v[None, :], tile.load(others))


src, dst = torch.empty(2, 64 * 64, device="cuda", dtype=torch.float16)
kernel[(1,)](src, dst)
""",
)
RULES = (NARROW,)


@dataclass(frozen=True, slots=True)
class _Cause:
    """Why a transfer is narrow, and the bits a lane without that."""

    words: str
    bits: int


def run(facts: Facts) -> AnalysisResult:
    """One finding for each access to shared memory that moves less than a word a lane."""
    return AnalysisResult(findings=tuple(_findings(facts)))


def _findings(facts: Facts) -> Iterator[Finding]:
    narrow = [access for access in facts.accesses if _is_narrow(access)]
    if not narrow:
        return
    for access in narrow:
        operation = facts.shared_operation(access)
        if operation is None or (access.direction is Direction.STORE and _repeats_a_load(access, facts)):
            continue
        steps = operation.lowering.of(store=access.direction is Direction.STORE)
        transfers = [step.transfer for step in steps if isinstance(step.transfer, Transfer)]
        cause = _cause(operation.op, transfers, access, facts)
        if cause is not None:
            yield _finding(operation.op, access, cause, transfers[0], facts)


def _is_narrow(access: Access) -> bool:
    plain = access.direction in (Direction.LOAD, Direction.STORE)
    return access.space is Space.SHARED and plain and 0 < (access.vector_bits or 0) < _WORD_BITS


def _repeats_a_load(store: Access, facts: Facts) -> bool:
    """Whether what is stored was loaded from global memory as narrowly, which is the cause then."""
    return any(
        load.space is Space.GLOBAL
        and load.direction is Direction.LOAD
        and (load.layout, load.shape) == (store.layout, store.shape)
        and 0 < (load.vector_bits or 0) < _WORD_BITS
        for load in facts.accesses
    )


def _parts(op: Operation) -> tuple[MemDescType, TensorType] | None:
    """The buffer and the registers' tensor of a plain load, store or filling allocation."""
    move = row_of(op).shared
    if move is None:
        return None
    buffer = next((v.type for v in (*op.operands, *op.results) if isinstance(v.type, MemDescType)), None)
    value = operand(op, move.tensor) if move.tensor else next(iter(op.results), None)
    tensor = None if value is None else value.type
    return (buffer, tensor) if isinstance(buffer, MemDescType) and isinstance(tensor, TensorType) else None


def _cause(op: Operation, transfers: list[Transfer], access: Access, facts: Facts) -> _Cause | None:
    """The first of padding, swizzle and order without which the instructions are wider."""
    parts = _parts(op)
    if parts is None or len(transfers) != 1 or transfers[0].matrices or transfers[0].instructions < 2:
        return None
    (buffer, tensor), transfer = parts, transfers[0]
    use, support = (
        Use(tensor, access.direction is Direction.STORE),
        replace(matrix_support(facts.target), load=False, store=False),
    )

    def bits(encoding: Encoding) -> int:
        return width_bits(buffer, encoding, use, support, facts.version)

    for words, encoding in _relaxed(buffer):
        if (found := bits(encoding)) > transfer.bits:
            return _Cause(f"{words} keeps fewer neighbours together", found)
    most = max((bits(each) for each in candidates(tensor.shape, element_bits(buffer.element) or 32)), default=0)
    if most <= transfer.bits:
        return None
    step = abs(int(transfer.addresses[1, 0, 0] - transfer.addresses[0, 0, 0]))
    return _Cause(f"a thread's neighbours lie {step} bytes apart{_padded(buffer)}", most)


def _relaxed(buffer: MemDescType) -> Iterator[tuple[str, Encoding]]:
    match buffer.encoding:
        case PaddedSharedEncoding() as padded:
            yield f"the padding ({_pads(padded)})", replace(padded, intervals_pads=())
        case SwizzledSharedEncoding(max_phase=phases) as swizzled if phases > 1:
            words = f"the swizzle (vec {swizzled.vec}, per_phase {swizzled.per_phase}, max_phase {phases})"
            yield words, replace(swizzled, vec=1, per_phase=1, max_phase=1)
        case _:
            return


def _padded(buffer: MemDescType) -> str:
    return (
        f", padding of {_pads(buffer.encoding)} included"
        if isinstance(buffer.encoding, PaddedSharedEncoding)
        else ""
    )


def _pads(encoding: PaddedSharedEncoding) -> str:
    return ", ".join(f"{pad} elements after every {interval}" for interval, pad in encoding.intervals_pads)


def _finding(op: Operation, access: Access, cause: _Cause, transfer: Transfer, facts: Facts) -> Finding:
    lost = share_of_width(facts, (access,), cause.bits / transfer.bits)
    verb = "stores" if access.direction is Direction.STORE else "loads"
    suggestion = _suggestion(op, facts)
    return Finding(
        id=f"{NARROW.code}-{access.id}",
        rule=NARROW.code,
        name=NARROW.name,
        severity=severity_of(lost, Severity.NOTE),
        confidence=Confidence.EXACT,
        model=access.model,
        message=(
            f"{op.name} {verb} {transfer.bits} bits a lane, {transfer.instructions} times, where {cause.bits} are "
            f"possible: {cause.words}"
        ),
        location=access.location,
        evidence={
            "vector_bits": transfer.bits,
            "possible_bits": cause.bits,
            "instructions": transfer.instructions,
            "layout": access.layout,
            "memory_layout": access.memory_layout,
            "suggestion": suggestion,
        },
        help=_help(suggestion, facts),
        subject=access.id,
        cost=lost,
    )


def _suggestion(op: Operation, facts: Facts) -> str | None:
    buffer = next((v for v in (*op.operands, *op.results) if isinstance(v.type, MemDescType)), None)
    if facts.graph is None or buffer is None:
        return None
    now, best = suggest(facts.graph, buffer.index, matrix_support(facts.target), facts.version)
    better = best is not None and (now is None or best.requests < now.requests)
    return write_layout(best.encoding) if best is not None and better else None


def _help(suggestion: str | None, facts: Facts) -> str:
    if suggestion is not None:
        return f"{suggestion} lets all uses of the buffer move more at once"
    if "ttir" in facts.kernel.stages:
        return "the compiler chose both layouts: let the tile be used in the order in which it is stored in memory"
    return (
        "let a thread's registers run along the dimension that is contiguous in the buffer, in padding's units too"
    )
