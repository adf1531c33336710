"""Even and odd elements apart: proposed for plain kernels, all pairs at once, the lower address first."""

from __future__ import annotations

from dataclasses import replace

from gluon_inspect.explaining.paired import paired
from gluon_inspect.model.access import Access, AccessGeometry, Direction, Space
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.cost import KernelCost, Resource
from gluon_inspect.model.finding import Finding, Severity
from gluon_inspect.model.location import Location
from tests.report import samples


def access(number: int, phase: int, direction: Direction = Direction.LOAD) -> Access:
    geometry = AccessGeometry(misalignment_bytes=phase)
    return Access(f"g{number}", "tt", Space.GLOBAL, direction, Location("k.py", number + 3), geometry=geometry)


def finding(*ids: str, cost: float | None = 0.3) -> Finding:
    exact, known = Confidence.EXACT, ModelStatus.VALIDATED
    return Finding(
        f"GI104-{ids[0]}", "GI104", "x", Severity.WARNING, exact, known, "x", evidence={"accesses": ids}, cost=cost
    )


SAMPLE = samples.ordinary().kernels[0]
COST = KernelCost(1e-4, Resource.DRAM, {}, (), Confidence.EXACT, ModelStatus.VALIDATED)
REPORT = replace(
    SAMPLE,
    kernel=replace(SAMPLE.kernel, stages={"ttir": ""}),
    cost=COST,
    accesses=(access(0, 4), access(1, 0), access(2, 0, Direction.STORE), access(3, 4, Direction.STORE)),
)


def test_all_pairs_are_one_proposal():
    (found,) = paired(REPORT, [finding("g0", "g1"), finding("g2", "g3")])
    assert found.pairs == (("g1", "g0"), ("g2", "g3"))
    assert found.title == "even and odd elements at once (lines 3, 4, 5, 6)"
    assert [line.partition("(")[0] for line in found.source] == ["even, odd = tl.split", "tl.store"]
    assert found.effect is not None
    assert round(found.effect.speedup or 0, 3) == 2.5


def test_what_is_not_known_is_not_foretold():
    (found,) = paired(REPORT, [finding("g0", "g1", cost=None)])
    assert found.effect is None


def test_triples_and_gluon_kernels_have_no_proposal():
    assert not list(paired(REPORT, [finding("g0", "g1", "g2")]))
    assert not list(paired(REPORT, [replace(finding("g0", "g1"), rule="GI101")]))
    gluon = replace(REPORT, kernel=replace(REPORT.kernel, stages={"ttgir": ""}))
    assert not list(paired(gluon, [finding("g0", "g1")]))
