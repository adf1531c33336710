"""Layout conversions: whether each pays, vanishes, repeats itself, or moves nothing at all."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from gluon_inspect.analyses.conversions.around import Around, around_accesses
from gluon_inspect.analyses.conversions.asserted import is_asserted
from gluon_inspect.analyses.conversions.differing_bases import parted_in
from gluon_inspect.assembly.counts import on_lines_of
from gluon_inspect.cost.launch import share_saved
from gluon_inspect.facts.launched import Facts
from gluon_inspect.facts.severity import severity_of
from gluon_inspect.ir.operations import row_of, ttg
from gluon_inspect.ir.operations.kinds import OperationKind
from gluon_inspect.model.access import Conversion, ConversionKind, Space
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.finding import AnalysisResult, Finding, Rule, Severity
from gluon_inspect.wording.compile_errors import raised_at
from gluon_inspect.wording.numbers import plural

_CLUSTER = (ConversionKind.SHARED, ConversionKind.CLUSTER, ConversionKind.SHUFFLE)

REDUNDANT = Rule(
    code="GI401",
    name="redundant-conversion",
    summary="A layout conversion whose two ends could have one layout at no loss.",
    what="Both what produces the tensor and what consumes it would be as fast in one of the two layouts.",
    why="It costs barriers, shared memory and wavefronts, and buys nothing.",
    how=(
        "Each end is costed in both layouts: global accesses by the sectors of their addresses, shared ones by "
        "wavefronts, reductions by shuffles and wavefronts; matrix units take one layout only."
    ),
    not_modelled="Registers, latency, and what other uses of the tensor outside its block would say.",
    bad="""
@gluon.jit
def kernel(src, dst):
    # both layouts read and write whole rows: nothing is won between them
    a: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    b: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    x = gl.arange(0, 64, layout=gl.SliceLayout(1, a))
    y = gl.arange(0, 64, layout=gl.SliceLayout(0, a))
    value = gl.convert_layout(gl.load(src + x[:, None] * 64 + y[None, :]), b)
    u = gl.arange(0, 64, layout=gl.SliceLayout(1, b))
    v = gl.arange(0, 64, layout=gl.SliceLayout(0, b))
    gl.store(dst + u[:, None] * 64 + v[None, :], value)


src, dst = torch.empty(2, 64 * 64, device="cuda")
kernel[(1,)](src, dst)
""",
    good="""
@gluon.jit
def kernel(src, dst):
    a: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    x = gl.arange(0, 64, layout=gl.SliceLayout(1, a))
    y = gl.arange(0, 64, layout=gl.SliceLayout(0, a))
    offsets = x[:, None] * 64 + y[None, :]
    gl.store(dst + offsets, gl.load(src + offsets))


src, dst = torch.empty(2, 64 * 64, device="cuda")
kernel[(1,)](src, dst)
""",
)
TRIVIAL = Rule(
    code="GI402",
    name="trivial-conversion",
    summary="A conversion that moves nothing: say so with assert_trivial=True, and it cannot start to cost.",
    what="Both layouts put every element in the same register of the same lane and warp.",
    why="It is free today; the assertion keeps it free when a shape or a layout changes.",
    how="The two linear layouts, copies aside, are the same map.",
    not_modelled="Whether the assertion is there already, where the text of the file is not known.",
    bad="""
@gluon.jit
def kernel(src, dst):
    # 32 lanes of 4, or 4 registers and 32 lanes: the same map
    a: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0])
    b: gl.constexpr = gl.SliceLayout(1, gl.BlockedLayout([4, 1], [32, 1], [4, 1], [0, 1]))
    value = gl.convert_layout(gl.load(src + gl.arange(0, 512, layout=a)), b)
    gl.store(dst + gl.arange(0, 512, layout=b), value)


src, dst = torch.empty(2, 512, device="cuda")
kernel[(1,)](src, dst)
""",
    good="""
@gluon.jit
def kernel(src, dst):
    a: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0])
    offsets = gl.arange(0, 512, layout=a)
    gl.store(dst + offsets, gl.load(src + offsets))


src, dst = torch.empty(2, 512, device="cuda")
kernel[(1,)](src, dst)
""",
)
INVARIANT = Rule(
    code="GI403",
    name="loop-invariant-conversion",
    summary="A conversion inside a loop of something that the loop does not change.",
    what="Neither the tensor nor its layout depends on the iteration.",
    why="It is paid for in every iteration.",
    how="Everything that it is computed from is defined outside the loop, or by pure operations from such.",
    not_modelled="Registers: the converted tensor is then alive for the whole loop. Conversions that LLVM hoists.",
    bad="""
@gluon.jit
def kernel(src, dst, n):
    rows: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    columns: gl.constexpr = gl.BlockedLayout([4, 1], [16, 2], [1, 4], [0, 1])
    x = gl.arange(0, 64, layout=gl.SliceLayout(1, rows))
    y = gl.arange(0, 64, layout=gl.SliceLayout(0, rows))
    value = gl.load(src + x[:, None] * 64 + y[None, :])
    u = gl.arange(0, 64, layout=gl.SliceLayout(1, columns))
    v = gl.arange(0, 64, layout=gl.SliceLayout(0, columns))
    for tile in range(n):
        # the same value is converted for every tile
        gl.store(dst + tile * 4096 + u[:, None] + v[None, :] * 64, gl.convert_layout(value, columns) + tile)


src, dst = torch.empty(2, 16 * 64 * 64, device="cuda")
kernel[(1,)](src, dst, 16)
""",
    good="""
@gluon.jit
def kernel(src, dst, n):
    rows: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    columns: gl.constexpr = gl.BlockedLayout([4, 1], [16, 2], [1, 4], [0, 1])
    x = gl.arange(0, 64, layout=gl.SliceLayout(1, rows))
    y = gl.arange(0, 64, layout=gl.SliceLayout(0, rows))
    value = gl.load(src + x[:, None] * 64 + y[None, :])
    u = gl.arange(0, 64, layout=gl.SliceLayout(1, columns))
    v = gl.arange(0, 64, layout=gl.SliceLayout(0, columns))
    turned = gl.convert_layout(value, columns)
    for tile in range(n):
        gl.store(dst + tile * 4096 + u[:, None] + v[None, :] * 64, turned + tile)


src, dst = torch.empty(2, 16 * 64 * 64, device="cuda")
kernel[(1,)](src, dst, 16)
""",
)
NOT_TRIVIAL = Rule(
    code="GI404",
    name="assert-trivial-failed",
    summary="convert_layout(assert_trivial=True) of two layouts that differ: the kernel does not compile.",
    what="The assertion holds only where the two linear layouts are the same map.",
    why="Data would have to move between registers, lanes or warps.",
    how="The compiler's message and the bases that differ.",
    not_modelled="Anything of the kernel beyond the failed assertion: there is no binary to read.",
    bad="""
@gluon.jit
def kernel(src, dst):
    # registers hold 4 neighbours, then 1: elements move between lanes
    a: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0])
    b: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    value = gl.convert_layout(gl.load(src + gl.arange(0, 512, layout=a)), b, assert_trivial=True)
    gl.store(dst + gl.arange(0, 512, layout=b), value)


src, dst = torch.empty(2, 512, device="cuda")
kernel[(1,)](src, dst)
""",
    good="""
@gluon.jit
def kernel(src, dst):
    # 32 lanes of 4, or 4 registers and 32 lanes: the same map
    a: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0])
    b: gl.constexpr = gl.SliceLayout(1, gl.BlockedLayout([4, 1], [32, 1], [4, 1], [0, 1]))
    value = gl.convert_layout(gl.load(src + gl.arange(0, 512, layout=a)), b, assert_trivial=True)
    gl.store(dst + gl.arange(0, 512, layout=b), value)


src, dst = torch.empty(2, 512, device="cuda")
kernel[(1,)](src, dst)
""",
)
RULES = (REDUNDANT, TRIVIAL, INVARIANT, NOT_TRIVIAL)

_ASSERTION = re.compile(r"layout conversion from [^\n]* is not trivial")
_SHOWN_BASES = 3
_OF_THE_COMPILER = (
    "the compiler chose both layouts: lengths and strides that are multiples of 16 on both sides may let it "
    "choose one, or write the kernel in Gluon"
)


def run(facts: Facts) -> AnalysisResult:
    """Findings for conversions that could be better; renderers list them all."""
    # the author wrote the conversions (Gluon); else the compiler did, and little can be done
    chosen = "ttir" not in facts.kernel.stages
    groups = [each for each in around_accesses(facts.conversions, facts.graph) if _buys_nothing(each)]
    told = {conversion.id for group in groups for conversion in group.conversions}
    costliest_first = sorted(facts.conversions, key=lambda each: -(each.wavefronts or 0))
    findings = (
        *_of_error(facts),
        *(_of_access(group, facts, chosen=chosen) for group in groups),
        *(f for c in costliest_first if c.id not in told for f in _findings(c, facts, chosen=chosen)),
    )
    return AnalysisResult(findings=findings)


def _buys_nothing(group: Around) -> bool:
    """Whether the value's ends could both have the layout that is outside; the rest follows the value."""
    return group.value is not None and group.value.pays is False and bool(group.value.agreed_layout)


def _of_access(group: Around, facts: Facts, *, chosen: bool) -> Finding:
    """One finding for all conversions around an access, at the access: without its own layout all of them go."""
    costliest = max(group.conversions, key=lambda each: each.wavefronts or 0)
    agreed = group.value.agreed_layout if group.value else ""
    verb = "store" if row_of(group.op).kind is OperationKind.GLOBAL_STORE else "load"
    waves = [each.wavefronts for each in group.conversions]
    known = None if None in waves else sum(each or 0 for each in waves)
    moved = "unknown wavefronts" if known is None else plural(known, "wavefront")
    lost = _lost_together(group.conversions, facts) if chosen else None
    return replace(
        _finding(
            REDUNDANT,
            costliest,
            severity_of(lost, Severity.WARNING) if chosen else Severity.NOTE,
            f"this {verb} has a layout of its own: {plural(len(waves), 'conversion')} ({moved}) of its "
            f"{', '.join(group.converted)}, and it would be no slower in that of its neighbours",
            f"{agreed} for all of them: the access and what is before and after it"
            if chosen
            else _OF_THE_COMPILER,
            lost,
        ),
        location=group.op.location or costliest.location,
    )


def _lost_together(conversions: Sequence[Conversion], facts: Facts) -> float | None:
    """By their instructions where lines tell them apart, else by their traffic."""
    lost = [_lost(each, facts) for each in conversions]
    if None not in lost:
        return min(1.0, sum(each or 0.0 for each in lost))
    own = {each.result_of for each in conversions}
    rest = [a for a in facts.accesses if not (a.space is Space.SHARED and a.result_of in own)]
    return None if len(rest) == len(facts.accesses) else share_saved(facts, accesses=rest)


def _findings(conversion: Conversion, facts: Facts, *, chosen: bool) -> Iterator[Finding]:
    if conversion.op != ttg.CONVERT_LAYOUT.name:
        return
    if conversion.kind is ConversionKind.TRIVIAL and chosen and not is_asserted(conversion, facts):
        yield _finding(
            TRIVIAL,
            conversion,
            Severity.NOTE,
            "this conversion moves nothing",
            "convert_layout(…, assert_trivial=True) keeps it so",
        )
    if conversion.kind not in _CLUSTER or not (conversion.pays is False or conversion.loop_invariant):
        return
    # what nobody can change gives nothing back, and is counted
    lost = _lost(conversion, facts) if chosen else None
    severity = severity_of(lost, Severity.WARNING) if chosen else Severity.NOTE
    if conversion.pays is False:
        message = f"this conversion ({_cost(conversion)}) buys nothing: {conversion.why}"
        help_text = f"{conversion.agreed_layout} for both ends" if chosen else _OF_THE_COMPILER
        yield _finding(REDUNDANT, conversion, severity, message, help_text, lost)
    if conversion.loop_invariant:
        message = f"nothing in this conversion ({_cost(conversion)}) depends on the loop around it"
        yield _finding(INVARIANT, conversion, severity, message, "convert once, before the loop", lost)


_EXCHANGE = ("STS", "LDS", "STSM", "LDSM", "BAR")


def _lost(conversion: Conversion, facts: Facts) -> float | None:
    """Share of the time that goes without the conversion's traffic, instructions and barriers.

    What other exchanges at its line do is told apart by wavefronts; shuffles cannot be.
    """
    if conversion.kind is ConversionKind.SHUFFLE or conversion.location is None:
        return None
    is_here = on_lines_of([conversion.location], facts.kernel.source_file)
    beside = [a for a in facts.accesses if a.space is Space.SHARED and is_here(a.location)]
    own = sum(a.wavefronts or 0 for a in beside if a.result_of == conversion.result_of)
    if not own:
        return None
    saved = share_saved(
        facts,
        without=lambda each: each.root in _EXCHANGE and is_here(each.location),
        accesses=[a for a in facts.accesses if a not in beside],
    )
    return None if saved is None else saved * own / sum(a.wavefronts or 0 for a in beside)


def _cost(conversion: Conversion) -> str:
    if conversion.kind is ConversionKind.SHUFFLE:
        return "warp shuffles"
    waves = conversion.wavefronts
    wavefronts = "unknown wavefronts" if waves is None else plural(waves, "wavefront")
    barriers = plural(conversion.barriers or 0, "barrier")
    return f"{conversion.scratch_bytes or 0:,} B of scratch, {barriers}, {wavefronts}"


def _finding(
    rule: Rule,
    conversion: Conversion,
    severity: Severity,
    message: str,
    help_text: str,
    lost: float | None = None,
) -> Finding:
    return Finding(
        id=f"{rule.code}-{conversion.id}",
        rule=rule.code,
        name=rule.name,
        severity=severity,
        confidence=Confidence.ASSUMED if rule is REDUNDANT else conversion.confidence,
        model=conversion.model,
        message=message,
        location=conversion.location,
        evidence={
            "kind": conversion.kind.value,
            "from": conversion.source,
            "to": conversion.target,
            "wavefronts": conversion.wavefronts,
            "scratch_bytes": conversion.scratch_bytes,
            "executions": conversion.executions,
        },
        help=help_text,
        subject=conversion.id,
        cost=lost,
    )


def _of_error(facts: Facts) -> Iterator[Finding]:
    found = _ASSERTION.search(facts.kernel.error)
    if found is None:
        return
    parted = parted_in(facts.kernel.error)
    more = f"; {len(parted) - _SHOWN_BASES} more" if len(parted) > _SHOWN_BASES else ""
    differ = f": {'; '.join(parted[:_SHOWN_BASES])}{more}" if parted else ""
    yield Finding(
        id=f"{NOT_TRIVIAL.code}-0",
        rule=NOT_TRIVIAL.code,
        name=NOT_TRIVIAL.name,
        severity=Severity.ERROR,
        confidence=Confidence.EXACT,
        model=ModelStatus.DOCUMENTED,
        message=f"{found.group(0).strip().rstrip('.')}{differ}",
        location=raised_at(facts.kernel.error),
        evidence={"bases": parted},
        help="convert without the assertion, or make the two layouts the same map",
    )
