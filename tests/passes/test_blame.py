from __future__ import annotations

import pytest

from gluon_inspect.passes.blame import Blame, Wanted, What, blame
from gluon_inspect.passes.phrases import summary
from gluon_inspect.passes.states import compilations
from tests.passes.dumps import MODULE, header, kernel, line_of, text_of, timeline, timeline_of

VERSIONS = ("3.6.0", "3.9.0")
TARGETS = ("90", "gfx942")
POINTERS = "tensor<8x8x!tt.ptr<f32>, #{}>"


def passes(found: Blame) -> list[str]:
    return [step.run.argument for step in found.steps]


def changes(found: Blame, argument: str) -> list[str]:
    return [summary(change) for step in found.steps if step.run.argument == argument for change in step.changes]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("target", TARGETS)
def test_a_triton_load_gets_its_width_from_the_coalesce_pass(version: str, target: str):
    timeline = timeline_of(f"triton{version}.transpose.{target}.log.gz")
    found = blame(timeline, Wanted(line_of("value = tl.load"), "kernels.py", "tt.load"))
    assert passes(found) == ["convert-triton-to-tritongpu", "tritongpu-coalesce"]
    assert [one.name for one, _ in found.origin] == ["tt.load"]
    (change,) = changes(found, "tritongpu-coalesce")
    assert change.endswith("32 -> 128 bits a lane")
    assert found.final[0].vector_bits == 128


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("target", TARGETS)
def test_a_load_in_a_helper_is_followed_from_both_lines(version: str, target: str):
    timeline = timeline_of(f"triton{version}.helped.{target}.log.gz")
    inside = blame(timeline, Wanted(line_of("return gl.load"), operation="tt.load"))
    assert [one.name for one, _ in inside.origin] == ["tt.load"]
    assert len(inside.final) == 1
    caller = blame(timeline, Wanted(line_of("value + tile("), operation="tt.load"))
    assert caller.origin == ()
    assert passes(caller) == ["gluon-inline"]
    assert [change.what for change in caller.steps[0].changes] == [What.CREATED]
    assert caller.final == inside.final


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("target", TARGETS)
def test_an_author_s_conversion_is_nobody_else_s(version: str, target: str):
    timeline = timeline_of(f"triton{version}.helped.{target}.log.gz")
    found = blame(timeline, Wanted(line_of("gl.convert_layout(")))
    assert [one.name for one, _ in found.origin] == ["ttg.convert_layout"]
    assert found.steps == ()
    assert found.final[0].kind == "shared"


def test_a_dot_becomes_what_the_matrix_unit_runs():
    timeline = timeline_of("triton3.9.0.product.90.log.gz")
    found = blame(timeline, Wanted(line_of("tl.dot("), operation="tt.dot"))
    assert "tritongpu-accelerate-matmul" in passes(found)
    layouts = [layout for one in found.final for layout in one.layouts]
    assert any("Mma" in type(layout).__name__ for layout in layouts)


def test_conversions_of_the_whole_kernel_without_a_line():
    found = blame(timeline_of("triton3.9.0.transpose.90.log.gz"), Wanted(operation="ttg.convert_layout"))
    created = {c.what for step in found.steps if step.run.argument == "tritongpu-coalesce" for c in step.changes}
    assert created == {What.CREATED}
    assert [one.kind for one in found.final] == ["shared"]


def test_a_load_that_becomes_an_asynchronous_copy_stays_the_same_thing():
    loaded = kernel(
        "%0 = tt.splat %p : !tt.ptr<f32> -> tensor<8x8x!tt.ptr<f32>, #rows>\n%1 = tt.load %0 : " + ROWS
    )
    memory = "!ttg.memdesc<8x8xf32, #s, #ttg.shared_memory, mutable>"
    copied = kernel(
        "%0 = tt.splat %p : !tt.ptr<f32> -> tensor<8x8x!tt.ptr<f32>, #rows>\n"
        f"%2 = ttg.async_copy_global_to_local %0, %m : {ROWS} -> {memory}"
    ).replace("@kernel(", f"@kernel(%m: {memory}, ")
    copied = "#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>\n" + copied
    (compilation,) = compilations(header(f"P (p) {MODULE}") + loaded + header(f"Q (q) {MODULE}") + copied)
    (step,) = blame(timeline(compilation), Wanted(11)).steps
    (change,) = step.changes
    assert (change.what, change.before.name, change.after.name) == (
        *(What.CHANGED, "tt.load"),
        "ttg.async_copy_global_to_local",
    )


def test_renumbering_is_no_change():
    one = kernel("%0 = tt.splat %p : !tt.ptr<f32> -> tensor<8x8x!tt.ptr<f32>, #rows>\n%1 = tt.load %0 : " + ROWS)
    two = one.replace("%1", "%7").replace("%0", "%1")
    (compilation,) = compilations(
        "".join(header(f"P{at} {MODULE}") + text for at, text in enumerate((one, two, one)))
    )
    assert blame(timeline(compilation), Wanted(11)).steps == ()


def test_a_state_that_cannot_be_read_casts_doubt_on_its_pass():
    one = kernel("%0 = tt.splat %p : !tt.ptr<f32> -> tensor<8x8x!tt.ptr<f32>, #rows>\n%1 = tt.load %0 : " + ROWS)
    broken = one.replace("tt.load %0", "tt.load %nowhere")
    gone = one.replace(f"%1 = tt.load %0 : {ROWS}", "%1 = arith.constant 1 : i32")
    log = "".join(header(f"{name} {MODULE}") + text for name, text in (("A", one), ("B", broken), ("C", gone)))
    (compilation,) = compilations(log)
    (step,) = blame(timeline(compilation), Wanted(11, operation="tt.load")).steps
    assert (step.run.name, [run.name for run in step.unread]) == ("B", ["A"])
    assert "%nowhere" in timeline(compilation).rows()[0].after.problem


def test_arithmetic_is_followed_where_a_line_has_nothing_else():
    timeline = timeline_of("triton3.9.0.helped.90.log.gz")
    found = blame(timeline, Wanted(line_of("row = gl.arange(0, SIZE, layout=gl.AutoLayout())")))
    assert passes(found)[0] == "gluon-resolve-auto-encodings"


def test_the_dump_is_the_same_with_other_compilations_and_output_in_it():
    alone, other = text_of("triton3.9.0.transpose.90.log.gz"), text_of("triton3.9.0.helped.90.log.gz")
    mixed = (
        "loading\n" + other + "step 1 of 2\n" + alone.replace("// -----//", "50%|███  |// -----//", 3) + "done\n"
    )
    found = {one.kernel: one for one in compilations(mixed)}
    assert set(found) == {"transpose", "helped"}
    wanted = Wanted(line_of("value = tl.load"))
    expected = blame(timeline_of("triton3.9.0.transpose.90.log.gz"), wanted)
    assert passes(blame(timeline(found["transpose"]), wanted)) == passes(expected)


def test_interleaved_dumps_are_told_apart():
    mark = "// -----// "
    logs = [text_of(f"triton3.9.0.{name}.90.log.gz").split(mark)[1:] for name in ("transpose", "product")]
    mixed = "".join(mark + part for pair in zip(*logs, strict=False) for part in pair)
    mixed += "".join(mark + part for log in logs for part in log[len(min(logs, key=len)) :])
    found = compilations(mixed)
    assert sorted(one.kernel for one in found) == ["product", "transpose"]
    inside = "internal IR Dump"
    assert [len(one.runs) for one in found] == [sum(inside not in part for part in log) for log in logs]


def test_a_line_of_output_in_a_module_is_passed_over():
    one = kernel("%0 = tt.splat %p : !tt.ptr<f32> -> tensor<8x8x!tt.ptr<f32>, #rows>\n%1 = tt.load %0 : " + ROWS)
    torn = one.replace("    %1 =", "step 3: loss 0.25\n    %1 =")
    (compilation,) = compilations(header(f"A {MODULE}") + one + header(f"B {MODULE}") + torn)
    contents = timeline(compilation).contents(compilation.runs[1].before)
    assert contents.widths == {"tt.load 32": 1}
    assert "left out" in contents.problem


ROWS = POINTERS.format("rows")
