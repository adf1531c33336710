"""Loads of the assembly and the accesses that they belong to, on listings written by hand."""

from dataclasses import replace

import pytest

from gluon_inspect.assembly.sass import parse_sass
from gluon_inspect.cost.code import code_of
from gluon_inspect.cost.loads import cycles_by_load
from gluon_inspect.model.access import Access, Direction, Space
from gluon_inspect.model.loops import LoopRun, Moves
from gluon_inspect.targets.clocks import H200

WARPS = 8
LOAD, USE, EXIT = (
    "--:-:0:-:1\tLDG.E R0, desc[UR4][R2.64];",
    "01:-:-:-:4\tFADD R0, R0, R1;",
    "--:-:-:Y:5\tEXIT;",
)


def load(times, unique_share):
    """An access whose every warp loads so many times, of whose bytes a share is new."""
    sectors = times * WARPS * 4
    return Access(
        id="a", op="tt.load", space=Space.GLOBAL, direction=Direction.LOAD, location=None,
        sectors=sectors, bytes_unique=round(sectors * 32 * unique_share), warp_instructions=times * WARPS,
    )  # fmt: skip


def code(*lines, runs=()):
    return code_of(parse_sass("Function:f\n" + "\n".join(lines)), "f", runs)


def test_loads_in_a_row_belong_to_accesses_in_order():
    found = cycles_by_load([load(2, 1.0), load(1, 0.0625)], code(LOAD, LOAD, USE, LOAD, USE, EXIT), WARPS, H200)
    reused = H200.load_dram / 16 + H200.load_l2 * 15 / 16
    assert found == pytest.approx({0: H200.load_dram, 1: H200.load_dram, 3: reused})


def test_loads_of_one_loop_share_a_mean():
    loop = ("LBB0:", LOAD, LOAD, USE, "--:-:-:-:5\t@P0 BRA LBB0;", EXIT)
    runs = (LoopRun(None, 10.0, 10, {Moves.LOAD: 2}),)
    found = cycles_by_load([load(10, 1.0), load(10, 0.5)], code(*loop, runs=runs), WARPS, H200)
    mean = H200.load_dram * 0.75 + H200.load_l2 * 0.25
    assert found == pytest.approx({0: mean, 1: mean})


def test_nothing_is_matched_where_the_counts_disagree():
    assert cycles_by_load([load(3, 1.0)], code(LOAD, LOAD, USE, EXIT), WARPS, H200) == {}


def test_nothing_is_matched_where_the_ir_knows_no_load():
    assert cycles_by_load([], code(LOAD, USE, EXIT), WARPS, H200) == {}


def test_loads_behind_the_end_of_a_mask_wait_for_nothing() -> None:
    block = replace(load(4, 1.0), requests=1 * WARPS)
    found = cycles_by_load([block, load(1, 1.0)], code(*(LOAD,) * 4, USE, LOAD, USE, EXIT), WARPS, H200)
    quick = H200.load_l1
    assert found == pytest.approx({0: H200.load_dram, 1: quick, 2: quick, 3: quick, 5: H200.load_dram})


@pytest.mark.parametrize("requests", [1, WARPS - 1, WARPS])
def test_one_load_is_awaited_whatever_warps_are_masked_off(requests: int) -> None:
    found = cycles_by_load([replace(load(1, 1.0), requests=requests)], code(LOAD, USE, EXIT), WARPS, H200)
    assert found == pytest.approx({0: H200.load_dram})
