"""Shared accesses whose width is wrong: misaligned ones that fault, copies too narrow, ldmatrix missed."""

from __future__ import annotations

from collections.abc import Iterator

from gluon_inspect.facts.launched import Facts
from gluon_inspect.layouts.gluon_syntax import write_layout
from gluon_inspect.model.access import Access, Direction, Space
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.encodings import DotOperandEncoding, NvidiaMmaEncoding
from gluon_inspect.model.finding import AnalysisResult, Finding, Rule, Severity
from gluon_inspect.model.mlir import Operation
from gluon_inspect.model.types import MemDescType, TensorType
from gluon_inspect.traffic.shared.lowering import matrix_support
from gluon_inspect.traffic.shared.operations import SharedOperation
from gluon_inspect.traffic.shared.search import Use, matrix_layout
from gluon_inspect.traffic.shared.transfer import Transfer
from gluon_inspect.wording.compile_errors import diagnosed

_COPY_BITS = 32
_REFUSED = r"cp\.async does not support transfers smaller than 4 bytes; calculated this as (?P<bytes>\d+) bytes"
"""Triton 3.9; another wording leaves the message as it is, without a finding."""

MISALIGNED = Rule(
    code="GI202",
    name="misaligned-shared-vector",
    summary="A padded shared layout breaks the alignment of its vector accesses: the kernel faults when run.",
    what="An access of 8 or 16 bytes a lane starts at an address that is no multiple of its width.",
    why="The hardware traps on it: misaligned address, and the context is lost.",
    how="The padded offset of every lane of every instruction, modulo the instruction's width.",
    not_modelled="Pointers whose addresses are not known, and swizzled layouts, which never break alignment.",
    bad="""
@gluon.jit
def kernel(src, dst):
    # one element of padding a row, under accesses of four
    rows: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    padded: gl.constexpr = gl.PaddedSharedLayout.with_identity_for([[64, 1]], [64, 64], [1, 0])
    x = gl.arange(0, 64, layout=gl.SliceLayout(1, rows))
    y = gl.arange(0, 64, layout=gl.SliceLayout(0, rows))
    tile = gl.allocate_shared_memory(src.dtype.element_ty, [64, 64], padded)
    tile.store(gl.load(src + x[:, None] * 64 + y[None, :]))
    gl.store(dst + x[:, None] * 64 + y[None, :], tile.load(rows))


src, dst = torch.empty(2, 64 * 64, device="cuda")
kernel[(1,)](src, dst)
""",
    good="""
@gluon.jit
def kernel(src, dst):
    rows: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    padded: gl.constexpr = gl.PaddedSharedLayout.with_identity_for([[64, 4]], [64, 64], [1, 0])
    x = gl.arange(0, 64, layout=gl.SliceLayout(1, rows))
    y = gl.arange(0, 64, layout=gl.SliceLayout(0, rows))
    tile = gl.allocate_shared_memory(src.dtype.element_ty, [64, 64], padded)
    tile.store(gl.load(src + x[:, None] * 64 + y[None, :]))
    gl.store(dst + x[:, None] * 64 + y[None, :], tile.load(rows))


src, dst = torch.empty(2, 64 * 64, device="cuda")
kernel[(1,)](src, dst)
""",
)
NARROW_COPY = Rule(
    code="GI203",
    name="narrow-async-copy",
    summary="An asynchronous copy of fewer than 4 bytes a lane: cp.async cannot do it, and it does not compile.",
    what="cp.async moves 4, 8 or 16 bytes a lane. The width is what both memories allow.",
    why="Gluon refuses to compile it; Triton falls back to registers and loses the loop's pipeline.",
    how=(
        "The smallest of the pointer's contiguity and known divisibility, the mask's constancy, the layout's "
        "contiguous registers and the neighbours in the shared layout; the finding names it. Where the compiler "
        "refused the kernel and left no IR, its message is all that is known: the line and the width alone."
    ),
    not_modelled="Copies that Triton's pipeliner did not make for this reason: loads in registers show as GI102.",
    bad="""
@gluon.jit
def kernel(src, dst, stride):
    # halves, and a stride of 72: no multiple of 16, so nothing is known of where rows start
    rows: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])
    shared: gl.constexpr = gl.SwizzledSharedLayout(8, 1, 8, [1, 0])
    x = gl.arange(0, 64, layout=gl.SliceLayout(1, rows))
    y = gl.arange(0, 64, layout=gl.SliceLayout(0, rows))
    tile = gl.allocate_shared_memory(src.dtype.element_ty, [64, 64], shared)
    async_copy.async_load(tile, src + x[:, None] * stride + y[None, :])
    async_copy.commit_group()
    async_copy.wait_group(0)
    gl.store(dst + x[:, None] * 64 + y[None, :], tile.load(rows))


src, dst = torch.empty(2, 64 * 72, device="cuda", dtype=torch.float16)
kernel[(1,)](src, dst, 72)
""",
    good="""
@gluon.jit
def kernel(src, dst, stride):
    # halves, and a stride of 80 that the compiler knows as a multiple of 16
    rows: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])
    shared: gl.constexpr = gl.SwizzledSharedLayout(8, 1, 8, [1, 0])
    x = gl.arange(0, 64, layout=gl.SliceLayout(1, rows))
    y = gl.arange(0, 64, layout=gl.SliceLayout(0, rows))
    tile = gl.allocate_shared_memory(src.dtype.element_ty, [64, 64], shared)
    async_copy.async_load(tile, src + x[:, None] * stride + y[None, :])
    async_copy.commit_group()
    async_copy.wait_group(0)
    gl.store(dst + x[:, None] * 64 + y[None, :], tile.load(rows))


src, dst = torch.empty(2, 64 * 80, device="cuda", dtype=torch.float16)
kernel[(1,)](src, dst, 80)
""",
)
NO_LDMATRIX = Rule(
    code="GI204",
    name="missed-ldmatrix",
    summary="An operand of a dot is loaded from shared memory in pieces instead of by ldmatrix.",
    what=(
        "ldmatrix reads rows of 16 contiguous bytes, along K or (16-bit elements only) across it. Where the "
        "shared layout offers neither, the operand is loaded element by element and put together with PRMT."
    ),
    why="Four to eight times the instructions, and often bank conflicts on top.",
    how="The map from the operand's registers and lanes to offsets, tested as Triton's lowering tests it.",
    not_modelled="Whether the loop waits for shared memory at all; AMD's transposed LDS loads.",
    bad="""
@gluon.jit
def kernel(src, dst):
    # halves; the swizzle moves single elements, so no row stays together
    rows: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])
    mma: gl.constexpr = gl.NVMMADistributedLayout([2, 0], [4, 1], [16, 8])
    left: gl.constexpr = gl.DotOperandLayout(0, mma, 2)
    right: gl.constexpr = gl.DotOperandLayout(1, mma, 2)
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 16, [1, 0])
    x = gl.arange(0, 64, layout=gl.SliceLayout(1, rows))
    y = gl.arange(0, 64, layout=gl.SliceLayout(0, rows))
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], shared)
    tile.store(gl.load(src + x[:, None] * 64 + y[None, :]))
    found = mma_v2(tile.load(left), tile.load(right), gl.zeros([64, 64], gl.float32, mma))
    u = gl.arange(0, 64, layout=gl.SliceLayout(1, mma))
    v = gl.arange(0, 64, layout=gl.SliceLayout(0, mma))
    gl.store(dst + u[:, None] * 64 + v[None, :], found)


src = torch.empty(64 * 64, device="cuda", dtype=torch.float16)
kernel[(1,)](src, torch.empty(64 * 64, device="cuda"))
""",
    good="""
@gluon.jit
def kernel(src, dst):
    # halves; rows of 16 bytes move as a whole
    rows: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])
    mma: gl.constexpr = gl.NVMMADistributedLayout([2, 0], [4, 1], [16, 8])
    left: gl.constexpr = gl.DotOperandLayout(0, mma, 2)
    right: gl.constexpr = gl.DotOperandLayout(1, mma, 2)
    shared: gl.constexpr = gl.SwizzledSharedLayout(8, 1, 8, [1, 0])
    x = gl.arange(0, 64, layout=gl.SliceLayout(1, rows))
    y = gl.arange(0, 64, layout=gl.SliceLayout(0, rows))
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], shared)
    tile.store(gl.load(src + x[:, None] * 64 + y[None, :]))
    found = mma_v2(tile.load(left), tile.load(right), gl.zeros([64, 64], gl.float32, mma))
    u = gl.arange(0, 64, layout=gl.SliceLayout(1, mma))
    v = gl.arange(0, 64, layout=gl.SliceLayout(0, mma))
    gl.store(dst + u[:, None] * 64 + v[None, :], found)


src = torch.empty(64 * 64, device="cuda", dtype=torch.float16)
kernel[(1,)](src, torch.empty(64 * 64, device="cuda"))
""",
)
RULES = (MISALIGNED, NARROW_COPY, NO_LDMATRIX)


def run(facts: Facts) -> AnalysisResult:
    """One finding for each access of a wrong width."""
    if facts.kernel.error:
        return AnalysisResult(findings=tuple(_of_error(facts.kernel.error)))
    if facts.module is None or facts.target.backend != "cuda":
        return AnalysisResult()
    return AnalysisResult(findings=tuple(_findings(facts)))


def _of_error(error: str) -> Iterator[Finding]:
    """Of a kernel that the compiler refused: there is no IR, so only its message is known."""
    told = diagnosed(error, _REFUSED)
    if told is None:
        return
    found, place = told
    yield Finding(
        id=f"{NARROW_COPY.code}-0",
        rule=NARROW_COPY.code,
        name=NARROW_COPY.name,
        severity=Severity.ERROR,
        confidence=Confidence.EXACT,
        model=ModelStatus.DOCUMENTED,
        message=f"copies of {found['bytes']} bytes a lane; cp.async needs at least 4, so it does not compile",
        location=place,
        help="strides, offsets and tails as multiples of 16 that the compiler knows, and one order on both sides",
    )


def _findings(facts: Facts) -> Iterator[Finding]:
    for access in facts.accesses:
        if access.space is Space.GLOBAL and access.direction is Direction.COPY:
            yield from _narrow(access)
        if access.space is not Space.SHARED:
            continue
        operation = facts.shared_operation(access)
        if operation is not None:
            yield from _of_operation(operation, access, facts)


def _of_operation(operation: SharedOperation, access: Access, facts: Facts) -> Iterator[Finding]:
    op = operation.op
    for step in operation.lowering.of(store=access.direction is not Direction.LOAD):
        if not isinstance(step.transfer, Transfer):
            continue
        if step.transfer.misaligned:
            yield _misaligned(access, step.transfer)
        elif not step.store and not step.transfer.matrices and _is_dot_operand(op):
            yield from _missed(op, access, step.transfer, facts)


def _misaligned(access: Access, transfer: Transfer) -> Finding:
    width = transfer.bits // 8
    return Finding(
        id=f"{MISALIGNED.code}-{access.id}",
        rule=MISALIGNED.code,
        name=MISALIGNED.name,
        severity=Severity.ERROR,
        confidence=Confidence.EXACT,
        model=access.model,
        message=(
            f"this access moves {width} bytes a lane, and padding puts some lanes {transfer.misaligned} bytes "
            "off: it faults when run"
        ),
        location=access.location,
        evidence={
            "width_bytes": width,
            "misalignment_bytes": transfer.misaligned,
            "memory_layout": access.memory_layout,
        },
        help=f"pad by a multiple of {width} bytes",
        subject=access.id,
    )


def _narrow(access: Access) -> Iterator[Finding]:
    if access.vector_bits is None or access.vector_bits >= _COPY_BITS:
        return
    limit = min(access.vector_limits, key=lambda limit: limit.elements, default=None)
    blame = "" if limit is None else f"; the {limit.kind} allows {limit.elements} element(s): {limit.detail}"
    named = f" (see {', '.join(access.weak_arguments)})" if access.weak_arguments else ""
    yield Finding(
        id=f"{NARROW_COPY.code}-{access.id}",
        rule=NARROW_COPY.code,
        name=NARROW_COPY.name,
        severity=Severity.ERROR,
        confidence=Confidence.EXACT,
        model=ModelStatus.DOCUMENTED,
        message=f"copies of {access.vector_bits // 8} bytes a lane, but cp.async needs 4, 8 or 16{blame}{named}",
        location=access.location,
        evidence={"vector_bits": access.vector_bits, "limit": None if limit is None else limit.kind},
        help=_HELP.get("" if limit is None else limit.kind, "give each lane at least 4 contiguous bytes"),
        subject=access.id,
    )


_HELP = {
    "shared": "let the shared layout's order and vec follow the copy's registers",
    "divisibility": "make the row stride a multiple of 16 elements so that it is specialised as divisible",
    "mask": "make the mask's bound a multiple of the vector, or mask whole rows",
    "contiguity": "let lanes and registers run along the dimension that is contiguous in memory",
    "layout": "give each lane neighbouring elements along the contiguous dimension",
}


def _is_dot_operand(op: Operation) -> bool:
    of = op.results[0].type if op.results else None
    if not isinstance(of, TensorType) or not isinstance(of.encoding, DotOperandEncoding):
        return False
    return isinstance(of.encoding.parent, NvidiaMmaEncoding)


def _missed(op: Operation, access: Access, transfer: Transfer, facts: Facts) -> Iterator[Finding]:
    buffer, tensor = op.operands[0].type, op.results[0].type
    if (
        not isinstance(buffer, MemDescType)
        or not isinstance(tensor, TensorType)
        or not matrix_support(facts.target).load
    ):
        return
    better = matrix_layout(buffer, Use(tensor, False), facts.version)
    if better is None:
        return  # no layout offers ldmatrix to this operand (64-bit elements)
    yield Finding(
        id=f"{NO_LDMATRIX.code}-{access.id}",
        rule=NO_LDMATRIX.code,
        name=NO_LDMATRIX.name,
        severity=Severity.WARNING if transfer.bits < _COPY_BITS else Severity.NOTE,
        confidence=Confidence.EXACT,
        model=access.model,
        message=(
            f"{op.name} of a dot operand becomes {transfer.instructions} LDS of {transfer.bits} bits a lane "
            f"instead of ldmatrix: {_WHY.get(access.element_bits or 0, _ALONG)}"
        ),
        location=access.location,
        evidence={
            "vector_bits": transfer.bits,
            "instructions": transfer.instructions,
            "memory_layout": access.memory_layout,
            "suggestion": write_layout(better),
        },
        help=f"{write_layout(better)} is read by ldmatrix",
        subject=access.id,
    )


_ALONG = "the layout offers no rows of 16 contiguous bytes along K"
_WHY = {16: f"{_ALONG} or across it"}
