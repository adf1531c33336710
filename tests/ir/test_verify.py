"""One positioned error for IR that contradicts itself; nothing of what the compiler accepts is refused."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from gluon_inspect.errors import ParseError
from gluon_inspect.ir.verify import verified_module
from tests.truth import cases

CORPUS = Path(__file__).resolve().parents[2].parent / "shared" / "corpus" / "upstream.jsonl.gz"
_LAYOUT = "#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>\n"
_MODULE = (
    'module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {\n'
    "tt.func @f(%p: !tt.ptr<f32>, %n: i32, %x: tensor<64xi32, #b>, %y: tensor<32xi32, #b>, %i: i1) {\n"
)
WRONG = {
    "an operand too few": ("%r = tt.splat : i32 -> tensor<64xi32, #b>", "tt.splat takes 1 operand, not 0"),
    "an operand too many": ("%r = arith.addi %n, %n, %n : i32", "arith.addi takes 2 operands, not 3"),
    "shapes that differ": (
        "%r = arith.addi %x, %y : tensor<64xi32, #b>",
        "arith.addi on tensors of different shapes: 64, 32",
    ),
    "types that differ": ("%r = arith.addi %n, %i : i32", "arith.addi on different types: i32, i1"),
    "no width": ("%r = arith.extsi %n : i32 to i0", "i0 has no sane width"),
    "too wide": ("%r = arith.extsi %n : i32 to i99999999", "i99999999 has no sane width"),
    "no element": ("%r = tt.splat %n : i32 -> tensor<0xi32, #b>", "a tensor without elements (0)"),
    "too many elements": (
        "%r = tt.splat %n : i32 -> tensor<4194304xi32, #b>",
        "tt.splat gives more than 1,048,576 elements (4194304)",
    ),
    "a splat of a tensor": ("%r = tt.splat %x : tensor<64xi32, #b> -> tensor<64xi32, #b>", "tt.splat of a tensor"),
    "a range that ends before it starts": (
        "%r = tt.make_range {start = 0 : i32, end = -1 : i32} : tensor<64xi32, #b>",
        "tt.make_range from 0 to -1 is no tensor of 64",
    ),
    "pointers that are none": ("%r = tt.addptr %n, %n : i32, i32", "tt.addptr needs pointers, not i32"),
    "a broadcast into other extents": (
        "%r = tt.broadcast %y : tensor<32xi32, #b> -> tensor<64xi32, #b>",
        "tt.broadcast of 32 is not 64",
    ),
    "a dimension that is not there": (
        "%r = tt.expand_dims %x {axis = 3 : i32} : tensor<64xi32, #b> -> tensor<64x1xi32, #b>",
        "tt.expand_dims at dimension 3 of 64",
    ),
    "elements lost": (
        "%r = tt.reshape %x : tensor<64xi32, #b> -> tensor<32xi32, #b>",
        "tt.reshape of 64 is not 32",
    ),
    "a loop that yields nothing": (
        "%r = scf.for %k = %n to %n step %n iter_args(%a = %n) -> (i32) : i32 { scf.yield }",
        "scf.for carries 1 values, its body yields 0",
    ),
    "too many lanes": (
        "%r = tt.splat %n : i32 -> tensor<64xi32, #ttg.blocked<{sizePerThread = [1], "
        "threadsPerWarp = [4294967296], warpsPerCTA = [4], order = [0]}>>",
        "a layout with threadsPerWarp of 4294967296",
    ),
    "a pad that no memory has": (
        "%r = ttg.local_alloc : () -> !ttg.memdesc<64xf32, #ttg.padded_shared<[64:+99999999999] "
        "{order = [0], shape = [64]}>, #ttg.shared_memory, mutable>",
        "a layout with pads of 99999999999",
    ),
    "lanes of another warp": (
        "%r = tt.splat %n : i32 -> tensor<64xi32, #ttg.blocked<{sizePerThread = [1], "
        "threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>>",
        "a layout of 64 lanes where a warp has 32",
    ),
    "a word that is no type": (
        "%r = tt.splat %n : i32 -> tAnsor<64xi32, #b>",
        "this is no type: tAnsor<64xi32, #ttg.… (106 characters)",
    ),
    "a type that is none": (
        "%r = tt.splat %n : i32 -> tensor<64xi32,, #b>",
        "this is no type: tensor<64xi32,, #ttg… (107 characters)",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_contradicts_itself_is_told_at_its_line(case: str):
    line, message = WRONG[case]
    with pytest.raises(ParseError) as caught:
        verified_module(f"{_LAYOUT}{_MODULE}  {line}\n  tt.return\n}}\n}}", "file")
    assert caught.value.message == message
    assert str(caught.value.position) == "file:4:3"


def test_a_module_says_sane_things_of_itself():
    with pytest.raises(ParseError, match=r"ttg\.num-warps of 4294967296"):
        verified_module('module attributes {"ttg.num-warps" = 4294967296 : i64} {}')
    for name in ("ttg.num-warps", "ttg.num-ctas", "ttg.threads-per-warp"):
        with pytest.raises(ParseError, match=rf"{name} of 0"):
            verified_module(f'module attributes {{"{name}" = 0 : i32}} {{}}')


def test_a_value_of_another_dialects_type_is_no_tensor():
    lines = "%o = new.thing %x : !new.type\n  %r = arith.addi %x, %o : tensor<64xi32, #b>"
    with pytest.raises(ParseError, match=r"arith\.addi of tensors and another type"):
        verified_module(f"{_LAYOUT}{_MODULE}  {lines}\n  tt.return\n}}\n}}")


def test_an_unknown_operation_stays_opaque():
    text = f"{_LAYOUT}{_MODULE}  %r:2 = new.thing %x, %y, %n : i32 -> (i32, i32)\n  tt.return\n}}\n}}"
    assert "new.thing" in verified_module(text).opaque_names


@pytest.mark.skipif(not CORPUS.is_file(), reason="../shared/corpus (IR of other projects) is absent")
def test_nothing_that_triton_reads_is_refused():
    refused: list[str] = []
    with gzip.open(CORPUS, "rt") as lines:
        for line in lines:
            module = json.loads(line)
            if module["ok"]:
                refused += _refusal(module["ir"])
    assert refused == []


@cases.needs_truth()
@pytest.mark.parametrize("name", ["h200", "h200b"])
def test_nothing_that_ran_is_refused(name: str):
    modules = [case["ttgir"] for case in cases.load(name) if "ttgir" in case]
    assert modules
    assert [refusal for text in modules for refusal in _refusal(text)] == []


def _refusal(text: str) -> list[str]:
    try:
        verified_module(text)
    except ParseError as error:
        return [error.message]
    return []
