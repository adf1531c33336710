"""Explanations: the right cause, a proposal that the same model finds better, and honest limits."""

from __future__ import annotations

import json
from dataclasses import replace
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gluon_inspect.errors import UsageError
from gluon_inspect.explaining.asked import chosen
from gluon_inspect.explaining.block_shape import block_shapes
from gluon_inspect.explaining.candidates import candidates, fastest_first
from gluon_inspect.explaining.causes import scratch
from gluon_inspect.explaining.explanation import explain
from gluon_inspect.explaining.first_warp import _sector
from gluon_inspect.explaining.output import write
from gluon_inspect.explaining.patches import with_patches
from gluon_inspect.explaining.text import as_markdown
from gluon_inspect.layouts.gluon_syntax import read_layout, write_layout
from gluon_inspect.layouts.lowering import linear_layout
from gluon_inspect.model.access import Conversion, ConversionKind
from gluon_inspect.model.artifact import Capture, CompiledKernel, Launch
from gluon_inspect.model.encodings import BlockedEncoding
from gluon_inspect.model.explanation import ProposalStatus
from gluon_inspect.model.location import Location
from gluon_inspect.model.report import Occupancy
from gluon_inspect.pipeline import inspect
from tests.traffic.lanes import Blocked
from tests.traffic.test_traffic import Case, report_of, text_of

DOWN_THE_ROWS = Blocked((1, 1), (32, 1), (4, 1), (1, 0))
ALONG_THE_ROWS = Blocked((1, 4), (1, 32), (4, 1), (1, 0))


def case(layout, strides=(128, 1)):
    return Case(layout, (128, 128), "f32", strides, (128, 128), (1, 1))


def report_with_constexpr(layout):
    kernel = CompiledKernel(
        "copy",
        "cuda:90",
        stages={"ttgir": text_of(case(layout))},
        constexprs={"layout": write_layout(encoding(layout)), "BLOCK": "128"},
        launches=(launch(),),
    )
    return inspect(Capture("test", (kernel,)), programs=0).kernels[0]


def launch():
    names = ("src", "dst", "sx", "nx", "ny")
    return Launch("0", 1, (1, 1, 1), dict(zip(names, (1 << 20, 1 << 30, 128, 128, 128))))


def encoding(layout):
    return BlockedEncoding(layout.per_thread, layout.threads, layout.warps, layout.order)


def test_lanes_down_the_rows_get_a_layout_along_them():
    found = explain(report_with_constexpr(DOWN_THE_ROWS))
    assert [item.finding.rule for item in found.items] == ["GI101", "GI101"]
    assert found.items[0].drawing[0] == "first warp, first instruction: 32 lanes of 16 bytes"
    assert "  32 sectors of 32 bytes, 50% of them used:" in found.items[0].drawing
    best = found.proposals[0]
    layout = read_layout(best.substitutions["layout"])
    assert layout.order == (1, 0)
    assert layout.size_per_thread == (1, 4)
    assert best.effect.sectors_before == 2 * 128 * 32
    assert best.effect.sectors_after == 2 * 128 * 128 * 4 // 32
    assert best.effect.speedup > 1.5
    assert best.status is ProposalStatus.PREDICTED
    assert best.where == "pass it as `layout` where copy is launched"


def test_a_good_kernel_is_told_that_layouts_are_not_the_problem():
    found = explain(report_with_constexpr(ALONG_THE_ROWS))
    assert not found.items
    assert not found.proposals
    assert found.verdict.startswith("100% of the sectors moved are needed: nothing to gain in the layouts")


def test_an_unknown_layout_parameter_cannot_be_substituted():
    found = with_patches(explain(report_of(case(DOWN_THE_ROWS))), {})
    assert found.proposals[0].substitutions == {}
    assert found.proposals[0].note == "not to be changed by itself: the source of the kernel is not at hand"


def test_without_a_grid_nothing_is_proposed_and_the_limits_say_so():
    report = report_with_constexpr(DOWN_THE_ROWS)
    kernel = replace(report.kernel, launches=(replace(launch(), grid=None),))
    found = explain(inspect(Capture("test", (kernel,))).kernels[0])
    assert not found.proposals
    assert "the grid is not given: nothing is counted for the whole launch" in found.limits


def test_where_no_layout_of_the_tile_helps_the_block_shape_is_named():
    narrow = Case(Blocked((1, 1), (1, 32), (1, 4), (1, 0)), (1, 128), "f32", (1, 4096), (1, 128), (1, 1))
    found = explain(report_of(narrow))
    assert [p.title for p in found.proposals] == ["no layout of a 1x128 tile is better: another block shape"]
    assert "dim 0 (1 -> at least 8)" in found.proposals[0].source[0]


def test_one_finding_or_one_line_can_be_asked_for():
    report = report_with_constexpr(DOWN_THE_ROWS)
    assert [i.finding.id for i in explain(report, finding="GI101-g1").items] == ["GI101-g1"]
    assert explain(report, line=12345).items == ()


def test_names_cannot_leave_their_code_spans():
    report = report_with_constexpr(DOWN_THE_ROWS)
    kernel = replace(report.kernel, name="evil` <script>\x1b[31m")
    text = as_markdown(explain(replace(report, kernel=kernel)), {})
    assert "\x1b" not in text
    assert "`evil' <script>" in text


def test_json_holds_proposals_and_speedup(tmp_path):
    target = tmp_path / "out.json"
    write([explain(report_with_constexpr(DOWN_THE_ROWS))], {}, "json", str(target))
    data = json.loads(target.read_text())
    assert data[0]["kernel"] == "copy"
    assert data[0]["proposals"][0]["speedup"] > 1.5


def test_dimensions_by_their_distance_in_memory():
    assert fastest_first((4, 4096), (64, 64)) == (0, 1)
    assert fastest_first((4096, 4), (64, 64)) == (1, 0)
    assert fastest_first((None, 4), (64, 64)) == (1, 0)
    assert fastest_first((4, 4), (1, 64)) == (1, 0)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from([1, 2, 8, 32, 128]), min_size=1, max_size=3),
    st.sampled_from([1, 2, 4, 8]),
    st.sampled_from([1, 2, 4, 8]),
)
def test_every_candidate_has_all_lanes_and_warps(shape, element_bytes, warps):
    strides = [element_bytes * 2**i for i in range(len(shape))]
    for layout in candidates(shape, element_bytes, strides, warps, 32):
        linear = linear_layout(layout, tuple(shape))
        assert linear.size("lane") == 32
        assert linear.size("warp") == warps
        assert layout.size_per_thread[layout.order[0]] * element_bytes <= 16


@pytest.mark.parametrize(
    ("wanted", "line", "words"),
    [("GI999", None, "called 'GI999'"), (None, 999, "at line 999"), ("GI101", 999, "called 'GI101' at line 999")],
)
def test_what_is_not_there_is_an_error_that_lists_what_is(wanted, line, words):
    report = report_with_constexpr(DOWN_THE_ROWS)
    with pytest.raises(UsageError, match=words) as caught:
        chosen((report,), wanted, line)
    assert all(finding.id in caught.value.hint for finding in report.findings)


def test_kernels_without_what_was_asked_for_are_left_out():
    slow, fine = report_with_constexpr(DOWN_THE_ROWS), report_with_constexpr(ALONG_THE_ROWS)
    assert chosen((fine, slow), "GI101", None) == (slow,)
    assert chosen((fine, slow), None, None) == (fine, slow)


def test_text_is_80_columns_wide_without_trailing_blanks_or_colours(capsys):
    write([explain(report_with_constexpr(DOWN_THE_ROWS))], {}, "text", None)
    lines = capsys.readouterr().out.split("\n")
    assert max(map(len, lines)) <= 80
    assert all(line == line.rstrip() for line in lines)
    assert not any("\x1b" in line for line in lines)


def test_occupancy_names_the_conversion_that_takes_the_shared_memory():
    report = report_with_constexpr(ALONG_THE_ROWS)
    place = Location("k.py", 7)
    conversion = Conversion("c0", "ttg.convert_layout", place, "", "", ConversionKind.SHARED, scratch_bytes=65536)
    limited = Occupancy(3, 12, 0.19, ("shared",))
    full = replace(report, conversions=(conversion,), occupancy=limited, shared_bytes=65600)
    assert next(scratch(full)).startswith("The conversion at line 7 takes 64 KiB of the 64.06 KiB")
    assert "The conversion at line 7" in explain(full).verdict
    assert not list(scratch(replace(full, shared_bytes=200_000)))
    assert not list(scratch(replace(full, occupancy=replace(limited, limited_by=("registers",)))))


def test_code_is_never_wrapped(capsys):
    found = explain(report_with_constexpr(DOWN_THE_ROWS))
    long = "+    " + "gl.store(dst, value); " * 10
    patched = replace(found.proposals[0], patch=("--- a", long))
    write([replace(found, proposals=(patched,))], {}, "text", None)
    assert f"    {long.rstrip()}" in capsys.readouterr().out.split("\n")


def test_sectors_of_64_bytes_are_drawn_as_wide_as_those_of_32():
    touched = np.arange(3)
    assert _sector(touched, 0, 0, 64).endswith("[#+..............................]")
    assert _sector(touched, 0, 0, 32).endswith("[###.............................]")


@pytest.mark.parametrize(
    ("name", "lanes", "sector"), [("cuda:90", 32, 32), ("hip:gfx942", 64, 64), ("hip:gfx1100", 32, 64)]
)
def test_block_shapes_are_those_of_the_target(name, lanes, sector):
    """Lanes of its warps or waves, and tiles that fill its sectors."""
    narrow = Case(Blocked((1, 1), (1, 32), (1, 4), (1, 0)), (1, 128), "f32", (1, 4096), (512, 128), (512, 1))
    found = report_of(narrow)
    report = replace(found, kernel=replace(found.kernel, target=name))
    (longer,) = block_shapes(report, found.findings)
    assert f"dim 0 (1 -> at least {sector // 4})" in longer.source[0]
    (access, *_) = report.accesses
    constants = {"X": "1", "Y": "128", "layout": access.layout}
    named = replace(report, kernel=replace(report.kernel, constexprs=constants))
    (turned,) = block_shapes(named, found.findings)
    threads = read_layout(turned.substitutions["layout"]).threads_per_warp
    assert prod(threads) == lanes
