"""One graph of a module: what hangs together, against a slow search; and how often a report walks the IR."""

import pytest

from gluon_inspect.ir.graph import graph_of
from gluon_inspect.ir.operations import row_of, scf, tt
from gluon_inspect.ir.text import parse_mlir
from gluon_inspect.model.artifact import Capture, CompiledKernel, Launch
from gluon_inspect.model.mlir import Module, Operation
from gluon_inspect.pipeline import inspect

LOOPS = """
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @k(%p: !tt.ptr<f32>, %n: i32, %flag: i1) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%at = %p) -> (!tt.ptr<f32>) : i32 {
      %x = tt.load %at : !tt.ptr<f32>
      %next = tt.addptr %at, %c1 : !tt.ptr<f32>, i32
      scf.yield %next : !tt.ptr<f32>
    }
    %q = scf.if %flag -> (!tt.ptr<f32>) {
      scf.yield %last : !tt.ptr<f32>
    } else {
      scf.yield %p : !tt.ptr<f32>
    }
    %w = scf.while (%j = %c0) : (i32) -> i32 {
      %more = arith.cmpi slt, %j, %n : i32
      scf.condition(%more) %j : i32
    } do {
    ^bb0(%k: i32):
      %up = arith.addi %k, %c1 : i32
      scf.yield %up : i32
    }
    tt.return
  }
}
"""


@pytest.fixture
def module():
    return parse_mlir(LOOPS)


def named(module, name):
    made = [value for op in module.walk() for value in op.results]
    blocks = [block for op in module.walk() for region in op.regions for block in region.blocks]
    given = [value for block in blocks for value in block.arguments]
    return next(value for value in (*made, *given) if value.name == name)


def test_operations_stand_as_they_are_walked(module):
    graph = graph_of(module)
    assert list(graph.operations) == list(module.walk())
    for op in graph.operations:
        assert list(graph.within(op)) == list(op.walk())


def test_users_and_makers_are_those_of_a_search(module):
    graph = graph_of(module)
    for op in module.walk():
        for value in op.results:
            assert graph.maker(value) is op
            assert graph.users.get(value.index, ()) == tuple(u for u in module.walk() if value in u.operands)


def test_nesting_is_that_of_a_search(module):
    graph = graph_of(module)
    for outer in module.walk():
        inside = set(outer.walk()) - {outer}
        assert {op for op in module.walk() if graph.is_inside(op, outer)} == inside
        assert {op for op in module.walk() if outer in graph.around(op)} == inside


def test_loops_count(module):
    graph = graph_of(module)
    (load,) = (op for op in module.walk() if row_of(op) is tt.LOAD)
    assert row_of(graph.loop_of(load)) is scf.FOR
    assert (graph.depths[load], graph.depths[module.functions[0]]) == (1, 0)


@pytest.mark.parametrize(
    ("name", "sources"),
    [
        ("%at", ["%p", "%next"]),
        ("%last", ["%p", "%next"]),
        ("%q", ["%last", "%p"]),
        ("%j", ["%c0", "%up"]),
        ("%k", ["%j"]),
        ("%w", ["%j"]),
        ("%next", []),
        ("%i", []),
    ],
)
def test_what_regions_hand_over(module, name, sources):
    found = graph_of(module).handed.get(named(module, name).index, ())
    assert [value.name for value in found] == sources


def test_behind_a_value_stand_parameters_in_the_end(module):
    graph = graph_of(module)
    behind = list(graph.behind([named(module, "%q")], lambda _: True))
    assert {value.name for value in behind if graph.is_parameter(value)} == {"%p"}


def test_a_graph_is_built_once(module):
    assert graph_of(module) is graph_of(module)


def test_a_report_walks_the_ir_few_times(monkeypatch):
    walks = []
    for of in (Module, Operation):
        plain = of.walk
        monkeypatch.setattr(of, "walk", lambda self, plain=plain: walks.append(self) or plain(self))
    launch = Launch("0", 1, (8, 1, 1), {"n": 16, "flag": True})
    kernel = CompiledKernel("k", "cuda:90", "3.9.0", {"ttgir": LOOPS}, launches=(launch,))
    assert inspect(Capture("k", (kernel,))).kernels[0].accesses
    assert len(walks) <= 8
