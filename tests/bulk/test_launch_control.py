"""Loops under cluster launch control: every program of the grid is worked on once, whoever does it."""

# ruff: noqa: E501 (IR keeps its lines)

import pytest

from gluon_inspect.model.access import Space
from gluon_inspect.model.artifact import Capture, CompiledKernel, DescriptorArgument, Launch, TensorArgument
from gluon_inspect.pipeline import inspect
from tests.bulk.samples import module

DESC = "!tt.tensordesc<64x128xf16, #shared>"
TILE = "!ttg.memdesc<64x128xf16, #shared, #smem, mutable>"
BAR = "!ttg.memdesc<1xi64, #bar, #smem, mutable>"
ANSWER = "!ttg.memdesc<2xi64, #bar, #smem, mutable>"
GRID = 6
TILE_BYTES = 64 * 128 * 2

HEAD = f"""
    %true = arith.constant true
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %tile = ttg.local_alloc : () -> {TILE}
    %bar = ttg.local_alloc : () -> {BAR}
    %answer = ttg.local_alloc : () -> {ANSWER}
    %x = tt.get_program_id x : i32
"""
LOAD = f"ttng.async_tma_copy_global_to_local %src[%row, %c0] %tile, %bar, %true : {DESC}, {BAR} -> {TILE}"
NEXT = f"""
      %got = ttng.clc_load_result %answer : {ANSWER} -> i128
      %more = ttng.clc_is_canceled %got : i128 -> i1
      %next = ttng.clc_get_program_id %got, x : i128 -> i32
"""


def controlled(*, first="%x", following="%next", before="", inside=""):
    return module(f"""{HEAD}{before}
    %done = scf.while (%go = %true, %at = {first}) : (i1, i32) -> (i32) {{
      scf.condition(%go) %at : i32
    }} do {{
    ^bb0(%which: i32):
      %row = arith.muli %which, %c64 : i32
      {LOAD}
{NEXT}{inside}
      scf.yield %more, {following} : i1, i32
    }}
""")


def report(text):
    tensor = DescriptorArgument(TensorArgument("float16", (64 * GRID - 32, 128), (128, 1), 1 << 36), (64, 128))
    launch = Launch("0", 1, (GRID, 1, 1), {"src": tensor})
    kernel = CompiledKernel("kernel", "cuda:100", "3.9.0", {"ttgir": text}, launches=(launch,))
    return inspect(Capture("test", (kernel,))).kernels[0]


def copies(text):
    return [each for each in report(text).accesses if each.op.startswith("ttng.async_tma_copy")]


def plain():
    return module(f"{HEAD}\n    %row = arith.muli %x, %c64 : i32\n    {LOAD}\n")


def numbers(access):
    return access.executions, access.transactions, access.sectors, access.bytes_requested


def test_a_controlled_loop_does_what_a_launch_of_one_tile_a_program_does():
    found, wanted = copies(controlled()), copies(plain())
    assert [numbers(each) for each in found] == [numbers(each) for each in wanted]
    assert found[0].confidence == "exact"
    # the last tile lies half outside the tensor
    assert found[0].sectors * 32 == (GRID * 64 - 32) * 128 * 2
    assert found[1].bytes_requested == GRID * TILE_BYTES


def test_a_tile_that_is_computed_alike_from_either_program_is_exact():
    text = controlled(
        before="    %half = arith.divsi %x, %c64 : i32\n",
        first="%half",
        following="%again",
        inside="      %again = arith.divsi %next, %c64 : i32\n",
    )
    assert copies(text)[0].confidence == "exact"


@pytest.mark.parametrize(
    "inside",
    [
        "      %other = arith.addi %next, %c64 : i32\n",
        "      %other = arith.addi %which, %c64 : i32\n",
        f"      %r = ttg.memdesc_index %answer[%c0] : {ANSWER} -> {BAR}\n      %other = arith.muli %next, %next : i32\n",
    ],
)
def test_a_tile_that_comes_another_way_is_assumed(inside):
    read, written = copies(controlled(following="%other", inside=inside))
    assert read.confidence == "assumed"
    assert "taken over" in read.reason
    # how often the copy runs does not depend on which tile it is
    assert (written.confidence, written.executions) == ("exact", GRID)


def test_what_runs_once_a_start_is_unknown():
    text = controlled(before="    %row = arith.muli %x, %c64 : i32\n    " + LOAD + "\n").replace(
        "      %row = arith.muli %which", "      %row2 = arith.muli %which"
    )
    first, _, inner, _ = copies(text)
    assert (first.sectors, first.transactions, first.executions) == (None, None, None)
    assert "run time" in first.reason
    assert inner.executions == GRID


def test_what_depends_on_the_answer_is_unknown():
    text = controlled(inside=f"      scf.if %more {{\n        {LOAD}\n      }}\n")
    always, _, sometimes, _ = copies(text)
    assert always.executions == GRID
    assert sometimes.executions is None


def test_the_answer_is_read_from_shared_memory_by_every_warp():
    (read,) = [each for each in report(controlled()).accesses if each.op == "ttng.clc_load_result"]
    assert (read.space, read.requests, read.bytes_requested) == (Space.SHARED, GRID * 4, GRID * 4 * 32 * 16)


def test_a_loop_that_does_not_end_in_time_is_unknown():
    text = module(f"""{HEAD}
    %c1 = arith.constant 1 : i32
    %most = arith.constant 100000 : i32
    %done = scf.while (%at = %c0) : (i32) -> (i32) {{
      %go = arith.cmpi slt, %at, %most : i32
      scf.condition(%go) %at : i32
    }} do {{
    ^bb0(%which: i32):
      %row = arith.muli %which, %c64 : i32
      {LOAD}
      %next = arith.addi %which, %c1 : i32
      scf.yield %next : i32
    }}
""")
    read = copies(text)[0]
    assert (read.sectors, read.executions) == (None, None)
    assert "iterations" in read.reason
