"""Accesses that each take every k-th element, so that each moves the sectors of all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from gluon_inspect.cost.launch import share_saved
from gluon_inspect.facts.interleaved import interleaved
from gluon_inspect.facts.launched import Facts
from gluon_inspect.facts.severity import THRESHOLDS, severity_of
from gluon_inspect.model.access import Access, Direction
from gluon_inspect.model.confidence import ModelStatus
from gluon_inspect.model.finding import AnalysisResult, Finding, Rule, Severity

INTERLEAVED = Rule(
    code="GI104",
    name="interleaved-access",
    summary="Accesses that take turns over the elements of a tensor move each sector once each.",
    what=(
        "Even and odd elements (or three, four fields of a record) are loaded or stored apart: each access "
        "touches every sector and uses a part of it."
    ),
    why=(
        "Stores of half sectors are written twice, and narrow instructions move what one wide one would. Loads "
        "that the L1 serves the second time cost little more than their instructions."
    ),
    how=(
        "Accesses through one pointer, as many as their elements are apart, with one shape and stride and "
        "different first addresses within one step. What they lose is the expected time less that of whole "
        f"sectors, the L1 included; severity follows: {THRESHOLDS}. Without a prediction: a warning."
    ),
    not_modelled="Instructions for the exchange between lanes that joins and splits need, and those saved.",
    bad="""
@gluon.jit
def kernel(src, dst):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    pair = gl.program_id(0) * 512 + gl.arange(0, 512, layout=layout)
    even = gl.load(src + 2 * pair)
    odd = gl.load(src + 2 * pair + 1)
    gl.store(dst + 2 * pair, even - odd)
    gl.store(dst + 2 * pair + 1, even + odd)


src, dst = torch.empty(2, 2**24, device="cuda", dtype=torch.bfloat16)
kernel[(2**14,)](src, dst)
""",
    good="""
@gluon.jit
def kernel(src, dst):
    layout: gl.constexpr = gl.BlockedLayout([8], [32], [4], [0])
    element = gl.program_id(0) * 1024 + gl.arange(0, 1024, layout=layout)
    # a thread holds both of a pair
    even, odd = gl.split(gl.load(src + element).reshape([512, 2]))
    both = gl.join(even - odd, even + odd).reshape([1024])
    gl.store(dst + element, gl.convert_layout(both, layout))


src, dst = torch.empty(2, 2**24, device="cuda", dtype=torch.bfloat16)
kernel[(2**14,)](src, dst)
""",
)
RULES = (INTERLEAVED,)


def run(facts: Facts) -> AnalysisResult:
    """One finding for each group of accesses that take turns."""
    return AnalysisResult(findings=tuple(_findings(facts)))


def _findings(facts: Facts) -> Iterator[Finding]:
    for group in interleaved(facts):
        lost = share_saved(facts, accesses=[_whole(a) if a in group else a for a in facts.accesses])
        first, store = group[0], group[0].direction is Direction.STORE
        yield Finding(
            id=f"{INTERLEAVED.code}-{first.id}",
            rule=INTERLEAVED.code,
            name=INTERLEAVED.name,
            severity=severity_of(lost, Severity.WARNING),
            confidence=first.confidence,
            model=first.model if first.model is ModelStatus.UNVALIDATED else ModelStatus.DOCUMENTED,
            message=_message(group),
            location=first.location,
            evidence={
                "accesses": tuple(each.id for each in group),
                "sectors": sum(each.sectors or 0 for each in group),
                "sectors_ideal": sum(each.sectors_ideal or 0 for each in group),
            },
            help=_STORE if store else _LOAD,
            subject=first.id,
            cost=lost,
        )


_LOAD = "one load of neighbouring elements, and `split` of its reshape to pairs"
_STORE = "`join` the values, reshape, and store neighbouring elements at once"


def _whole(access: Access) -> Access:
    """The access as a part of one that takes all elements of its sectors."""
    if access.sectors is None or access.sectors_ideal is None:
        return access
    lines = None if access.lines is None else -(-access.sectors_ideal * access.lines // max(1, access.sectors))
    return replace(access, sectors=access.sectors_ideal, lines=lines, locality=None)


def _message(group: Sequence[Access]) -> str:
    first, k = group[0], len(group)
    lines = sorted({each.location.author.line for each in group if each.location})
    at = f" (lines {', '.join(map(str, lines))})" if len(lines) > 1 else ""
    verb = "stores" if first.direction is Direction.STORE else "loads"
    moved = "" if first.sectors is None else f": {first.sectors:,} sectors, {k} times"
    return f"{k} {verb}{at} take every {_NTH.get(k, f'{k}th')} element each and touch the same sectors{moved}"


_NTH = {2: "second", 3: "third"}
