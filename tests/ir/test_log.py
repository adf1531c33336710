from __future__ import annotations

import time

from gluon_inspect.ir.log import index_dump, split_dump
from gluon_inspect.ir.text import parse_module
from gluon_inspect.model.dump import Level, Moment

TT = "#loc = loc(unknown)\nmodule {\n  tt.func public @kernel() {\n    tt.return\n  }\n}\n"
TTG = """\
#b = #ttg.x
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @kernel() {
  }
}
#loc = loc(unknown)
"""
LLVM = "module {\n  llvm.func @kernel() attributes {nvvm.kernel = 1 : ui1} {\n    llvm.return\n  }\n}\n"
MODULE = "('builtin.module' operation)"


def header(rest: str, moment: str = "Before") -> str:
    return f"// -----// IR Dump {moment} {rest} //----- //\n"


def test_headers_of_all_versions():
    log = (
        header(f"InlinerPass: inline{{default-pipeline=canonicalize max-iterations=4 }} {MODULE}") + TT + "\n\n"
        + header(f"ConvertTritonToTritonGPU (convert-triton-to-tritongpu{{num-warps=4 target=cuda:90}}) {MODULE}")
        + TTG
        + header("CanonicalizerPass (canonicalize) ('tt.func' operation: @kernel)") + TTG
        + header("CSE Failed (cse)", "After") + TTG
        + header(f"(anonymous namespace)::Check: unknown<(anonymous namespace)::Check> {MODULE}") + TTG
        + "// -----// SoftwarePipeliner internal IR Dump After: LowerLoops\n" + TTG + "\n\n\n"
        + header(f"SymbolDCE {MODULE}", "After") + LLVM
    )  # fmt: skip
    entries = index_dump(log)
    assert [(entry.name, entry.argument, entry.options) for entry in entries] == [
        ("InlinerPass", "inline", "default-pipeline=canonicalize max-iterations=4"),
        ("ConvertTritonToTritonGPU", "convert-triton-to-tritongpu", "num-warps=4 target=cuda:90"),
        ("CanonicalizerPass", "canonicalize", ""),
        ("CSE", "cse", ""),
        ("Check", "", ""),
        ("LowerLoops", "", ""),
        ("SymbolDCE", "", ""),
    ]
    assert [entry.moment for entry in entries] == [
        *(Moment.BEFORE, Moment.BEFORE, Moment.BEFORE, Moment.AFTER, Moment.BEFORE, Moment.INSIDE, Moment.AFTER)
    ]
    assert [entry.failed for entry in entries] == [False, False, False, True, False, False, False]
    assert (entries[2].operation, entries[2].symbol) == ("tt.func", "kernel")
    assert [entry.level for entry in entries] == [Level.TRITON, *[Level.TRITON_GPU] * 5, Level.LLVM]
    assert {entry.kernel for entry in entries} == {"kernel"}
    assert [log[entry.start : entry.end].strip() for entry in entries] == [
        text.strip() for text in (TT, *[TTG] * 5, LLVM)
    ]


def test_every_text_is_a_module_whatever_stands_around_it():
    noise = "progress 10%\n"
    log = (
        noise + header(f"A: a {MODULE}") + TT + noise + "Traceback (most recent call last):\n  {'a': 1}\n"
        + noise.rstrip() + header(f"B: b {MODULE}") + TTG + "\n" + noise + noise
    )  # fmt: skip
    dumps = split_dump(log)
    assert [dump.name for dump in dumps] == ["A", "B"]
    for dump in dumps:
        assert parse_module(dump.text).functions
    assert dumps[0].text.strip() == TT.strip()


def test_a_reproducer_after_a_failure_is_left_out():
    log = (
        header(f"A: a {MODULE}") + TT + "k.py:1:1: error: Failures\n" + TT
        + "{-#\n  external_resources: {\n  }\n#-}\n"
    )  # fmt: skip
    (dump,) = split_dump(log)
    assert dump.text.strip() == TT.strip()


def test_compilations_follow_each_other():
    other = TT.replace("@kernel", "@other")
    once = "".join(header(f"{name} {MODULE}") + text for name, text in (("A", TT), ("B", TTG), ("C", LLVM)))
    log = once + once + header(f"A {MODULE}") + other
    entries = index_dump(log)
    assert [entry.compilation for entry in entries] == [0, 0, 0, 1, 1, 1, 2]
    assert [entry.kernel for entry in entries][-2:] == ["kernel", "other"]


def test_a_log_cut_at_its_end_keeps_what_there_is():
    whole = header(f"A {MODULE}") + TT + header(f"B {MODULE}") + TTG
    for cut in range(len(whole)):
        entries = index_dump(whole[:cut])
        assert all(entry.start <= entry.end <= cut for entry in entries)
    assert [entry.name for entry in index_dump(whole[: whole.rindex("tt.func")])] == ["A", "B"]
    assert index_dump("") == ()
    assert index_dump("no dump here\n") == ()


def test_unchanged_modules_share_their_text():
    first, second, third = split_dump(header("A") + TT + header("B") + TT + header("C") + TTG)
    assert first.text is second.text
    assert third.text is not first.text
    assert [dump.index for dump in (first, second, third)] == [0, 1, 2]


def test_the_index_of_a_large_log_costs_next_to_nothing():
    big = LLVM.replace(
        "    llvm.return\n", "    %0 = llvm.mlir.undef : i32 loc(#loc)\n" * 20_000 + "    llvm.return\n"
    )
    log = "".join(header(f"P{at}: p {MODULE}") + big for at in range(60))
    start = time.process_time()
    assert len(index_dump(log)) == 60
    assert time.process_time() - start < 0.1 * max(1.0, len(log) / 52e6) * 2


def test_interleaved_compilations_are_told_apart():
    settings = '"ttg.num-warps" = 4 : i32'
    other = TTG.replace(settings, '"ttg.num-warps" = 8 : i32')
    elsewhere = TT.replace("@kernel", "@other")
    log = "".join(
        header(f"{name} {MODULE}") + text
        for name, text in (
            ("Inliner (inline)", TT),
            ("Inliner (inline)", elsewhere),
            ("CSE (cse)", elsewhere),
            ("CSE (cse)", TT),
            ("Inliner (inline)", TT),
            ("A (a)", TTG),
            ("A (a)", other),
            ("B (b)", TTG),
            ("B (b)", other),
        )
    )
    entries = index_dump(log)
    assert [entry.compilation for entry in entries] == [0, 1, 1, 0, 2, 2, 0, 2, 0]
    assert [entry.kernel for entry in entries][:3] == ["kernel", "other", "other"]


def test_interleaved_configurations_are_told_apart_by_their_shapes():
    def module(size: int) -> str:
        return TT.replace("tt.return", f"%0 = tt.make_range {{}} : tensor<{size}xi32>\n    tt.return")

    sizes = (64, 128, 128, 64, 64, 128)
    names = ("Inliner (inline)", "Inliner (inline)", *["CSE (cse)"] * 4)
    log = "".join(header(f"{name} {MODULE}") + module(size) for name, size in zip(names, sizes))
    assert [entry.compilation for entry in index_dump(log)] == [0, 1, 1, 0, 0, 1]


def test_a_failed_compilation_and_the_next_attempt():
    attempt = header(f"GluonInline (gluon-inline) {MODULE}") + TTG + header(f"A (a) {MODULE}") + TTG
    whole = attempt + header(f"Loops (convert-scf-to-cf) {MODULE}") + TTG
    whole += header(f"GluonInline (gluon-inline) {MODULE}") + TTG + header(f"B {MODULE}") + LLVM
    entries = index_dump(attempt + "error: no\n" + whole)
    assert [entry.compilation for entry in entries] == [0, 0, 1, 1, 1, 1, 1]


def test_names_of_functions_with_brackets():
    log = header("Canonicalizer (canonicalize) ('tt.func' operation: @zeros____(0, 0)cconstexpr_64__(1,)_)") + TT
    (entry,) = index_dump(log)
    assert (entry.name, entry.argument) == ("Canonicalizer", "canonicalize")
    assert entry.symbol == "zeros____(0, 0)cconstexpr_64__(1,)_"
