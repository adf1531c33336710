from dataclasses import replace

from gluon_inspect.analyses.occupancy import run
from gluon_inspect.model.access import Access, Direction, Space
from tests.analyses.facts import NOTHING, resident, sass

LOAD = Access("a0", "tt.load", Space.GLOBAL, Direction.LOAD, None)
PLAIN = replace(sass((1, "LDG.E.128 R4, [R2]"), (2, "EXIT")), accesses=(LOAD,))


def metrics(result):
    return {metric.key: metric.value for metric in result.metrics}


def test_registers_and_limits_are_told():
    result = run(resident(PLAIN, 168, 49152, 4))
    assert result.findings == ()
    assert metrics(result) == {
        "registers_per_thread": 168,
        "ctas_per_sm": 3,
        "warps_per_sm": 12,
        "occupancy": 0.1875,
        "occupancy_limited_by": "registers, shared memory",
    }
    (table,) = result.tables
    assert {row[0]: row[2] for row in table.rows} == {
        "registers": 3, "warp slots": 16, "CTA slots": 32, "shared memory": 3,
    }  # fmt: skip


def test_nothing_known_nothing_said():
    result = run(NOTHING)
    assert result.findings == result.tables == result.metrics == ()


def test_few_warps_that_wait_for_loads():
    (finding,) = run(resident(PLAIN, 64, 131072, 4)).findings
    assert (finding.rule, finding.severity) == ("GI303", "note")
    assert finding.evidence["limited_by"] == ("shared",)
    assert "4 warps" in finding.message


def test_few_warps_with_matrix_instructions_or_copies_are_a_choice():
    for text in ("HGMMA.64x128x16.F32 R24, gdesc[UR8], R24", "UTMALDG.2D [UR8], [UR4]", "LDGSTS.E.128 [R1], [R2]"):
        facts = replace(sass((1, "LDG.E R4, [R2]"), (2, text)), accesses=(LOAD,))
        assert run(resident(facts, 64, 131072, 4)).findings == ()


def test_a_cta_that_fits_nowhere_is_an_error():
    (finding,) = run(resident(PLAIN, 64, 300_000, 4)).findings
    assert finding.severity == "error"
    assert "shared memory" in finding.message
