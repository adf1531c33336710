"""Conversions: those around one access are one finding, and what an author asserted is left alone."""

import pytest

from gluon_inspect.model.artifact import Capture, CompiledKernel, Launch, TensorArgument
from gluon_inspect.pipeline import inspect

NARROW = "sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]"
WIDE = "sizePerThread = [1, 2], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]"
AROUND = f"""#n = #ttg.blocked<{{{NARROW}}}>
#c = #ttg.slice<{{dim = 0, parent = #n}}>
#w = #ttg.blocked<{{{WIDE}}}>
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"}} {{
  tt.func public @k(%x: !tt.ptr<f32> {{tt.divisibility = 16 : i32}}, %n: i32) {{
    %c0 = arith.constant 0 : i32
    %c256 = arith.constant 256 : i32
    %zero = arith.constant dense<0.000000e+00> : tensor<1x256xf32, #n>
    %r = tt.make_range {{end = 256 : i32, start = 0 : i32}} : tensor<256xi32, #c>
    %c = tt.expand_dims %r {{axis = 0 : i32}} : tensor<256xi32, #c> -> tensor<1x256xi32, #n>
    %nn = tt.splat %n : i32 -> tensor<1x256xi32, #n>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1x256x!tt.ptr<f32>, #n>
    %sum = scf.for %i = %c0 to %n step %c256 iter_args(%acc = %zero) -> (tensor<1x256xf32, #n>) : i32 {{
      %o = tt.splat %i : i32 -> tensor<1x256xi32, #n>
      %at = arith.addi %o, %c : tensor<1x256xi32, #n>
      %ok = arith.cmpi slt, %at, %nn : tensor<1x256xi32, #n>
      %p = tt.addptr %xs, %at : tensor<1x256x!tt.ptr<f32>, #n>, tensor<1x256xi32, #n>
      %pw = ttg.convert_layout %p : tensor<1x256x!tt.ptr<f32>, #n> -> tensor<1x256x!tt.ptr<f32>, #w>
      %okw = ttg.convert_layout %ok : tensor<1x256xi1, #n> -> tensor<1x256xi1, #w>
      %v = tt.load %pw, %okw : tensor<1x256x!tt.ptr<f32>, #w>
      %vn = ttg.convert_layout %v : tensor<1x256xf32, #w> -> tensor<1x256xf32, #n>
      %next = arith.addf %acc, %vn : tensor<1x256xf32, #n>
      scf.yield %next : tensor<1x256xf32, #n>
    }}
    %xp = tt.addptr %xs, %c : tensor<1x256x!tt.ptr<f32>, #n>, tensor<1x256xi32, #n>
    tt.store %xp, %sum : tensor<1x256x!tt.ptr<f32>, #n>
    tt.return
  }}
}}"""
LANES = "lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]]"
TRIVIAL = f"""#n = #ttg.blocked<{{{NARROW}}}>
#same = #ttg.linear<{{register = [], {LANES}, warp = [[0, 32], [0, 64]], block = []}}>
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"}} {{
  tt.func public @k() {{
    %v = arith.constant dense<1.000000e+00> : tensor<1x128xf32, #n>
    %same = ttg.convert_layout %v : tensor<1x128xf32, #n> -> tensor<1x128xf32, #same> loc("k.py":2:9)
    tt.return
  }}
}}"""


ALONE = Launch("0")


def findings(text, sources=None, launch=ALONE):
    kernel = CompiledKernel("k", "cuda:90", stages={"ttgir": text}, launches=(launch,))
    (report,) = inspect(Capture("k.ttgir", (kernel,), sources or {})).kernels
    assert not report.problems or all("no assembly" in each for each in report.problems), report.problems
    return {each.rule: each for each in report.findings}, [each.rule for each in report.findings]


def test_the_conversions_around_a_load_are_one_finding_with_one_advice():
    found, rules = findings(AROUND)
    assert [rule for rule in rules if rule.startswith("GI4")] == ["GI401"]
    told = found["GI401"]
    assert "3 conversions" in told.message
    assert "pointers, mask, value" in told.message
    assert told.help.startswith("BlockedLayout([1, 1], [1, 32], [1, 4], [1, 0]) for all of them")
    assert told.cost is None


def test_in_a_launch_they_are_priced_by_all_that_goes():
    x = TensorArgument("float32", (1 << 22,), (1,), 1 << 20)
    launch = Launch("0", grid=(1024, 1, 1), arguments={"x": x, "n": 4096})
    told = findings(AROUND, launch=launch)[0]["GI401"]
    assert 0.01 < told.cost < 0.9


def test_a_value_converted_alone_is_no_group():
    pointers = "%pw = ttg.convert_layout %p : tensor<1x256x!tt.ptr<f32>, #n> -> tensor<1x256x!tt.ptr<f32>, #w>"
    wide = AROUND.replace(pointers, "%pw = tt.splat %x : !tt.ptr<f32> -> tensor<1x256x!tt.ptr<f32>, #w>")
    assert all("layout of its own" not in each.message for each in findings(wide)[0].values())


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("gl.convert_layout(v, same)", True),
        ("gl.convert_layout(v, same, assert_trivial=True)", False),
        ("gl.convert_layout(\n        v,\n        same,\n        assert_trivial = True,\n    )", False),
        ("gl.convert_layout(v, same)\n    w = gl.convert_layout(v, same, assert_trivial=True)", True),
        ("gl.convert_layout(v, same, assert_trivial=False)", True),
    ],
)
def test_what_is_asserted_already_is_left_alone(call, told):
    sources = {"k.py": f"def k():\n    v = {call}\n"}
    assert ("GI402" in findings(TRIVIAL, sources)[1]) is told
    assert "GI402" in findings(TRIVIAL)[1]
