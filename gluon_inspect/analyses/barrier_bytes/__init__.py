"""Barriers that wait for more or fewer bytes than their copies bring."""

from __future__ import annotations

from gluon_inspect.analyses.barrier_bytes.expectations import Expectation, expectations
from gluon_inspect.facts.launched import Facts
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.finding import AnalysisResult, Finding, Metric, Rule, Severity

MISMATCH = Rule(
    code="GI502",
    name="barrier-bytes-mismatch",
    summary="An mbarrier expects another number of bytes than its bulk copies bring.",
    what=(
        "A bulk copy (TMA) reports the bytes it has written to an mbarrier, and the barrier's phase ends when the "
        "bytes that were announced with `mbarrier.expect` have arrived. The rule adds up both on one barrier."
    ),
    why="Too many announced and the wait never ends: the kernel hangs. Too few and it reads a half-filled buffer.",
    how=(
        "Both numbers stand in the IR: the announced bytes, and the shared-memory tile of each copy, also where "
        "it lies partly outside the tensor (the rest is filled with zeros and counts)."
    ),
    not_modelled=(
        "Only announcements and copies in one block, on one barrier value, under one predicate are compared. "
        "Undecided are barriers that CTAs share under a predicate, or before Triton 3.9, and the bytes of "
        "asynchronous stores to other CTAs' shared memory."
    ),
    bad="""
@gluon.jit
def kernel(src, dst):
    # half of the tile is announced: the wait ends while the other half is on its way
    tile = gl.allocate_shared_memory(src.dtype, src.block_type.shape, src.layout)
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, src.block_type.nbytes // 2)
    tma.async_load(src, [0, 0], bar, tile)
    mbarrier.wait(bar, phase=0)
    mbarrier.invalidate(bar)
    tma.async_store(dst, [0, 0], tile)
    tma.store_wait(0)


layout = gl.NVMMASharedLayout.get_default_for([64, 64], gl.float16)
tensors = torch.empty(2, 64, 64, device="cuda", dtype=torch.float16)
src, dst = (TensorDescriptor.from_tensor(each, [64, 64], layout) for each in tensors)
kernel[(1,)](src, dst)
""",
    good="""
@gluon.jit
def kernel(src, dst):
    tile = gl.allocate_shared_memory(src.dtype, src.block_type.shape, src.layout)
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, src.block_type.nbytes)
    tma.async_load(src, [0, 0], bar, tile)
    mbarrier.wait(bar, phase=0)
    mbarrier.invalidate(bar)
    tma.async_store(dst, [0, 0], tile)
    tma.store_wait(0)


layout = gl.NVMMASharedLayout.get_default_for([64, 64], gl.float16)
tensors = torch.empty(2, 64, 64, device="cuda", dtype=torch.float16)
src, dst = (TensorDescriptor.from_tensor(each, [64, 64], layout) for each in tensors)
kernel[(1,)](src, dst)
""",
)
RULES = (MISMATCH,)


def run(facts: Facts) -> AnalysisResult:
    """An error for each barrier whose announced and copied bytes differ; nothing without barriers."""
    if facts.module is None:
        return AnalysisResult()
    found = expectations(facts.module, facts.version)
    if not found:
        return AnalysisResult()
    cluster = (facts.num_ctas or 1) > 1
    wrong = tuple(_finding(number, each, cluster=cluster) for number, each in enumerate(found) if not each.agrees)
    checked = Metric(
        "barrier_expectations_checked", "Barrier announcements compared with their copies", len(found)
    )
    return AnalysisResult(findings=wrong, metrics=(checked,))


def _finding(number: int, found: Expectation, *, cluster: bool) -> Finding:
    effect = (
        "the wait never ends"
        if found.expected_bytes > found.copied_bytes
        else "the wait ends before the data is there"
    )
    announced = f"the barrier expects {found.expected_bytes:,} B"
    copies = "its copy brings" if len(found.copies) == 1 else f"its {len(found.copies)} copies bring"
    each, size = (" for each CTA", "nbytes_per_cta") if cluster else ("", "block_type.nbytes")
    return Finding(
        id=f"{MISMATCH.code}-{number}",
        rule=MISMATCH.code,
        name=MISMATCH.name,
        severity=Severity.ERROR,
        confidence=Confidence.EXACT,
        model=ModelStatus.DOCUMENTED,
        message=f"{announced}{each}, {copies} {found.copied_bytes:,} B: {effect}",
        location=found.expect.location,
        evidence={
            "expected_bytes": found.expected_bytes,
            "copied_bytes": found.copied_bytes,
            "copies": len(found.copies),
        },
        help=f"announce {found.copied_bytes} bytes{each}, or `.{size}` of each descriptor that is copied",
    )
