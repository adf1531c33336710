"""Where warps stand, on listings written by hand: queues, barriers, full units."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gluon_inspect.assembly.sass import parse_sass
from gluon_inspect.cost.chain import Latency, chain
from gluon_inspect.cost.code import Code, code_of
from gluon_inspect.cost.model import Work, kernel_cost
from gluon_inspect.facts.occupancy import occupancy
from gluon_inspect.model.access import Access, Direction, Space
from gluon_inspect.model.confidence import Confidence
from gluon_inspect.model.cost import Stall
from gluon_inspect.model.loops import LoopRun, Moves
from gluon_inspect.targets.clocks import H200
from gluon_inspect.targets.nvidia import SM_90

_LOAD, _USE, _EXIT = "LDG.E R0, desc[UR4][R2.64];", "FADD R0, R0, R1;", "--:-:-:Y:5\tEXIT;"
_BARRIER = "--:-:-:-:1\tBAR.SYNC.DEFER_BLOCKING 0x0;"
_FREE = "--:-:-:-:1\t"
_PROGRAMS, _WARPS = 1 << 16, 4


def _code(*lines: str, runs: tuple[LoopRun, ...] = ()) -> Code:
    found = code_of(parse_sass("Function:f\n" + "\n".join(lines)), "f", runs)
    assert found is not None
    return found


def _loads(requests: int, lines: int) -> Access:
    """Requests of 32 lanes, each of so many lines that are found in no cache."""
    return Access(
        id="g0", op="tt.load", space=Space.GLOBAL, direction=Direction.LOAD, location=None,
        requests=requests, sectors=requests * max(4, lines), sectors_ideal=requests * 4, lines=requests * lines,
        bytes_requested=requests * 128, warp_instructions=requests, executions=_PROGRAMS,
        confidence=Confidence.EXACT,
    )  # fmt: skip


def _stands(code: Code, access: Access) -> dict[int, dict[Stall, float]]:
    work = Work(SM_90, _PROGRAMS, _WARPS, occupancy(SM_90, 32, 0, _WARPS), code=code)
    cost = kernel_cost(work, [access])
    assert cost is not None
    assert sum(each.share for each in cost.standing) == pytest.approx(1.0, abs=0.02)
    return {each.index: dict(each.stalls) for each in cost.standing}


def _stood(code: Code, latency: Latency, stall: Stall) -> list[float]:
    found = chain(code.steps, code.way.items, H200, latency, _WARPS)
    return list(found.stood[tuple(Stall).index(stall)])


def test_loads_queue_behind_the_issue_and_their_use_waits_for_all_of_them() -> None:
    loads = [f"--:-:{board}:-:1\t{_LOAD}" for board in range(5)]
    code = _code(*loads, f"31:-:-:-:1\t{_USE}", _EXIT)
    quick, slow = (
        replace(Latency(load=600.0, copy=900.0, bulk=1000.0, local=75.0), fetch=each) for each in (1.0, 32.0)
    )
    assert sum(_stood(code, slow, Stall.LG)) == sum(_stood(code, quick, Stall.LG)) == 0.0
    more = _stood(code, slow, Stall.LONG_SCOREBOARD)[5] - _stood(code, quick, Stall.LONG_SCOREBOARD)[5]
    assert more == pytest.approx(4 * 31.0 * _WARPS)


def test_a_full_queue_holds_the_next_load_up() -> None:
    loads = [f"--:-:0:-:1\t{_LOAD}"] * 12
    stood = _stood(
        _code(*loads, f"01:-:-:-:1\t{_USE}", _EXIT),
        Latency(load=600.0, copy=900.0, bulk=1000.0, local=75.0, fetch=32.0),
        Stall.LG,
    )
    assert not any(stood[:9])
    assert all(each == pytest.approx(32.0 * _WARPS, rel=0.05) for each in stood[10:12])


def test_warps_wait_for_each_other_where_the_barrier_defers_it_to() -> None:
    lines = (
        f"--:-:0:-:1\t{_LOAD}",
        f"01:-:-:-:1\t{_USE}",
        _BARRIER,
        *(_FREE + _USE,) * 3,
        _FREE + "LDS R5, [R6];",
    )
    stands = _stands(_code(*lines, _EXIT), _loads(_PROGRAMS * _WARPS, 1))
    assert stands[6][Stall.BARRIER] > 0.02
    assert all(Stall.BARRIER not in stands.get(at, {}) for at in range(6))


def test_a_loop_of_loads_makes_warps_meet_late_only_once() -> None:
    body = ("LBB0:", f"--:-:0:-:1\t{_LOAD}", f"01:-:-:-:1\t{_USE}", "--:-:-:-:5\t@P0 BRA LBB0;")
    ending = (_BARRIER, _FREE + "LDS R5, [R6];", _EXIT)
    barrier = {}
    for trips in (1, 100):
        code = _code(*body, *ending, runs=(LoopRun(None, float(trips), trips, {Moves.LOAD: 1}),))
        stands = _stands(code, _loads(trips * _PROGRAMS * _WARPS, 1))
        barrier[trips] = sum(each.get(Stall.BARRIER, 0.0) for each in stands.values())
    assert barrier[100] < barrier[1] / 10


def test_a_full_way_to_the_l2_is_met_at_the_first_loads() -> None:
    loads = [f"--:-:{board}:-:1\t{_LOAD}" for board in range(5)]
    stands = _stands(_code(*loads, f"31:-:-:-:1\t{_USE}", _EXIT), _loads(5 * _PROGRAMS * _WARPS, 32))
    waits = [stands[at].get(Stall.LG, 0.0) for at in range(5)]
    assert waits == sorted(waits, reverse=True)
    assert waits[0] > 3 * waits[4] > 0.0
