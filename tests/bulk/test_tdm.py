"""TDM copies of gfx1250: descriptors that are moved, clamped and switched off, and gathers by rows."""

# ruff: noqa: E501 (IR keeps its lines)

import pytest

from gluon_inspect.model.artifact import Capture, CompiledKernel, Launch, TensorArgument
from gluon_inspect.pipeline import inspect

DESC = "!tt.tensordesc<32x64xf16, #shared>"
TILE = "!ttg.memdesc<32x64xf16, #shared, #smem, mutable>"
ROWS, COLUMNS = 80, 200
GRID = 3


def module(body):
    return f"""
#shared = #ttg.swizzled_shared<{{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}}>
#rows = #ttg.slice<{{dim = 1, parent = #ttg.blocked<{{sizePerThread = [8, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}}>}}>
#smem = #ttg.shared_memory
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32}} {{
  tt.func public @kernel(%src: !tt.ptr<f16>, %on: i32) {{
    %true = arith.constant true
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    %c64 = arith.constant 64 : i32
    %m = arith.constant {ROWS} : i32
    %n = arith.constant {COLUMNS} : i32
    %stride = arith.constant {COLUMNS} : i64
    %one = arith.constant 1 : i64
    %x = tt.get_program_id x : i32
    %row = arith.muli %x, %c32 : i32
    %desc = tt.make_tensor_descriptor %src, [%m, %n], [%stride, %one] : <f16>, <32x64xf16, #shared>
    %tile = ttg.local_alloc : () -> {TILE}
{body}
    tt.return
  }}
}}
"""


def reported(body, arguments=None):
    given = {"src": TensorArgument("float16", (ROWS, COLUMNS), (COLUMNS, 1), 1 << 36)} | (arguments or {})
    launch = Launch("0", 1, (GRID, 1, 1), given)
    kernel = CompiledKernel("kernel", "hip:gfx1250", "3.9.0", {"ttgir": module(body)}, launches=(launch,))
    found = inspect(Capture("test", (kernel,))).kernels[0]
    assert not found.coverage.unmodelled
    return found


def copies(body, arguments=None):
    return [each for each in reported(body, arguments).accesses if ".async_tdm" in each.op]


LOAD = f"    %t = amdg.async_tdm_copy_global_to_local %moved into %tile : {DESC} -> {TILE}"


def moved(rest):
    return f"    %moved = amdg.update_tensor_descriptor %desc {rest} : {DESC}\n{LOAD}\n"


def test_a_clamped_descriptor_ends_where_the_tensor_ends():
    read, written = copies(moved("add_offsets = [%row, %c64] {clamp_bounds}"))
    # rows 0 to 95 of 80 in three programs, columns 64 to 127
    assert (read.executions, read.bytes_requested) == (GRID, ROWS * 64 * 2)
    assert written.bytes_requested == GRID * 32 * 64 * 2


def test_an_offset_alone_leaves_the_bounds():
    read, _ = copies(moved("add_offsets = [%row, %c64]"))
    assert read.bytes_requested == GRID * 32 * 64 * 2


def test_bounds_are_set():
    read, _ = copies(moved("set_bounds = [%c1, %c64]"))
    assert read.bytes_requested == GRID * 64 * 2


@pytest.mark.parametrize(("on", "runs"), [(0, 0), (1, GRID)])
def test_a_descriptor_that_is_switched_off_copies_nothing(on, runs):
    read, _ = copies(moved("pred = %on"), {"on": on})
    assert (read.executions, read.bytes_requested) == (runs, runs * 32 * 64 * 2)


def test_a_switch_by_program():
    decide = "    %first = arith.cmpi slt, %x, %c1 : i32\n    %p = arith.extui %first : i1 to i32\n"
    read, _ = copies(decide + moved("add_offsets = [%row, %c0] pred = %p"))
    assert read.executions == 1


def test_a_switch_that_is_not_given_leaves_everything_unknown():
    read, written = copies(moved("pred = %on"))
    assert (read.executions, read.bytes_requested, written.bytes_requested) == (None, None, None)
    assert read.reason


def test_a_gather_reads_the_rows_that_exist():
    body = f"""
    %at = tt.make_range {{end = 8 : i32, start = 76 : i32}} : tensor<8xi32, #rows>
    %some = ttg.local_alloc : () -> !ttg.memdesc<8x64xf16, #shared, #smem, mutable>
    %t = amdg.async_tdm_gather %desc[%at] to %some : tensor<8xi32, #rows>, !ttg.memdesc<8x64xf16, #shared, #smem, mutable> -> {DESC}
"""
    read, written = copies(body.replace("end = 8", "end = 84"))
    # rows 76 to 83 of 80
    assert read.bytes_requested == GRID * 4 * 64 * 2
    assert written.bytes_requested == GRID * 8 * 64 * 2


def test_a_fused_copy_is_a_pair_of_records_a_descriptor():
    body = f"""
    %near = amdg.update_tensor_descriptor %desc add_offsets = [%row, %c0] {{clamp_bounds}} : {DESC}
    %far = amdg.update_tensor_descriptor %desc add_offsets = [%c64, %c0] {{clamp_bounds}} : {DESC}
    %other = ttg.local_alloc : () -> {TILE}
    %t = amdg.async_tdm_fused_copy_global_to_local %near, %far into %tile, %other {{warp_used_hints = array<i32: 3, 12>}} : {DESC}, {DESC} -> {TILE}, {TILE}
"""
    found = copies(body)
    # rows 0 to 95 of 80 in three programs, rows 64 to 95 of 80 in each of them
    assert [each.bytes_requested for each in found if each.space == "global"] == [ROWS * 128, GRID * 16 * 128]
    assert [each.bytes_requested for each in found if each.space == "shared"] == [GRID * 32 * 128] * 2


def test_a_prefetch_reads_what_the_copy_would_and_writes_nothing():
    (hint,) = reported(f"    amdg.tdm_prefetch %desc[%row, %c0], %true, speculative = true : {DESC}\n").accesses
    assert (hint.space, hint.bytes_requested, hint.confidence) == ("global", ROWS * 128, "assumed")
    assert "hint" in hint.reason


def test_a_copy_from_lds_by_lanes_reads_what_it_stores():
    rows = "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>"
    body = f"""
    %to = tt.splat %src : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>, {rows}>
    %t = amdg.async_copy_local_to_global %tile, %to : {TILE} -> tensor<32x64x!tt.ptr<f16>, {rows}>
"""
    stored, read = reported(body).accesses
    assert (stored.direction, read.direction) == ("store", "copy")
    assert (read.space, read.confidence) == ("shared", "assumed")
    assert read.bytes_requested == stored.bytes_requested == GRID * 32 * 64 * 2
