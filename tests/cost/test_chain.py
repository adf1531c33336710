"""The chain: in-order issue with stall counts, scoreboards, groups and loops, on listings written by hand."""

from dataclasses import replace

import pytest

from gluon_inspect.assembly.sass import parse_sass
from gluon_inspect.cost.chain import Latency, chain
from gluon_inspect.cost.program import steps_of
from gluon_inspect.cost.walk import executed, way_through
from gluon_inspect.model.loops import LoopRun, Moves
from gluon_inspect.targets.clocks import H200

MEMORY = Latency(load=600.0, copy=900.0, bulk=1000.0, local=75.0)


def listing(*lines):
    text = "Function:f\n" + "\n".join(line if line.endswith(":") else line.replace(" | ", "\t") for line in lines)
    return parse_sass(text).functions[0]


def way(function, runs=()):
    steps = steps_of(function.instructions)
    return steps, way_through(function, steps, runs).items


def cycles(function, runs=(), latency=MEMORY, warps=4):
    return chain(*way(function, runs), H200, latency, warps).cycles


EXIT = "--:-:-:Y:5 | EXIT;"


def test_stall_counts_add_up():
    assert cycles(listing("--:-:-:-:4 | FADD R0, R0, R1;", "--:-:-:-:2 | FADD R0, R0, R1;", EXIT)) == 11.0


def test_a_use_waits_for_its_load():
    lone = listing("--:-:0:-:1 | LDG.E R0, desc[UR4][R2.64];", "01:-:-:-:4 | FADD R0, R0, R1;", EXIT)
    assert cycles(lone) == pytest.approx(600.0 + 1.0 + 4 + 5)
    assert cycles(lone, latency=replace(MEMORY, load=1200.0)) - cycles(lone) == pytest.approx(600.0)


LOOP = (
    "LBB0:",
    "--:-:0:-:1 | LDG.E R0, desc[UR4][R2.64];",
    "01:-:-:-:4 | FADD R0, R0, R1;",
    "--:-:-:-:5 | @P0 BRA LBB0;",
    EXIT,
)


def test_a_loop_takes_its_trips():
    runs = (LoopRun(None, 100.0, 100, {Moves.LOAD: 1}),)
    function = listing(*LOOP)
    steps, items = way(function, runs)
    assert executed(items, len(steps)) == [100.0, 100.0, 100.0, 1.0]
    one = cycles(function, (LoopRun(None, 1.0, 1, {Moves.LOAD: 1}),))
    assert cycles(function, runs) == pytest.approx(100 * (one - 5) + 5, rel=1e-6)


def test_an_unrolled_loop_takes_fewer():
    doubled = (LOOP[0], LOOP[1], LOOP[2], LOOP[1], LOOP[2], *LOOP[3:])
    steps, items = way(listing(*doubled), (LoopRun(None, 100.0, 100, {Moves.LOAD: 1}),))
    assert executed(items, len(steps))[0] == 50.0


def test_a_loop_that_is_none_of_the_irs_is_jumped_over():
    loop = ("LBB0:", "--:-:-:-:4 | FADD R0, R0, R1;", "--:-:-:-:5 | @P0 BRA LBB0;")
    slow = ("--:-:-:-:5 | @P1 BRA LBB1;", *loop, "LBB1:", EXIT)
    steps, items = way(listing(*slow))
    assert executed(items, len(steps)) == [1.0, 0.0, 0.0, 1.0]


def test_groups_of_copies_wait_by_number():
    def copies(pending):
        pair = ("--:-:-:-:1 | LDGSTS.E.BYPASS.128 [R0], desc[UR4][R2.64];", "--:-:0:-:1 | LDGDEPBAR;")
        return cycles(listing(*pair, "--:-:-:-:f | NOP;", *pair, f"--:-:-:-:1 | DEPBAR.LE SB0, {pending};", EXIT))

    assert copies("0x0") - copies("0x1") == pytest.approx(17.0)
    assert copies("0x2") < 100.0


def test_more_warps_share_the_scheduler_and_meet_at_barriers():
    body = (*("--:-:-:-:1 | FADD R0, R0, R1;",) * 40, "--:-:-:-:1 | BAR.SYNC.DEFER_BLOCKING 0x0;", EXIT)
    few, many = cycles(listing(*body), warps=4), cycles(listing(*body), warps=16)
    assert many - few > 3 * 40


PERSISTENT = (
    "--:-:-:-:5 | @P0 EXIT;", "LBB0:", "--:-:-:-:4 | FADD R0, R0, R1;", "--:-:-:-:5 | @P3 EXIT;",
    "--:-:-:-:5 | BRA LBB0;", "LBB1:", "--:-:-:Y:0 | BRA LBB1;", "--:-:-:Y:0 | NOP;",
)  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "is_cut"),
    [
        ((EXIT,), False),
        (PERSISTENT, False),
        ((EXIT, "--:-:-:-:4 | FADD R0, R0, R1;"), True),
        (PERSISTENT[:4], True),
        ((*PERSISTENT[:4], "--:-:-:-:5 | @P1 BRA LBB0;"), True),
    ],
)
def test_a_listing_is_cut_where_control_would_go_on_behind_it(lines: tuple[str, ...], is_cut: bool) -> None:
    function = listing(*lines)
    assert way_through(function, steps_of(function.instructions), ()).is_cut is is_cut


def boxes(*lines: str) -> float:
    return cycles(listing(*lines, EXIT), latency=replace(MEMORY, box=300.0))


EXPECT, BOX = "--:-:-:-:1 | SYNCS.ARRIVE.TRANS64 RZ, [UR6], R3;", "--:-:-:-:1 | UTMALDG.2D [UR16], [UR10];"
PHASE = ("--:-:0:-:1 | SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR9], R3;", "01:-:-:-:1 | FADD R0, R0, R1;")


def test_a_phase_waits_for_all_boxes_that_its_arrival_expects() -> None:
    one, two = boxes(EXPECT, BOX, *PHASE), boxes(EXPECT, BOX, BOX, *PHASE)
    assert two - one == pytest.approx(300.0, abs=2.0)
    # the boxes of the next phase do not hold up this one
    assert boxes(EXPECT, BOX, EXPECT, BOX, *PHASE) == pytest.approx(one, abs=3.0)
    assert boxes(EXPECT, BOX, EXPECT, BOX, *PHASE, *PHASE) == pytest.approx(two, abs=4.0)


def test_larger_boxes_never_come_sooner() -> None:
    function = listing(EXPECT, BOX, EXPECT, BOX, *PHASE, *PHASE, EXIT)
    found = [cycles(function, latency=replace(MEMORY, box=each)) for each in (0.0, 100.0, 400.0)]
    assert found == sorted(found)
    assert found[2] > found[0] + 700
