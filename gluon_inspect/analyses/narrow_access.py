"""Accesses that move fewer bytes a lane than the layout allows, and what narrows them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from gluon_inspect.cost.launch import share_of_width
from gluon_inspect.facts.interleaved import interleaved
from gluon_inspect.facts.launched import Facts
from gluon_inspect.facts.narrowing import Suspect, narrow_layouts
from gluon_inspect.facts.severity import THRESHOLDS, severity_of
from gluon_inspect.ir.operations import row_of
from gluon_inspect.ir.operations.kinds import OperationKind
from gluon_inspect.model.access import Access, Direction, Space, VectorLimit
from gluon_inspect.model.artifact import TensorArgument
from gluon_inspect.model.finding import AnalysisResult, Evidence, Finding, Rule, Severity

_WORD_BITS = 32
_COALESCED = 0.99

NARROW = Rule(
    code="GI102",
    name="narrow-access",
    summary="A thread moves its neighbouring elements one by one where one wide instruction could.",
    what="The vector width of a global access is below what the layout's registers would allow.",
    why=(
        "More instructions move the same bytes, and each one covers its sectors only in part. Below 4 bytes "
        "a lane, cp.async cannot be used at all, so loops lose their pipeline."
    ),
    how=(
        "The width is the smallest of the layout's contiguous registers, the address's contiguity and known "
        "divisibility, the mask's constancy and 16 bytes; the finding names the smallest and the arguments "
        "behind it. Where the compiler chose the layout (plain Triton), it gave a thread as many elements as it "
        "knew to be safe: each argument, program id and constant behind the addresses is taken to be a multiple "
        "of 16, and those that take the width away are named. Silent where lanes follow indices that were loaded "
        "from memory, and where they move 32-bit words and are coalesced. Severity follows the predicted loss: "
        f"{THRESHOLDS}. Without a launch: a warning."
    ),
    not_modelled="Widths that LLVM or ptxas widen later, unless assembly is given.",
    bad="""
@gluon.jit
def kernel(src, dst, n):
    # n = 2**20 - 1 is no multiple of 16, so the mask may end anywhere and every element goes alone
    layout: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0])
    offsets = gl.program_id(0) * 512 + gl.arange(0, 512, layout=layout)
    gl.store(dst + offsets, gl.load(src + offsets, mask=offsets < n), mask=offsets < n)


src, dst = torch.empty(2, 2**20, device="cuda")
kernel[(2048,)](src, dst, 2**20 - 1)
""",
    good="""
@gluon.jit
def kernel(src, dst, n):
    # n = 2**20 is specialised as a multiple of 16
    layout: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0])
    offsets = gl.program_id(0) * 512 + gl.arange(0, 512, layout=layout)
    gl.store(dst + offsets, gl.load(src + offsets, mask=offsets < n), mask=offsets < n)


src, dst = torch.empty(2, 2**20, device="cuda")
kernel[(2048,)](src, dst, 2**20)
""",
)
RULES = (NARROW,)


def run(facts: Facts) -> AnalysisResult:
    """One finding for each global access that something narrows at a cost, and for each line of narrow layouts."""
    # accesses that take turns over the elements of their sectors have a finding of their own
    together = {access.id for group in interleaved(facts) for access in group}
    of_compiler = [each for each in _of_compiler(facts) if each.subject not in together]
    told = together | {finding.subject for finding in of_compiler}
    return AnalysisResult(findings=(*_findings(facts, told), *of_compiler))


def _findings(facts: Facts, told: Collection[str]) -> Iterator[Finding]:
    for access in facts.accesses:
        limit = _culprit(access)
        if limit is None or access.is_gather or _is_harmless(access) or access.id in told:
            continue
        if limit.kind == "contiguity" and "ttir" in facts.kernel.stages:
            continue  # the compiler's layout is for another access; what this one wastes in sectors is GI101's
        yield _finding(
            access,
            facts.lost_fraction(access.id),
            _message(access, limit),
            _help(access, limit, facts),
            {
                "vector_bits": access.vector_bits,
                "possible_bits": _possible(access) * (access.element_bits or 0),
                "limit": limit.kind,
                "arguments": _arguments(access, limit),
            },
        )


def _finding(
    access: Access, lost: float | None, message: str, help_text: str, evidence: Mapping[str, Evidence]
) -> Finding:
    return Finding(
        id=f"{NARROW.code}-{access.id}",
        rule=NARROW.code,
        name=NARROW.name,
        severity=severity_of(lost, Severity.WARNING),
        confidence=access.trust,
        model=access.model,
        message=message,
        location=access.location,
        evidence=evidence,
        help=help_text,
        subject=access.id,
        cost=lost,
    )


def _of_compiler(facts: Facts) -> Iterator[Finding]:
    """Accesses to which the compiler gave a narrow layout, since it knows too little of their addresses."""
    for access, of_line, found in narrow_layouts(facts):
        if len(found.suspects) > _MOST_SUSPECTS:
            continue  # addresses that begin anywhere: there is no one thing to change
        unpiped = _loses_pipeline(facts, access)
        factor = found.possible_bits / found.bits
        lost = share_of_width(facts, of_line, factor, awaited=not unpiped)
        if (lost is None or lost < _LEAST) and found.bits >= _WORD_BITS:
            continue
        what = " and ".join(_with_value(each, facts) for each in found.suspects)
        one = len(found.suspects) == 1
        message = (
            f"{found.bits} bits a lane where {found.possible_bits} are possible: {what} "
            f"{'is' if one else 'are'} no known multiple{'' if one else 's'} of 16, so that rows or masks may "
            "begin and end anywhere and the compiler moves element by element"
        )
        yield _finding(
            access,
            lost,
            message + (_UNPIPED if unpiped else ""),
            _help_of_suspects(found.suspects, facts),
            {
                "vector_bits": found.bits,
                "possible_bits": found.possible_bits,
                "limit": "divisibility",
                "arguments": tuple(each.argument or each.words for each in found.suspects),
            },
        )


_LEAST = 0.01
_MOST_SUSPECTS = 3
_UNPIPED = "; below 4 bytes a lane there is no cp.async, so the loop waits for this load whatever num_stages says"


def _loses_pipeline(facts: Facts, access: Access) -> bool:
    """Whether the loop would have copied this to shared memory ahead of its matrix products."""
    if facts.graph is None or facts.target.backend != "cuda" or access.direction is not Direction.LOAD:
        return False
    stages = facts.kernel.metadata.get("num_stages")
    op = next((op for op in facts.graph.operations if op.span.start == access.result_of), None)
    loop = None if op is None else facts.graph.loop_of(op)
    if loop is None or (access.vector_bits or 0) >= _WORD_BITS or (isinstance(stages, int) and stages < _STAGES):
        return False
    return any(row_of(each).kind is OperationKind.MMA for each in facts.graph.within(loop))


_STAGES = 2


def _with_value(suspect: Suspect, facts: Facts) -> str:
    value = facts.launch.arguments.get(suspect.argument)
    known = isinstance(value, int) and not isinstance(value, bool)
    return f"{suspect.words} ({value:,})" if known else suspect.words


def _help_of_suspects(suspects: tuple[Suspect, ...], facts: Facts) -> str:
    names = tuple(each.argument for each in suspects if each.argument)
    if len(names) < len(suspects):
        return "let each program and row begin at a multiple of 16 elements, and say so by tl.multiple_of"
    values = [facts.launch.arguments.get(name) for name in names]
    odd = [(name, v) for name, v in zip(names, values, strict=True) if isinstance(v, int) and v % _MULTIPLE]
    if len(odd) == len(names):
        padded = " and ".join(f"{name} to {-(-value // _MULTIPLE) * _MULTIPLE:,}" for name, value in odd)
        return f"pad {padded}: rows a multiple of 16 elements apart, what is padded masked or zero"
    return _help_of_arguments(names, facts)


_MULTIPLE = 16


def _possible(access: Access) -> int:
    limits = {limit.kind: limit.elements for limit in access.vector_limits}
    return min(limits.get("layout", 1), limits.get("hardware", 1))


def _culprit(access: Access) -> VectorLimit | None:
    """The bound that keeps the access below what layout and hardware allow."""
    if access.space is not Space.GLOBAL or not access.element_bits or not access.vector_bits:
        return None
    vector = access.vector_bits // access.element_bits
    if access.direction is Direction.ATOMIC or vector >= _possible(access):
        return None
    others = (limit for limit in access.vector_limits if limit.kind not in ("layout", "hardware"))
    return min(others, key=lambda limit: limit.elements, default=None)


def _is_harmless(access: Access) -> bool:
    """Words of 32 bits in coalesced requests: nothing is lost."""
    efficiency = access.efficiency
    return (access.vector_bits or 0) >= _WORD_BITS and (efficiency is None or efficiency >= _COALESCED)


def _message(access: Access, limit: VectorLimit) -> str:
    possible = _possible(access) * (access.element_bits or 0)
    head = f"{access.vector_bits} bits a lane where the layout allows {possible}"
    return f"{head}: {_cause(access, limit)}"


def _arguments(access: Access, limit: VectorLimit) -> tuple[str, ...]:
    return access.weak_mask_arguments if limit.kind == "mask" else access.weak_arguments


def _cause(access: Access, limit: VectorLimit) -> str:
    names = ", ".join(_arguments(access, limit))
    match limit.kind:
        case "divisibility":
            return f"{names or 'the address'} is not known to be a multiple of 16"
        case "mask":
            behind = f" ({names} is not known to be a multiple of {_possible(access)})" if names else ""
            return f"the mask may change between neighbouring elements{behind}"
        case "contiguity":
            run = "neighbours in the thread are not neighbours in memory"
            return run if limit.elements == 1 else f"only {limit.elements} neighbours are contiguous in memory"
        case _:
            return f"the shared layout keeps only {limit.elements} neighbours together"


def _help(access: Access, limit: VectorLimit, facts: Facts) -> str:
    match limit.kind:
        case "mask" if not access.weak_mask_arguments:
            return "let the mask end at multiples of the width, or give each lane one element"
        case "divisibility" | "mask":
            return _help_of_arguments(_arguments(access, limit), facts)
        case "contiguity" if access.geometry is not None and access.geometry.contiguous_dim is None:
            return "one element a thread: no dimension of the tile is contiguous in memory"
        case "contiguity":
            return "order the layout along the contiguous dimension of the tensor"
        case _:
            return "give the shared layout the same order as the registers, and vec at least as wide"


def _help_of_arguments(names: tuple[str, ...], facts: Facts) -> str:
    pointers = [name for name in names if isinstance(facts.launch.arguments.get(name), TensorArgument)]
    if pointers:
        return f"let {' and '.join(pointers)} start at a multiple of 16 bytes: a view such as x[1:] does not"
    multiples = "multiples" if len(names) != 1 else "a multiple"
    named = " and ".join(names) or "the strides"
    return f"pass {named} as {multiples} of 16 (not excluded from specialisation), or pad the tensor"
