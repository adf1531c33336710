from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from gluon_inspect.model.artifact import CompiledKernel
from gluon_inspect.model.dump import Level
from gluon_inspect.passes.states import compilations, of_kernel
from tests.passes.dumps import MODULE, header, kernel, text_of, timeline

ONE = kernel("%a = arith.constant 1 : i32")
TWO = kernel("%a = arith.constant 2 : i32")
LLVM = "module {\n  llvm.func @kernel() attributes {nvvm.kernel = 1 : ui1} {\n    llvm.return\n  }\n}\n"


def only(log: str, **what):
    (compilation,) = compilations(log, **what)
    return compilation


def test_the_state_after_a_pass_is_what_stands_before_the_next():
    runs = only(header(f"A (a) {MODULE}") + ONE + header(f"B (b) {MODULE}") + TWO).runs
    assert [run.name for run in runs] == ["A", "B"]
    assert runs[0].before.ir == ONE
    assert runs[0].after is runs[1].before
    assert runs[1].after is None


def test_the_last_state_is_the_artefact():
    log = header(f"A (a) {MODULE}") + ONE + header(f"B (b) {MODULE}") + LLVM
    kernel_ = CompiledKernel(
        "kernel",
        "cuda:90",
        stages={"ttgir": TWO, "llir": "define void @kernel() {\n  ret void\n}"},
        dumps={"passes": log},
    )
    last = of_kernel(kernel_).runs[-1]
    assert (last.after.level, last.after.is_llvm_ir) == (Level.LLVM, True)
    counted = timeline(of_kernel(kernel_)).contents(last.after)
    assert counted.operations == {"ret": 1}


def test_an_artefact_taken_from_the_log_says_nothing_of_the_end():
    log = header(f"A (a) {MODULE}") + ONE
    assert only(log, stages={"ttgir": ONE}).runs[-1].after is None
    assert only(log, stages={"ttgir": TWO}).runs[-1].after.ir == TWO


def test_logs_of_after():
    log = header("A (a)", "After") + ONE + header("B (b)", "After") + TWO
    first, second = only(log).runs
    assert (first.before, first.after.ir) == (None, ONE)
    assert (second.before, second.after.ir) == (first.after, TWO)
    assert timeline(only(log)).changed(second) is True


def test_before_and_after_together_and_a_failure():
    log = (
        header("A (a)") + ONE + header("A (a)", "After") + TWO
        + header("B (b)") + TWO + 'loc("k.py":7:3): error: no such layout\n'
        + header("B Failed (b)", "After") + TWO
    )  # fmt: skip
    compilation = only(log)
    first, second = compilation.runs
    assert (first.after.ir, second.before.ir, second.failed) == (TWO, TWO, True)
    assert compilation.failure.pass_name == "B"


def test_passes_that_the_inliner_runs_are_part_of_it():
    names = (
        (f"InlinerPass: inline {MODULE}", ONE),
        ("CanonicalizerPass: canonicalize ('tt.func' operation: @helper)", ONE),
        ("CanonicalizerPass: canonicalize ('tt.func' operation: @kernel)", TWO),
        (f"CSEPass: cse {MODULE}", TWO),
    )
    compilation = only("".join(header(name) + text for name, text in names))
    assert [run.within for run in compilation.runs] == ["", "InlinerPass", "InlinerPass", ""]
    assert [run.name for run in compilation.outer] == ["InlinerPass", "CSEPass"]
    assert timeline(compilation).changed(compilation.outer[0]) is True


def test_functions_printed_alone_are_compared_with_themselves():
    alone = "#rows = unit\ntt.func public @kernel() {\n  %a = arith.constant 1 : i32\n  tt.return\n}\n"
    changed = alone.replace("constant 1", "constant 2")
    log = (
        header("A (a) ('tt.func' operation: @kernel)")
        + alone
        + header("B (b) ('tt.func' operation: @kernel)")
        + changed
    )
    compilation = only(log)
    assert [run.before.function for run in compilation.runs] == ["kernel", "kernel"]
    assert timeline(compilation).changed(compilation.runs[0]) is True


def test_a_function_printed_alone_and_then_its_module():
    functions = ("public @kernel", "private @other")
    module = "module {\n" + "".join(f"  tt.func {name}() {{\n    tt.return\n  }}\n" for name in functions) + "}\n"
    log = header("A (a) ('tt.func' operation: @kernel)") + "tt.func public @kernel() {\n  tt.return\n}\n"
    log += header(f"B (b) {MODULE}") + module
    first, _ = only(log).runs
    assert first.after.function == "kernel"
    assert "@other" not in first.after.ir
    assert timeline(only(log)).contents(first.after).operations == {"tt.func": 1, "tt.return": 1}


def test_what_the_log_was_cut_off_in_is_not_called_a_change():
    whole = header(f"A (a) {MODULE}") + ONE + header(f"B (b) {MODULE}") + ONE
    cut = only(whole[: whole.rindex("arith.constant")])
    assert timeline(cut).changed(cut.runs[0]) is None
    assert "cut off" in timeline(cut).contents(cut.runs[0].after).problem


def test_a_failed_compilation_names_pass_and_line():
    tail = (
        "k.py:12:7: error: operand types must match\nk.py:12:7: note: see current operation\n"
        "<unknown>:0: error: Failures have been detected while processing an MLIR pass pipeline\n"
        "<unknown>:0: note: Pipeline failed while executing [`TritonGPUPipeline` on 'builtin.module']\n"
    )
    failure = only(header(f"A (a) {MODULE}") + ONE + header(f"B (b) {MODULE}") + TWO + tail).failure
    assert (failure.pass_name, failure.message) == ("TritonGPUPipeline", "operand types must match")
    assert (failure.location.file, failure.location.line, failure.location.column) == ("k.py", 12, 7)


def test_the_compiler_s_own_message_gives_the_line():
    log = header(f"A (a) {MODULE}") + ONE
    kernel_ = CompiledKernel(
        "kernel", "cuda:90", dumps={"passes": log}, error="/x/k.py:21: RuntimeError: PassManager::run failed"
    )
    failure = of_kernel(kernel_).failure
    assert (failure.pass_name, str(failure.location)) == ("A", "/x/k.py:21")
    assert failure.message == "RuntimeError: PassManager::run failed"


def test_a_crash_is_the_last_pass_s():
    log = header(f"A (a) {MODULE}") + ONE + "k: Foo.cpp:12: void f(): Assertion `x' failed.\n"
    assert only(log).failure.pass_name == "A"


def test_a_failure_behind_the_passes_is_no_pass_s():
    log = header(f"LLVMDIScope (enable-line-info) {MODULE}") + LLVM
    assert only(log, error="PTXASError: ptxas failed").failure.pass_name == ""


def test_output_of_the_program_is_no_failure():
    log = header(f"A (a) {MODULE}") + ONE + "epoch 1: error: 0.25\nTraceback (most recent call last):\n"
    assert only(log).failure is None


def test_a_dump_of_a_failed_gluon_compilation():
    failure = only(text_of("triton3.6.0.coalesced.gfx942.log.gz")).failure
    assert failure.pass_name == "GluonResolveAutoEncodingsPass"


def test_diagnostics_of_other_tools_behind_a_finished_compilation_are_no_failure():
    log = header(f"A (a) {MODULE}") + ONE + header(f"LLVMDIScope (enable-line-info) {MODULE}") + LLVM
    assert only(log + "k.py:3:1: error: unused import\n").failure is None


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 200))
def test_any_cut_leaves_a_timeline(per_mille: int):
    log = text_of("triton3.6.0.coalesced.gfx942.log.gz")
    for compilation in compilations(log[: len(log) * per_mille // 200]):
        assert all(row.changed in (True, False, None) for row in timeline(compilation).rows(everything=True))
