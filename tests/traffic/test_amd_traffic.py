"""Global traffic on AMD: wave64 and wave32, sectors of 64 bytes, lines of 128."""

import pytest

from gluon_inspect.model.artifact import Capture, CompiledKernel, Launch
from gluon_inspect.pipeline import inspect
from tests.traffic.lanes import Blocked
from tests.traffic.test_traffic import Case, text_of

WAVE64 = ("hip:gfx942", "hip:gfx950")
WAVE32 = ("hip:gfx1100", "hip:gfx1201", "hip:gfx1250")


def report_of(target, layout, lanes):
    case = Case(layout, (256, 256), "f32", (256, 1), (256, 256), (1, 1))
    text = text_of(case).replace('"ttg.threads-per-warp" = 32', f'"ttg.threads-per-warp" = {lanes}')
    values = dict(zip(("src", "dst", "sx", "sy", "nx", "ny"), (1 << 20, 1 << 30, 256, 1, 256, 256), strict=True))
    kernel = CompiledKernel("copy", target, stages={"ttgir": text}, launches=(Launch("0", 1, (1, 1, 1), values),))
    return inspect(Capture("test", (kernel,)), programs=0).kernels[0]


def simplest(lanes):
    """The four simplest layouts: flagged or not, and a request's sectors, lines and dwords a lane."""
    by_rows = Blocked((1, 1), (1, lanes), (4, 1), (1, 0))
    wide_by_rows = Blocked((1, 4), (1, lanes), (4, 1), (1, 0))
    down = Blocked((1, 1), (lanes, 1), (4, 1), (1, 0))
    wide_down = Blocked((1, 4), (lanes, 1), (4, 1), (1, 0))
    return [
        (by_rows, False, lanes * 4 // 64, lanes * 4 // 128, 1),
        (wide_by_rows, False, lanes * 16 // 64, lanes * 16 // 128, 4),
        (down, True, lanes, lanes, 4),
        (wide_down, True, lanes, lanes, 4),
    ]


CASES = [
    (name, lanes, case) for names, lanes in ((WAVE64, 64), (WAVE32, 32)) for name in names for case in range(4)
]


@pytest.mark.parametrize(("target", "lanes", "number"), CASES)
def test_the_four_simplest_layouts(target, lanes, number):
    layout, flagged, sectors, lines, dwords = simplest(lanes)[number]
    report = report_of(target, layout, lanes)
    found = {finding.rule for finding in report.findings if finding.rule.startswith("GI1")}
    assert found == ({"GI101"} if flagged else set())
    for access in report.accesses:
        assert (access.sectors_per_request, access.lines / access.requests) == (sectors, lines)
        assert access.vector_bits == 32 * dwords
        assert access.model == ("unvalidated" if target == "hip:gfx1250" else "documented")


def test_the_words_are_amds():
    layout = simplest(64)[2][0]
    finding = report_of("hip:gfx942", layout, 64).findings[0]
    assert "by a wave (wave64)" in finding.message
    assert "64 sectors of 64 bytes (64 lines of 128 bytes)" in finding.message
    wanted = {"wave": 64, "sector_bytes": 64, "line_bytes": 128, "lines_per_request": 64, "dwords_a_lane": 4}
    assert wanted.items() <= dict(finding.evidence).items()


def test_nvidias_words_stay():
    finding = report_of("cuda:90", simplest(32)[2][0], 32).findings[0]
    assert "32 sectors where" in finding.message
    assert "wave" not in finding.evidence
