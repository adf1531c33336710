"""Guesses for accesses through addresses that are loaded from memory."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gluon_inspect.assembly.sass import parse_sass
from gluon_inspect.cost.code import Code, code_of
from gluon_inspect.cost.gathered import gathered
from gluon_inspect.cost.model import Work, kernel_cost, kernel_seconds
from gluon_inspect.facts.occupancy import occupancy
from gluon_inspect.model.access import Access, Direction, Space, VectorLimit, Width
from gluon_inspect.model.confidence import Confidence
from gluon_inspect.model.loops import LoopRun, Moves
from gluon_inspect.targets.nvidia import SM_90

_WARPS, _PROGRAMS = 4, 1 << 14
_LOAD = "--:-:0:-:1\tLDG.E.128 R0, desc[UR4][R2.64];"
_EXIT = "01:-:-:Y:5\tEXIT;"


def _code(*lines: str, runs: tuple[LoopRun, ...] = ()) -> Code:
    found = code_of(parse_sass("Function:f\n" + "\n".join(lines)), "f", runs)
    assert found is not None
    return found


def _access(shape: tuple[int, ...], bits: int, contiguous: int, aligned: int, vector: int = 1) -> Access:
    """Unknown addresses: `contiguous`, `aligned` in elements; each lane moves `vector` of them at once."""
    limits = (VectorLimit("contiguity", contiguous), VectorLimit("divisibility", aligned))
    return Access(
        id="g1", op="tt.load", space=Space.GLOBAL, direction=Direction.LOAD, location=None, shape=shape,
        element_bits=bits, widths=(Width(bits * vector, 1),), vector_limits=limits, reason="result of tt.load",
    )  # fmt: skip


def _guess(access: Access, code: Code) -> Access:
    (found,) = gathered([access], code, _PROGRAMS * _WARPS, _WARPS)
    return found


def test_rows_that_are_picked_move_whole_sectors() -> None:
    found = _guess(_access((4, 256), 16, 256, 8, vector=8), _code(_LOAD, _EXIT))
    assert found.bytes_requested == found.bytes_unique == _PROGRAMS * 4 * 256 * 2
    assert found.sectors_ideal == _PROGRAMS * 4 * 16
    # a row of 512 bytes that begins at a multiple of 16 crosses half a sector more, in the mean
    assert found.sectors == _PROGRAMS * 4 * 16.5
    assert (found.lines, found.confidence) == (_PROGRAMS * 4 * 4, Confidence.ASSUMED)


def test_elements_that_are_picked_one_by_one_take_a_sector_each() -> None:
    found = _guess(_access((128,), 32, 1, 1), _code(_LOAD, _EXIT))
    assert found.sectors == found.lines == _PROGRAMS * 128
    assert found.sectors_ideal == _PROGRAMS * 128 * 4 // 32


def test_a_guess_runs_as_often_as_the_assembly_executes_it() -> None:
    loop = ("LBB0:", _LOAD, "01:-:-:-:4\tFADD R0, R0, R1;", "--:-:-:-:5\t@P0 BRA LBB0;", "--:-:-:Y:5\tEXIT;")
    once, ten = (
        _guess(_access((128,), 32, 1, 1), _code(*loop, runs=(LoopRun(None, float(n), n, {Moves.LOAD: 1}),)))
        for n in (1, 10)
    )
    assert (ten.sectors, ten.requests) == (10 * (once.sectors or 0), 10 * (once.requests or 0))


def test_loads_that_are_known_are_not_counted_again() -> None:
    known = replace(
        _access((128,), 32, 1, 1),
        id="g0",
        sectors=1,
        requests=_PROGRAMS * _WARPS,
        warp_instructions=_PROGRAMS * _WARPS,
    )
    found = gathered([known, _access((128,), 32, 1, 1)], _code(_LOAD, _LOAD, _EXIT), _PROGRAMS * _WARPS, _WARPS)
    assert found[0] is known
    assert found[1].requests == _PROGRAMS * _WARPS


def test_without_assembly_nothing_is_guessed() -> None:
    access = _access((128,), 32, 1, 1)
    assert gathered([access], None, _PROGRAMS * _WARPS, _WARPS) == [access]


def _work(loads: int = 1) -> Work:
    return Work(SM_90, _PROGRAMS, _WARPS, occupancy(SM_90, 32, 0, _WARPS), code=_code(*(_LOAD,) * loads, _EXIT))


def test_a_time_that_rests_on_a_guess_has_no_band_and_says_what_was_taken() -> None:
    cost = kernel_cost(_work(8), [_access((128,), 32, 1, 1)])
    assert cost is not None
    assert (cost.band, cost.is_lower_bound, cost.is_whole) == (None, False, False)
    told = "addresses loaded from memory are taken to differ, contiguous as far as the code says: g1"
    assert told in cost.assumed


def test_a_guess_that_takes_next_to_nothing_leaves_the_band() -> None:
    sectors = _PROGRAMS * _WARPS * 64
    stream = replace(
        _access((128,), 32, 1, 1), id="g0", sectors=sectors, sectors_ideal=sectors, requests=sectors // 4,
        lines=sectors // 4, confidence=Confidence.EXACT,
    )  # fmt: skip
    cost = kernel_cost(_work(), [stream, replace(_access((), 16, 1, 1), direction=Direction.LOAD)])
    assert cost is not None
    assert cost.band is not None
    assert "g1" in " ".join(cost.assumed)


@pytest.mark.parametrize("contiguous", [1, 4, 16, 64])
def test_rows_that_are_longer_never_take_longer(contiguous: int) -> None:
    short, longer = (
        kernel_seconds(_work(), [_access((4096,), 32, each, each)]) for each in (contiguous, 2 * contiguous)
    )
    assert longer <= short * (1 + 1e-9)
