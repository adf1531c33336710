"""Grids that leave SMs without work: what they lose is the SMs' own part of the time, and nothing of the rest."""

from dataclasses import replace

import pytest

from gluon_inspect import parse_mlir
from gluon_inspect.analyses.programs import run
from gluon_inspect.facts.occupancy import occupancy
from gluon_inspect.ir.graph import graph_of
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.cost import KernelCost, Resource
from gluon_inspect.model.loops import LoopRun
from gluon_inspect.model.report import Programs
from tests.analyses.facts import NOTHING

LOOPS = (LoopRun(None, 8, 8),)


def found(programs, latency, dram=0.0, ctas_bytes=200_000, loops=LOOPS):
    parts = {Resource.LATENCY: latency, Resource.DRAM: dram}
    cost = KernelCost(max(latency, dram), Resource.LATENCY, parts, (), Confidence.EXACT, ModelStatus.VALIDATED)
    held = occupancy(NOTHING.target, 32, ctas_bytes, 4)
    facts = replace(NOTHING, programs=Programs(programs, programs), cost=cost, occupancy=held, loops=loops)
    return [(each.severity.value, each.cost) for each in run(facts).findings]


def test_fewer_programs_than_sms_lose_what_the_idle_ones_would_do():
    assert found(33, 1e-3) == [("error", pytest.approx(0.75))]
    assert found(33, 1e-3, dram=6e-4) == [("error", pytest.approx(0.4))]


def test_memory_that_is_full_anyway_loses_nothing():
    assert found(33, 1e-3, dram=1e-3) == []


def test_a_last_wave_that_is_nearly_empty_loses_what_finer_tiles_give_back():
    # two waves now; with tiles half as large three of half the length
    assert found(140, 1e-3) == [("error", pytest.approx(1 - 1.5 / 2))]
    # 190 half-length programs are two waves of half the length more: nothing is won
    assert found(199, 1e-3) == []
    assert found(260, 1e-3) == []
    assert found(132 * 6 + 1, 1e-3) == []


def test_kernels_that_are_short_or_have_nothing_to_share_out_are_left_alone():
    assert found(33, 1e-5) == found(33, 1e-3, loops=()) == []


IR = """module attributes {{"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"}} {{
  tt.func public @k(%p: !tt.ptr<f32>) {{
    %zero = arith.constant 0.000000e+00 : f32
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %first = tt.get_program_id x : i32
    %programs = tt.get_num_programs x : i32
    %sum = scf.for %i = {first} to %c64 step {step} iter_args(%acc = %zero) -> (f32) : i32 {{
      %at = tt.addptr %p, %i : !tt.ptr<f32>, i32
      %v = tt.load %at : !tt.ptr<f32>
      %next = arith.addf %acc, %v : f32
      scf.yield %next : f32
    }}
    {use}
    tt.return
  }}
}}"""


@pytest.mark.parametrize(
    ("first", "step", "use", "advice"),
    [
        ("%c0", "%c64", "tt.store %p, %sum : !tt.ptr<f32>", "combined by atomics"),
        ("%c0", "%c64", "", "no iteration needs another's result"),
        ("%first", "%programs", "tt.store %p, %sum : !tt.ptr<f32>", "launch 64 programs: the loop takes tiles"),
    ],
)
def test_how_a_loop_is_shared_out_follows_from_its_step_and_from_what_it_carries(first, step, use, advice):
    graph = graph_of(parse_mlir(IR.format(first=first, step=step, use=use)))
    parts = {Resource.LATENCY: 1e-3}
    cost = KernelCost(1e-3, Resource.LATENCY, parts, (), Confidence.EXACT, ModelStatus.VALIDATED)
    held = occupancy(NOTHING.target, 32, 1000, 4)
    facts = replace(
        NOTHING, programs=Programs(32, 32), cost=cost, occupancy=held, loops=(LoopRun(None, 2, 2),), graph=graph
    )
    (told,) = run(facts).findings
    assert advice in told.help


def test_a_loop_gives_work_to_as_many_programs_as_it_has_trips():
    # 33 programs of 2 trips fill 66 SMs of 132 at most
    assert found(33, 1e-3, loops=(LoopRun(None, 2, 2),)) == [("error", pytest.approx(0.5))]


def test_iterations_that_may_depend_on_each_other_by_memory_are_left_alone():
    text = IR.format(first="%c0", step="%c64", use="")
    by_memory = text.replace("%next = arith", "tt.store %at, %acc : !tt.ptr<f32>\n      %next = arith")
    parts = {Resource.LATENCY: 1e-3}
    cost = KernelCost(1e-3, Resource.LATENCY, parts, (), Confidence.EXACT, ModelStatus.VALIDATED)
    for ir, count in ((text, 1), (by_memory, 0)):
        facts = replace(NOTHING, programs=Programs(32, 32), cost=cost, loops=LOOPS, graph=graph_of(parse_mlir(ir)))
        assert len(run(facts).findings) == count
