"""Evaluated traffic against a simulator that walks one lane at a time."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gluon_inspect.model.artifact import Capture, CompiledKernel, Launch
from gluon_inspect.pipeline import inspect
from tests.traffic import lanes
from tests.traffic.lanes import Blocked

TEMPLATE = """
#b = {layout}
#r = #ttg.slice<{{dim = 1, parent = #b}}>
#c = #ttg.slice<{{dim = 0, parent = #b}}>
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = {warps} : i32,
                    "ttg.threads-per-warp" = 32 : i32}} {{
  tt.func public @copy(%src: !tt.ptr<{type}> {{tt.divisibility = 16 : i32}}, %dst: !tt.ptr<{type}>{dst},
                       %sx: i32{sx},
                       %sy: i32{sy}, %nx: i32{nx}, %ny: i32{ny}) {{
    %px = tt.get_program_id x : i32
    %py = tt.get_program_id y : i32
    %bx = arith.constant {X} : i32
    %by = arith.constant {Y} : i32
    %ox = arith.muli %px, %bx : i32
    %oy = arith.muli %py, %by : i32
    %rx = tt.make_range {{end = {X} : i32, start = 0 : i32}} : tensor<{X}xi32, #r>
    %ry = tt.make_range {{end = {Y} : i32, start = 0 : i32}} : tensor<{Y}xi32, #c>
    %sox = tt.splat %ox : i32 -> tensor<{X}xi32, #r>
    %soy = tt.splat %oy : i32 -> tensor<{Y}xi32, #c>
    %ix = arith.addi %sox, %rx : tensor<{X}xi32, #r>
    %iy = arith.addi %soy, %ry : tensor<{Y}xi32, #c>
    %ex = tt.expand_dims %ix {{axis = 1 : i32}} : tensor<{X}xi32, #r> -> tensor<{X}x1xi32, #b>
    %ey = tt.expand_dims %iy {{axis = 0 : i32}} : tensor<{Y}xi32, #c> -> tensor<1x{Y}xi32, #b>
    %ssx = {ssx} tensor<{X}x1xi32, #b>
    %ssy = {ssy} tensor<1x{Y}xi32, #b>
    %mx = arith.muli %ex, %ssx : tensor<{X}x1xi32, #b>
    %my = arith.muli %ey, %ssy : tensor<1x{Y}xi32, #b>
    %Mx = tt.broadcast %mx : tensor<{X}x1xi32, #b> -> tensor<{X}x{Y}xi32, #b>
    %My = tt.broadcast %my : tensor<1x{Y}xi32, #b> -> tensor<{X}x{Y}xi32, #b>
    %off = arith.addi %Mx, %My : tensor<{X}x{Y}xi32, #b>
    %ps = tt.splat %src : !tt.ptr<{type}> -> tensor<{X}x{Y}x!tt.ptr<{type}>, #b>
    %pd = tt.splat %dst : !tt.ptr<{type}> -> tensor<{X}x{Y}x!tt.ptr<{type}>, #b>
    %as = tt.addptr %ps, %off : tensor<{X}x{Y}x!tt.ptr<{type}>, #b>, tensor<{X}x{Y}xi32, #b>
    %ad = tt.addptr %pd, %off : tensor<{X}x{Y}x!tt.ptr<{type}>, #b>, tensor<{X}x{Y}xi32, #b>
    %snx = tt.splat %nx : i32 -> tensor<{X}x1xi32, #b>
    %sny = tt.splat %ny : i32 -> tensor<1x{Y}xi32, #b>
    %cx = arith.cmpi slt, %ex, %snx : tensor<{X}x1xi32, #b>
    %cy = arith.cmpi slt, %ey, %sny : tensor<1x{Y}xi32, #b>
    %Cx = tt.broadcast %cx : tensor<{X}x1xi1, #b> -> tensor<{X}x{Y}xi1, #b>
    %Cy = tt.broadcast %cy : tensor<1x{Y}xi1, #b> -> tensor<{X}x{Y}xi1, #b>
    %m = arith.andi %Cx, %Cy : tensor<{X}x{Y}xi1, #b>
    %v = tt.load %as, %m : tensor<{X}x{Y}x!tt.ptr<{type}>, #b>
    tt.store %ad, %v, %m : tensor<{X}x{Y}x!tt.ptr<{type}>, #b>
    tt.return
  }}
}}
"""
SIZES = {"f32": 4, "f16": 2, "i8": 1, "f64": 8}


@dataclass(frozen=True)
class Case:
    layout: Blocked
    shape: tuple
    type: str
    strides: tuple
    limits: tuple
    grid: tuple
    aligned: bool = True


def power(low, high):
    return st.sampled_from([1 << n for n in range(low, high + 1)])


@st.composite
def cases(draw):
    threads = draw(power(0, 5))
    warps = draw(st.sampled_from([(1, 1), (2, 1), (1, 4), (2, 2)]))
    layout = Blocked(
        (draw(power(0, 2)), draw(power(0, 3))),
        (threads, 32 // threads),
        warps,
        draw(st.sampled_from([(1, 0), (0, 1)])),
    )
    shape = (draw(power(0, 5)), draw(power(0, 6)))
    columns = draw(st.integers(1, 96))
    strides = draw(st.sampled_from([(columns, 1), (1, columns), (columns * 16, 16), (0, 1), (columns, 3)]))
    limits = (draw(st.integers(0, 2 * shape[0])), draw(st.integers(0, 2 * shape[1])))
    size, grid = draw(st.sampled_from(sorted(SIZES))), draw(st.sampled_from([(1, 1), (2, 2)]))
    return Case(layout, shape, size, strides, limits, grid, draw(st.booleans()))


def text_of(case):
    def hint(value):
        return " {tt.divisibility = 16 : i32}" if value % 16 == 0 else ""

    def stride(name, value):
        # Triton specialises an argument that is 1 away
        return "arith.constant dense<1> :" if value == 1 else f"tt.splat %{name} : i32 ->"

    sx, sy, nx, ny = (hint(v) for v in (*case.strides, *case.limits))
    return TEMPLATE.format(
        layout=case.layout.ir(), warps=case.layout.num_warps, type=case.type,
        dst=hint(0 if case.aligned else 1), X=case.shape[0], Y=case.shape[1], sx=sx, sy=sy,
        ssx=stride("sx", case.strides[0]), ssy=stride("sy", case.strides[1]), nx=nx, ny=ny,
    )  # fmt: skip


def report_of(case, src=1 << 20, dst=1 << 30):
    names = ("src", "dst", "sx", "sy", "nx", "ny")
    arguments = dict(zip(names, (src, dst, *case.strides, *case.limits)))
    launch = Launch("0", 1, (*case.grid, 1), arguments)
    kernel = CompiledKernel("copy", "cuda:90", stages={"ttgir": text_of(case)}, launches=(launch,))
    return inspect(Capture("test", (kernel,)), programs=0).kernels[0]


@settings(max_examples=120, deadline=None)
@given(cases())
def test_every_program_every_lane(case):
    report = report_of(case)
    size = SIZES[case.type]
    for access, base, once in zip(report.accesses, (1 << 20, 1 << 30), (False, True), strict=True):
        vector = access.vector_bits // (size * 8)
        total = [0, 0, 0, 0]
        for px in range(case.grid[0]):
            for py in range(case.grid[1]):

                def element(at, px=px, py=py):
                    return px * case.shape[0] + at[0], py * case.shape[1] + at[1]

                def address(at, base=base, element=element):
                    x, y = element(at)
                    return base + size * (x * case.strides[0] + y * case.strides[1])

                def active(at, element=element):
                    x, y = element(at)
                    return x < case.limits[0] and y < case.limits[1]

                found = lanes.count(case.layout, case.shape, vector, size, address, active, once)
                total = [a + b for a, b in zip(total, found)]
        assert (access.requests, access.sectors, access.lines, access.sectors_ideal) == tuple(total)


@settings(max_examples=60, deadline=None)
@given(cases())
def test_a_vector_never_crosses_what_the_mask_or_the_addresses_allow(case):
    """Elements of one instruction are neighbours in memory, aligned, and masked alike."""
    report = report_of(case)
    size = SIZES[case.type]
    for access in report.accesses[:1]:
        vector = access.vector_bits // (size * 8)
        for warp in range(case.layout.num_warps):
            for lane in (0, 1, 31):
                mine = lanes.unique(lanes.held(case.layout, case.shape, warp, lane))
                for start in range(0, len(mine), vector):
                    group = mine[start : start + vector]
                    flat = [size * (x * case.strides[0] + y * case.strides[1]) for x, y in group]
                    assert flat == [flat[0] + size * i for i in range(len(group))]
                    assert flat[0] % (vector * size) == 0 or vector == 1
                    on = {x < case.limits[0] and y < case.limits[1] for x, y in group}
                    assert len(on) == 1


LAYOUTS = [
    (Blocked((1, 1), (1, 32), (1, 4), (1, 0)), False),
    (Blocked((1, 4), (32, 1), (4, 1), (1, 0)), True),
    (Blocked((1, 1), (32, 1), (4, 1), (1, 0)), True),
    (Blocked((1, 4), (1, 32), (4, 1), (1, 0)), False),
]


@pytest.mark.parametrize(("layout", "flagged"), LAYOUTS)
def test_the_four_simplest_layouts(layout, flagged):
    """Triton's remark says the opposite on three of them."""
    report = report_of(Case(layout, (128, 128), "f32", (128, 1), (128, 128), (1, 1)))
    rules = {finding.rule for finding in report.findings}
    assert rules == ({"GI101"} if flagged else set())


def test_the_1d_copy_by_register_count():
    worst = {}
    for per_thread in (1, 2, 4, 8, 16):
        layout = Blocked((1, per_thread), (1, 32), (1, 4), (1, 0))
        report = report_of(Case(layout, (1, 2048), "f32", (2048, 1), (16, 4096), (1, 2)))
        worst[per_thread] = [f for f in report.findings if f.rule == "GI101"]
        if per_thread > 4:
            worst[per_thread, "lines"] = report.accesses[0].lines
    assert [worst[n] for n in (1, 2, 4)] == [[], [], []]
    assert len(worst[8]) == len(worst[16]) == 2
    assert worst[16, "lines"] == 2 * worst[8, "lines"]
