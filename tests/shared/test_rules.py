"""The rules about shared memory and conversions: where they speak, and where they are silent."""

from dataclasses import replace

from gluon_inspect.model.finding import Severity
from gluon_inspect.pipeline import inspect
from tests.shared.kernels import capture_of, text_of

COPY = """
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#rows = #ttg.slice<{dim = 1, parent = #b}>
#columns = #ttg.slice<{dim = 0, parent = #b}>
#s = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = %PHASES%, order = [1, 0]}>
#m = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @copy(%src: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %x = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #rows>
    %y = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #columns>
    %x1 = tt.expand_dims %x {axis = 1 : i32} : tensor<16xi32, #rows> -> tensor<16x1xi32, #b>
    %y1 = tt.expand_dims %y {axis = 0 : i32} : tensor<32xi32, #columns> -> tensor<1x32xi32, #b>
    %k = arith.constant dense<80> : tensor<16x1xi32, #b>
    %r = arith.muli %x1, %k : tensor<16x1xi32, #b>
    %r2 = tt.broadcast %r : tensor<16x1xi32, #b> -> tensor<16x32xi32, #b>
    %y2 = tt.broadcast %y1 : tensor<1x32xi32, #b> -> tensor<16x32xi32, #b>
    %o = arith.addi %r2, %y2 : tensor<16x32xi32, #b>
    %p = tt.splat %src : !tt.ptr<f32> -> tensor<16x32x!tt.ptr<f32>, #b>
    %q = tt.addptr %p, %o : tensor<16x32x!tt.ptr<f32>, #b>, tensor<16x32xi32, #b>
    %t = ttg.local_alloc : () -> !ttg.memdesc<16x32xf32, #s, #m, mutable>
    %c = ttg.async_copy_global_to_local %q, %t : tensor<16x32x!tt.ptr<f32>, #b> -> <16x32xf32, #s, #m, mutable>
    tt.return
  }
}
"""


def report(name, text):
    return inspect(capture_of(name, text)).kernels[0]


def test_a_copy_that_waits_for_global_lines_has_no_bank_conflict():
    found = report("tall_sum", COPY.replace("%PHASES%", "8"))
    (copy,) = [access for access in found.accesses if access.space.value == "shared"]
    # counted on an H200: rows 320 bytes apart take 6 wavefronts a request where 4 would do
    assert (copy.requests, copy.wavefronts, copy.wavefronts_ideal) == (4, 24, 16)
    assert "GI201" not in {finding.rule for finding in found.findings}


def test_what_the_compiler_converts_is_a_note():
    capture = capture_of("column_sum")
    stages = capture.kernels[0].stages
    assert severities(report("column_sum", text_of("column_sum")), "GI401") == [Severity.WARNING]
    object.__setattr__(capture.kernels[0], "stages", {**stages, "ttir": "module {}"})
    assert severities(inspect(capture).kernels[0], "GI401") == [Severity.NOTE]


def severities(found, rule):
    return [finding.severity for finding in found.findings if finding.rule == rule]


def test_a_conversion_of_the_same_thing_in_a_loop_is_loop_invariant():
    text = text_of("column_sums")
    assert "GI403" not in {f.rule for f in report("column_sums", text).findings}
    loop, body = text.split(" = scf.for", 1)
    line = next(line for line in body.splitlines() if "tt.load" in line)
    value, kind = line.split("=")[0].strip(), line.split(" : ")[1].split(" loc(")[0].replace("!tt.ptr<f32>", "f32")
    fixed = f"    %fixed = arith.constant dense<1.0> : {kind}\n"
    head, last = loop.rsplit("\n", 1)
    changed = f"{head}\n{fixed}{last} = scf.for" + body.replace(
        f"convert_layout {value} ", "convert_layout %fixed "
    )
    found = report("column_sums", changed)
    assert severities(found, "GI403") == [Severity.WARNING]


def test_a_target_whose_warps_have_another_size_is_refused_with_a_reason():
    capture = capture_of("wide_transpose")
    kernel = replace(capture.kernels[0], target="hip:gfx942")
    found = inspect(replace(capture, kernels=(kernel,))).kernels[0]
    reasons = {access.reason for access in found.accesses if access.space.value == "shared"}
    assert reasons == {"its layouts have 32 lanes a warp, hip:gfx942 has 64"}
    assert "GI201" not in {finding.rule for finding in found.findings}
