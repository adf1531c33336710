from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from gluon_inspect.commands.passes import written
from gluon_inspect.model.artifact import Capture, CompiledKernel
from gluon_inspect.passes.answer import Asked, answer
from gluon_inspect.report import PLAIN
from tests.passes.dumps import kernel

ASSEMBLY = (Path(__file__).parents[1] / "data" / "asm" / "helper.gfx942.amdgcn").read_text()
TTGIR = kernel(
    "%0 = tt.splat %p : !tt.ptr<f32> -> tensor<8x8x!tt.ptr<f32>, #rows>\n"
    "%1 = tt.load %0 : tensor<8x8x!tt.ptr<f32>, #rows>"
)
PLAIN_KERNEL = CompiledKernel("kernel", "hip:gfx942", "3.9.0", {"ttgir": TTGIR, "amdgcn": ASSEMBLY})
SPILLING = ASSEMBLY.replace(".private_segment_fixed_size: 0", ".private_segment_fixed_size: 96")


def compared(left: CompiledKernel, right: CompiledKernel):
    captures = [Capture("a.gi", (left,)), Capture("b.gi", (right,))]
    return answer(captures, Asked()).compared[0]


def with_stage(**stages: str) -> CompiledKernel:
    return replace(PLAIN_KERNEL, stages={**PLAIN_KERNEL.stages, **stages})


def test_spills_in_the_machine_code_alone():
    found = compared(PLAIN_KERNEL, with_stage(amdgcn=SPILLING))
    assert found.verdict == "layouts and TTGIR unchanged, the difference is in the machine code"
    assert [machine.spill_bytes for machine in found.machines] == [0, 96]
    assert [machine.registers for machine in found.machines] == [14, 14]
    text = written(
        answer([Capture("a.gi", (PLAIN_KERNEL,)), Capture("b.gi", (with_stage(amdgcn=SPILLING),))], Asked()),
        Asked(),
        "text",
        PLAIN,
    )
    assert "Layouts and TTGIR unchanged, the difference is in the machine code." in text
    assert text.splitlines()[-1].split() == ["B", "14", "96", "unknown"]


def test_renamed_ir_and_the_same_code():
    renamed = with_stage(ttgir=TTGIR.replace("%1", "%value").replace('"k.py":11', '"other.py":3'))
    assert compared(PLAIN_KERNEL, renamed).verdict == "layouts, TTGIR and machine code unchanged"


def test_other_operations_in_the_same_layouts():
    more = with_stage(ttgir=TTGIR.replace("    tt.return", "    %c = arith.constant 1 : i32\n    tt.return"))
    assert compared(PLAIN_KERNEL, more).verdict == "layouts unchanged; the operations differ"


def test_other_layouts():
    other = with_stage(
        ttgir=TTGIR.replace(
            "sizePerThread = [1, 4], threadsPerWarp = [4, 8]", "sizePerThread = [1, 1], threadsPerWarp = [4, 8]"
        )
    )
    found = compared(PLAIN_KERNEL, other)
    assert (found.verdict, found.same_layouts) == ("the layouts differ", False)


def test_what_is_not_known_is_not_called_the_same():
    bare = replace(PLAIN_KERNEL, stages={"amdgcn": ASSEMBLY})
    assert compared(PLAIN_KERNEL, bare).verdict == "one side has no TTGIR to compare"
    no_code = replace(PLAIN_KERNEL, stages={"ttgir": TTGIR})
    assert compared(no_code, no_code).verdict == "layouts and TTGIR unchanged; there is no machine code to compare"


def test_a_kernel_of_one_side_only_is_named():
    other = replace(PLAIN_KERNEL, name="other")
    found = answer([Capture("a", (PLAIN_KERNEL, other)), Capture("b", (PLAIN_KERNEL,))], Asked())
    assert (len(found.compared), found.alone) == (1, ("other",))


def test_a_compilation_that_failed_before_its_first_pass():
    failed = CompiledKernel("kernel", "cuda:90", error="/x/k.py:7: CompilationError: no such thing")
    found = answer([Capture("a", (failed,))], Asked(line="7"))
    assert found.failed
    text = written(found, Asked(line="7"), "text", PLAIN)
    assert "at /x/k.py:7: CompilationError: no such thing" in text


def test_the_front_end_s_message_is_its_last_line():
    error = "/x/k.py:7: CompilationError: at 4:4:\n    x = tl.load(y)\n    ^\nnot a pointer"
    found = answer([Capture("a", (CompiledKernel("kernel", "cuda:90", error=error),))], Asked())
    assert "at /x/k.py:7: CompilationError: not a pointer\n" in written(found, Asked(), "text", PLAIN)


def test_only_kernels_with_the_line_are_shown():
    log = "// -----// IR Dump Before A (a) ('builtin.module' operation) //----- //\n" + TTGIR
    here = replace(PLAIN_KERNEL, dumps={"passes": log})
    there = replace(here, name="other", dumps={"passes": log.replace('"k.py":11', '"k.py":99')})
    asked = Asked(line="11")
    text = written(answer([Capture("a", (here, there))], asked), asked, "text", PLAIN)
    assert text.startswith("kernel for")
    assert "other for" not in text
