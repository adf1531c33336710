from __future__ import annotations

from gluon_inspect.passes.comparison import partings
from gluon_inspect.passes.states import compilations
from tests.passes.dumps import MODULE, header, kernel, line_of, text_of, timeline, timeline_of


def test_the_pass_that_lost_the_vector_is_named():
    kept, lost = timeline_of("vector_kept.log"), timeline_of("vector_lost.log")
    found = {parting.what: parting for parting in partings(kept, lost)}
    assert set(found) == {"layouts", "conversions", "access widths", "operations"}
    removal = [run for run in kept.compilation.runs if run.argument == "tritongpu-remove-layout-conversions"][1]
    for parting in found.values():
        assert (parting.left, parting.right.index) == (removal, removal.index)
        assert parting.for_good
    load = line_of("value = tl.load")
    assert found["access widths"].difference == (
        f"line {load} tt.load of 128 bits a lane: 1 -> 0",
        f"line {load} tt.load of 32 bits a lane: 0 -> 1",
    )


def test_a_compilation_does_not_part_from_itself():
    assert partings(timeline_of("vector_kept.log"), timeline_of("vector_kept.log")) == ()


def test_a_pass_that_only_one_side_runs_is_named():
    log = text_of("vector_lost.log")
    mark = "// -----// "
    parts = [mark + part for part in log.split(mark)[1:]]
    (left,) = compilations(text_of("vector_kept.log"))
    (right,) = compilations(
        "".join(parts).replace("TritonGPUOptimizeThreadLocality: tritongpu-opt", "New: new-opt")
    )
    found = {parting.what: parting for parting in partings(timeline(left), timeline(right))}
    assert found["layouts"].left.argument == "tritongpu-remove-layout-conversions"


def test_versions_that_end_alike_say_so():
    old, new = timeline_of("triton3.6.0.helped.90.log.gz"), timeline_of("triton3.9.0.helped.90.log.gz")
    assert all(not parting.for_good for parting in partings(old, new) if parting.what != "operations")


def test_what_differs_from_the_start_is_nobody_s():
    one = kernel("%a = arith.constant 1 : i32")
    two = kernel("%a = arith.constant 1 : i32\n%b = arith.addi %a, %a : i32")
    sides = [compilations(header(f"A {MODULE}") + text + header(f"B {MODULE}") + text)[0] for text in (one, two)]
    (parting,) = partings(*map(timeline, sides))
    assert (parting.what, parting.left, parting.right) == ("operations", None, None)
    assert parting.difference == ("arith.addi: 0 -> 1",)
