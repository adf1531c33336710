"""Spills by partition: whose code a stack instruction is, by the lines that only one partition has."""

# ruff: noqa: E501 (IR keeps its lines)

import pytest

from gluon_inspect.assembly.partition_code import stack_instructions
from gluon_inspect.assembly.sass import parse_sass
from gluon_inspect.ir.text import parse_module
from gluon_inspect.model.artifact import Capture, CompiledKernel, Launch
from gluon_inspect.pipeline import inspect

HELPER, LOADER, WORKER, OUTSIDE = 5, 20, 30, 40
IR = f"""
#bar = #ttg.swizzled_shared<{{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}}>
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32}} {{
  tt.func public @kernel() {{
    %n = arith.constant 1 : i32 loc("k.py":{OUTSIDE}:1)
    ttg.warp_specialize() attributes {{requestedRegisters = array<i32: 24>}}
    default {{
      %a = arith.constant 2 : i32 loc(callsite("k.py":{HELPER}:1 at "k.py":{WORKER}:1))
      ttg.warp_yield loc("k.py":{OUTSIDE}:1)
    }}
    partition0() num_warps(1) {{
      %b = arith.constant 3 : i32 loc(callsite("k.py":{HELPER}:1 at "k.py":{LOADER}:1))
      ttg.warp_return loc("k.py":{OUTSIDE}:1)
    }} : () -> ()
    tt.return
  }}
}}
"""


def sass(*code):
    """(instruction, line, line of the caller) each; a line of None has no place of its own."""
    text = ".text.kernel:\n"
    for at, (words, line, caller) in enumerate(code):
        inlined = f' inlined at "k.py", line {caller}\n\t//## File "k.py", line {caller}' if caller else ""
        text += f'\t//## File "k.py", line {line}{inlined}\n        /*{16 * at:04x}*/  {words} ;\n'
    return text


STORE, LOAD, OTHER = "STL [R1], R2", "LDL R2, [R1]", "MOV R1, R2"


@pytest.mark.parametrize(
    ("code", "spills"),
    [
        (
            [(STORE, HELPER, WORKER), (LOAD, HELPER, WORKER), (LOAD, HELPER, LOADER)],
            {"default": 2, "partition0": 1},
        ),
        # a line that nobody has, or that both have: what is around it tells
        (
            [(OTHER, HELPER, LOADER), (STORE, 99, 0), (STORE, HELPER, 0), (OTHER, HELPER, LOADER)],
            {"partition0": 2},
        ),
        ([(OTHER, HELPER, LOADER), (STORE, 99, 0), (OTHER, HELPER, WORKER)], {}),
        ([(STORE, OUTSIDE, 0), (OTHER, HELPER, WORKER)], {}),
    ],
)
def test_whose_stack_instructions(code, spills):
    assert stack_instructions(parse_module(IR), parse_sass(sass(*code)), "kernel") == spills


def test_the_report_names_the_partition():
    text = sass(*[(STORE, HELPER, LOADER)] * 3, (STORE, HELPER, WORKER), ("EXIT", OUTSIDE, 0))
    stages = {"ttgir": IR, "sass": text}
    kernel = CompiledKernel("kernel", "cuda:100", "3.9.0", stages, launches=(Launch("0", 1, (1, 1, 1)),))
    report = inspect(Capture("test", (kernel,))).kernels[0]
    (spill,) = [each for each in report.findings if each.rule == "GI302"]
    assert "3 of them in partition0" in spill.message
    assert spill.evidence["partitions"] == ("partition0: 3", "default: 1")
    (table,) = [each for each in report.tables if each.key == "partitions"]
    assert [(row[0], row[-1]) for row in table.rows] == [("default", 1), ("partition0", 3)]
