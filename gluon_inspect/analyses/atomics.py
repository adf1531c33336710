"""Atomics: what adding in memory costs a kernel, and how often each element is added to."""

from __future__ import annotations

from collections.abc import Iterator

from gluon_inspect.assembly.counts import on_lines_of
from gluon_inspect.cost.launch import share_saved
from gluon_inspect.cost.program import Act, work_of
from gluon_inspect.facts.launched import Facts
from gluon_inspect.facts.severity import THRESHOLDS, severity_of
from gluon_inspect.facts.steps import operation_of
from gluon_inspect.model.access import Access, Direction, Space
from gluon_inspect.model.asm import Instruction
from gluon_inspect.model.finding import AnalysisResult, Finding, Rule, Severity

ATOMIC = Rule(
    code="GI108",
    name="costly-atomic",
    summary="Atomic operations take a good part of the kernel's time.",
    what="Atomics on a tensor of elements, above all in a loop that has other work.",
    why=(
        "Each is sent to the L2 and done there, one after another for one address; a loop that adds its results "
        "to memory in every iteration converts them to a layout for it, sends them, and may wait for room to send."
    ),
    how=(
        "The expected time less that of the same launch without the atomic's instructions and traffic, those "
        "of a conversion at its line among them; how often "
        f"each element is added to follows from the bytes sent and the distinct ones. Severity: {THRESHOLDS}. "
        "Below 1%, without a prediction, and where the addresses depend on data, nothing is said."
    ),
    not_modelled="What the advised change costs elsewhere.",
    bad="""
@gluon.jit
def kernel(src, dst, n):
    layout: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0])
    i = gl.arange(0, 512, layout=layout)
    for start in range(0, n, 512):
        # each iteration adds to the same 512 sums
        gl.atomic_add(dst + i, gl.load(src + gl.program_id(0) * n + start + i))


src, dst = torch.empty(2, 2**24, device="cuda")
kernel[(256,)](src, dst, 2**16)
""",
    good="""
@gluon.jit
def kernel(src, dst, n):
    layout: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0])
    i = gl.arange(0, 512, layout=layout)
    total = gl.zeros([512], gl.float32, layout)
    for start in range(0, n, 512):
        total += gl.load(src + gl.program_id(0) * n + start + i)
    gl.atomic_add(dst + i, total)


src, dst = torch.empty(2, 2**24, device="cuda")
kernel[(256,)](src, dst, 2**16)
""",
)
RULES = (ATOMIC,)


def run(facts: Facts) -> AnalysisResult:
    """One finding for each atomic that loses more than a little."""
    return AnalysisResult(findings=tuple(_findings(facts)))


def _findings(facts: Facts) -> Iterator[Finding]:
    for access in facts.accesses:
        if access.space is not Space.GLOBAL or access.direction is not Direction.ATOMIC or not access.shape:
            continue
        if access.is_gather or not access.bytes_requested or not access.bytes_unique:
            continue
        lost = _lost(facts, access)
        severity = severity_of(lost, Severity.NOTE)
        if severity is Severity.NOTE:
            continue
        times = access.bytes_requested / access.bytes_unique
        yield Finding(
            id=f"{ATOMIC.code}-{access.id}",
            rule=ATOMIC.code,
            name=ATOMIC.name,
            severity=severity,
            confidence=access.confidence,
            model=access.model,
            message=_message(facts, access, times),
            location=access.location,
            evidence={"requests": access.requests, "bytes_unique": access.bytes_unique, "times": round(times, 2)},
            help=_help(facts, access, times),
            subject=access.id,
            cost=lost,
        )


_ONCE = 1.01


def _message(facts: Facts, access: Access, times: float) -> str:
    elements = access.bytes_unique // max(1, (access.element_bits or 8) // 8) if access.bytes_unique else 0
    where = " in every iteration of its loop" if _is_in_loop(facts, access) else ""
    often = "once" if times < _ONCE else f"{times:,.0f} times"
    return f"this atomic{where} sends its elements to the L2: each of {elements:,} is added to {often}"


def _is_in_loop(facts: Facts, access: Access) -> bool:
    op = operation_of(facts, access)
    return op is not None and facts.graph is not None and facts.graph.loop_of(op) is not None


def _help(facts: Facts, access: Access, times: float) -> str:
    """By how often an element is added to, in all and by one program."""
    if times < _ONCE:
        return "in this launch each element is added to once, where a plain store would do"
    programs = max(1, facts.programs.total or 1)
    own = (access.executions or programs) / programs
    if own > 1 and times >= own and not _moves_on(access):
        return f"add up over the loop in registers and add once a program: {own:,.0f} times fewer"
    return (
        "let one program own an element's sum (another loop order, or a kernel of its own), which stores it once"
    )


def _moves_on(access: Access) -> bool:
    """Whether the iterations of a program go to different elements."""
    found = access.locality
    if found is None or not access.bytes_unique or not found.instances:
        return True
    return access.bytes_unique > (access.bytes_requested or 0) / found.instances * _SAME


_SAME = 1.5


def _lost(facts: Facts, access: Access) -> float | None:
    if access.location is None:
        return None
    is_here = on_lines_of([access.location], facts.kernel.source_file)

    def is_its_own(each: Instruction) -> bool:
        return is_here(each.location) and work_of(each.opcode).act in _OWN

    rest = [
        each for each in facts.accesses
        if each is not access and not (each.space is Space.SHARED and is_here(each.location))
    ]  # fmt: skip
    return share_saved(facts, without=is_its_own, accesses=rest)


_OWN = (Act.ATOMIC, Act.SHARED_STORE, Act.SHARED_LOAD, Act.BARRIER)
