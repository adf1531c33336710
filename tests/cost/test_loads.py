"""Loads of the assembly and the accesses that they belong to, on listings written by hand."""

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
