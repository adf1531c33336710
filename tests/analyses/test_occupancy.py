from dataclasses import replace

import pytest

from gluon_inspect.analyses.occupancy import run
from gluon_inspect.ir.graph import graph_of
from gluon_inspect.ir.text import parse_module
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


BUFFERS = """
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @k() {
    %0 = ttg.local_alloc : () -> !ttg.memdesc<16x16xf32, #shared, #smem, mutable> loc("k.py":3:0)
    %1 = ttg.local_alloc : () -> !ttg.memdesc<512x256xbf16, #shared, #smem, mutable> loc("k.py":4:0)
    tt.return loc(unknown)
  } loc(unknown)
} loc(unknown)
"""


def test_shared_memory_that_does_not_fit_is_told_with_its_largest_buffer():
    facts = replace(resident(NOTHING, 32, 263_168, 4), module=parse_module(BUFFERS))
    (finding,) = run(facts).findings
    assert finding.severity == "error"
    assert finding.location.line == 4
    assert finding.message == (
        "not one CTA fits an SM; limited by shared memory: 263,168 bytes a CTA where 232,448 are the limit; "
        "the largest buffer is the 512x256 one of line 4, 262,144 bytes"
    )


@pytest.mark.parametrize(
    ("shared", "stages", "loop", "advice"),
    [
        (300_000, 3, "", "use a smaller tile, or go through it in parts"),
        (300_000, 1, "scf.for", "use a smaller tile, or go through it in parts"),
        (300_000, 3, "scf.for", "use a smaller tile or fewer stages in shared memory (num_stages is 3)"),
    ],
)
def test_fewer_stages_are_advised_where_a_loop_has_them(shared, stages, loop, advice):
    body = "scf.for %i = %c to %c step %c : i32 {\n    }" if loop else ""
    start = "module {\n  tt.func public @k() {\n    %c = arith.constant 1 : i32\n"
    text = f"{start}    {body}\n    tt.return\n  }}\n}}"
    facts = resident(NOTHING, 32, shared, 4)
    kernel = replace(facts.kernel, metadata={"num_stages": stages})
    (told,) = run(replace(facts, kernel=kernel, graph=graph_of(parse_module(text)))).findings
    assert told.help == advice
