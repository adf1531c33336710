"""AMD: copies straight to LDS that are as wide as no instruction of the target is."""

from __future__ import annotations

from gluon_inspect.facts.launched import Facts
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.finding import AnalysisResult, Finding, Rule, Severity
from gluon_inspect.wording.compile_errors import diagnosed

_REFUSED = (
    r"cannot lower '[\w.]+' to a direct-to-LDS copy: the coalesced (?P<bits>\d+)-bit .*? width is not supported"
)
"""Triton's message (third_party/amd, LoadStoreOpToLLVM.cpp)."""
_EXAMPLE = """
@gluon.jit
def kernel(src, dst, EACH: gl.constexpr):
    # {comment}
    layout: gl.constexpr = gl.BlockedLayout([EACH], [64], [4], [0])
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    offsets = gl.arange(0, 256 * EACH, layout=layout)
    tile = gl.allocate_shared_memory(gl.float32, [256 * EACH], shared)
    gl.amd.cdna4.async_copy.buffer_load_to_shared(tile, src, offsets)
    gl.amd.cdna4.async_copy.commit_group()
    gl.amd.cdna4.async_copy.wait_group(0)
    gl.store(dst + offsets, tile.load(layout))


src, dst = torch.empty(2, 1024, device="cuda")
kernel[(1,)](src, dst, {each}, num_warps=4)
"""

WIDTH = Rule(
    code="GI508",
    name="direct-copy-width",
    summary="A copy straight to LDS has a width that the target has no instruction for, and does not compile.",
    what=(
        "`buffer_load ... lds` and `global_load_lds` move one dword a lane on gfx942; gfx950 added three and "
        "four, gfx1250 has 8, 32, 64 and 128 bits. The width is what a lane holds side by side in memory and in "
        "LDS."
    ),
    why="The kernel does not compile; the compiler's message names the width but not those that there are.",
    how="From the compiler's message and the widths of the ISA documents.",
    not_modelled="Other reasons for which the compiler refuses a direct copy; its message stands in the report.",
    bad=_EXAMPLE.format(comment="four dwords a lane: gfx950 has them, gfx942 does not", each=4),
    good=_EXAMPLE.format(comment="one dword a lane", each=1),
    example_target="hip:gfx942",
)
RULES = (WIDTH,)


def run(facts: Facts) -> AnalysisResult:
    """A finding where the compiler refused a direct copy for its width."""
    if facts.target.backend != "hip" or not facts.kernel.error:
        return AnalysisResult()
    told = diagnosed(facts.kernel.error, _REFUSED)
    if told is None:
        return AnalysisResult()
    found, place = told
    known = facts.target.direct_to_shared_bits
    has = ", ".join(f"{bits}" for bits in known) or "no"
    finding = Finding(
        id=f"{WIDTH.code}-0",
        rule=WIDTH.code,
        name=WIDTH.name,
        severity=Severity.ERROR,
        confidence=Confidence.EXACT,
        model=ModelStatus.DOCUMENTED,
        message=f"copies of {found['bits']} bits a lane straight to LDS: {facts.target.name} has {has}",
        location=place,
        evidence={"bits": int(found["bits"]), "supported_bits": known},
        help=_help(known),
    )
    return AnalysisResult(findings=(finding,))


def _help(known: tuple[int, ...]) -> str:
    if not known:
        return "load to registers and store to LDS"
    least = f"size_per_thread of {known[0] // 32 or 1} dword" if known == (32,) else "another size_per_thread"
    return (
        f"{least} in the offsets' layout, or a load to registers (buffer_load) and a store to LDS, 16 bytes a lane"
    )
