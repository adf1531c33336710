"""What the axis analysis claims of a value holds for every element of it, and it claims what the compiler does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from gluon_inspect import parse_mlir
from gluon_inspect.axis.analysis import AxisAnalysis
from gluon_inspect.ir.graph import graph_of
from tests.expressions import Expression, expressions


def claims(text: str) -> dict[str, tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], int | None]]:
    """(contiguity, divisibility, constancy, constant) by the value's name."""
    module = parse_mlir(text)
    function = next(op for op in module.walk() if op.name == "tt.func")
    infos = AxisAnalysis(function, graph_of(module))
    values = (value for op in function.walk() if op is not function for value in op.results)
    found = {value.name: infos[value] for value in values}
    return {n: (i.contiguity, i.divisibility, i.constancy, i.constant) for n, i in found.items()}


@settings(max_examples=150, deadline=None)
@given(expressions())
def test_no_claim_is_wrong(made: Expression):
    for name, (contiguity, divisibility, constancy, constant) in claims(made.text).items():
        if name not in made.values:
            continue
        elements = made.values[name]
        if constant is not None:
            assert (elements == constant).all(), name
        for dim in (0, 1):
            along = np.moveaxis(elements, dim + 1, -1)
            for start, run in enumerate(blocks(along, contiguity[dim])):
                assert (np.diff(run) == 1).all(), (name, "contiguity", dim)
                if start == 0 or contiguity[dim] > 1:  # two ranges added: only the first run
                    assert (run[..., 0] % divisibility[dim] == 0).all(), (name, "divisibility", dim)
            for run in blocks(along, constancy[dim]):
                assert (np.diff(run) == 0).all(), (name, "constancy", dim)


def blocks(along: np.ndarray, length: int):
    """Aligned blocks of that many elements of the last dimension."""
    size = min(length, along.shape[-1])
    return (along[..., start : start + size] for start in range(0, along.shape[-1], size))


HEAD = """#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "cuda:90"} {
tt.func public @k(%n: i32 {tt.divisibility = 16 : i32}, %odd: i32, %p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
%r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b>
%late = tt.make_range {end = 132 : i32, start = 4 : i32} : tensor<128xi32, #b>
%sn = tt.splat %n : i32 -> tensor<128xi32, #b>
%so = tt.splat %odd : i32 -> tensor<128xi32, #b>
%sp = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
%c0 = arith.constant dense<0> : tensor<128xi32, #b>
%c1 = arith.constant dense<1> : tensor<128xi32, #b>
%c2 = arith.constant dense<2> : tensor<128xi32, #b>
%halves = arith.divsi %r, %c2 : tensor<128xi32, #b>
%c3 = arith.constant dense<3> : tensor<128xi32, #b>
%c8 = arith.constant dense<8> : tensor<128xi32, #b>
%pairs = arith.muli %halves, %c8 : tensor<128xi32, #b>
"""
BEYOND = 1 << 62
EXACT = {
    "the range": ("arith.addi %r, %c0 : T", 128, BEYOND, 1, None),
    "a late range": ("arith.addi %late, %c0 : T", 128, 4, 1, None),
    "a range and an argument": ("arith.addi %r, %sn : T", 128, 16, 1, None),
    "an argument and a range": ("arith.addi %sn, %r : T", 128, 16, 1, None),
    "a range and an odd argument": ("arith.addi %r, %so : T", 128, 1, 1, None),
    "a range less an argument": ("arith.subi %r, %sn : T", 128, 16, 1, None),
    "an argument less a range": ("arith.subi %sn, %r : T", 1, 16, 1, None),
    "two ranges": ("arith.addi %r, %r : T", 1, BEYOND, 1, None),
    "constants added": ("arith.addi %c8, %c3 : T", 1, 1, 128, 11),
    "constants subtracted": ("arith.subi %c8, %c3 : T", 1, 1, 128, 5),
    "constants multiplied": ("arith.muli %c8, %c3 : T", 1, 8, 128, 24),
    "constants divided": ("arith.divsi %c8, %c3 : T", 1, 2, 128, 2),
    "constants' remainder": ("arith.remsi %c8, %c3 : T", 1, 2, 128, 2),
    "constants' and": ("arith.andi %c8, %c3 : T", 1, BEYOND, 128, 0),
    "constants' or": ("arith.ori %c8, %c3 : T", 1, 1, 128, 11),
    "constants' xor": ("arith.xori %c3, %c1 : T", 1, 2, 128, 2),
    "constants shifted": ("arith.shli %c3, %c3 : T", 1, 8, 128, 24),
    "constants shifted back": ("arith.shrsi %c8, %c1 : T", 1, 4, 128, 4),
    "a range times eight": ("arith.muli %r, %c8 : T", 1, 8, 1, None),
    "eight times a range": ("arith.muli %c8, %r : T", 1, 8, 1, None),
    "a range times one": ("arith.muli %r, %c1 : T", 128, BEYOND, 1, None),
    "one times a range": ("arith.muli %c1, %r : T", 128, BEYOND, 1, None),
    "arguments multiplied": ("arith.muli %sn, %so : T", 1, 16, 128, None),
    "an argument times eight": ("arith.muli %sn, %c8 : T", 1, 128, 128, None),
    "a range by eight": ("arith.divsi %r, %c8 : T", 1, 1, 8, None),
    "a late range by eight": ("arith.divsi %late, %c8 : T", 1, 1, 4, None),
    "a range by one": ("arith.divsi %r, %c1 : T", 128, BEYOND, 1, None),
    "an argument by eight": ("arith.divsi %sn, %c8 : T", 1, 2, 128, None),
    "an argument by three": ("arith.divsi %sn, %c3 : T", 1, 1, 128, None),
    "a range modulo eight": ("arith.remsi %r, %c8 : T", 8, 8, 1, None),
    "a range modulo an argument": ("arith.remsi %r, %sn : T", 16, 16, 1, None),
    "a late range modulo eight": ("arith.remsi %late, %c8 : T", 4, 4, 1, None),
    "a range modulo three": ("arith.remsi %r, %c3 : T", 1, 1, 1, None),
    "a range modulo a late range": ("arith.remsi %r, %late : T", 1, 1, 1, None),
    "an argument modulo pairs of multiples": ("arith.remsi %sn, %pairs : T", 1, 8, 2, None),
    "an argument modulo a range": ("arith.remsi %sn, %late : T", 1, 1, 1, None),
    "a range by a late range": ("arith.divsi %r, %late : T", 1, 1, 1, None),
    "an argument by a range": ("arith.divsi %sn, %late : T", 1, 1, 1, None),
    "an argument modulo one": ("arith.remsi %so, %c1 : T", 1, BEYOND, 128, 0),
    "a range shifted by none": ("arith.shli %r, %c0 : T", 128, BEYOND, 1, None),
    "a range shifted by three": ("arith.shli %r, %c3 : T", 1, 8, 1, None),
    "an argument shifted by three": ("arith.shli %sn, %c3 : T", 1, 128, 128, None),
    "an argument shifted back by three": ("arith.shrsi %sn, %c3 : T", 1, 2, 128, None),
    "an argument shifted back by eight": ("arith.shrsi %sn, %c8 : T", 1, 1, 128, None),
    "an argument shifted back by an argument": ("arith.shrsi %sn, %so : T", 1, 1, 128, None),
    "the least of arguments": ("arith.minsi %sn, %so : T", 1, 1, 128, None),
    "the least of constants": ("arith.minsi %c8, %c3 : T", 1, 1, 1, 3),
    "the most of constants": ("arith.maxsi %c8, %c3 : T", 1, 1, 1, 8),
    "a range and an argument, the most": ("arith.maxsi %r, %sn : T", 1, 1, 1, None),
    "below an argument": ("arith.cmpi slt, %r, %sn : T", 1, 1, 16, None),
    "at an argument or above": ("arith.cmpi sge, %r, %sn : T", 1, 1, 16, None),
    "an argument above": ("arith.cmpi sgt, %sn, %r : T", 1, 1, 16, None),
    "an argument at or below": ("arith.cmpi sle, %sn, %r : T", 1, 1, 16, None),
    "unsigned below an argument": ("arith.cmpi ult, %r, %sn : T", 1, 1, 16, None),
    "an argument unsigned above": ("arith.cmpi ugt, %sn, %r : T", 1, 1, 16, None),
    "below an argument or at it": ("arith.cmpi sle, %r, %sn : T", 1, 1, 1, None),
    "above an argument": ("arith.cmpi sgt, %r, %sn : T", 1, 1, 1, None),
    "an argument below": ("arith.cmpi slt, %sn, %r : T", 1, 1, 1, None),
    "below an odd argument": ("arith.cmpi slt, %r, %so : T", 1, 1, 1, None),
    "a late range below an argument": ("arith.cmpi slt, %late, %sn : T", 1, 1, 4, None),
    "arguments compared": ("arith.cmpi slt, %sn, %so : T", 1, 1, 128, None),
    "constants compared": ("arith.cmpi slt, %c3, %c8 : T", 1, 1, 128, 1),
    "pointers": ("tt.addptr %sp, %r : P, T", 128, 16, 1, None),
    "pointers, three apart": ("tt.addptr %sp, %c3 : P, T", 1, 4, 128, None),
    "pointers, eight apart": ("tt.addptr %sp, %c8 : P, T", 1, 16, 128, None),
}


@pytest.mark.parametrize("case", EXACT)
def test_a_claim_is_the_compilers(case: str):
    line, *wanted = EXACT[case]
    line = line.replace("T", "tensor<128xi32, #b>").replace(": P", ": tensor<128x!tt.ptr<f32>, #b>")
    (contiguity,), (divisibility,), (constancy,), constant = claims(f"{HEAD}%x = {line}\ntt.return\n}}\n}}")["%x"]
    # a divisor of zero is any: the largest power of two that fits is what stands for it
    assert [contiguity, min(divisibility, BEYOND), constancy, constant] == wanted


SCALAR_HEAD = "tt.func public @k(%n: i32 {tt.divisibility = 16 : i32}, %odd: i32, %p: !tt.ptr<i32>) {\n"
SCALARS = {
    "a constant": ("%x = arith.constant 24 : i32", 1, 8, 1, 24),
    "poison": ("%x = ub.poison : i32", BEYOND, BEYOND, BEYOND, None),
    "an argument": ("%x = arith.extsi %n : i32 to i64", 1, 16, 1, None),
    "what was loaded": ("%x = tt.load %p : !tt.ptr<i32>", 1, 1, 1, None),
    "an argument by eight": ("%c = arith.constant 8 : i32\n%x = arith.divsi %n, %c : i32", 1, 2, 1, None),
    "what nobody knows": ("%x = my.op %n : i32 -> i32", 1, 1, 1, None),
}


@pytest.mark.parametrize("case", SCALARS)
def test_a_claim_about_a_scalar_has_one_dimension(case: str):
    line, contiguity, divisibility, constancy, constant = SCALARS[case]
    found = claims(f"{SCALAR_HEAD}{line}\ntt.return\n}}")["%x"]
    assert found == ((contiguity,), (divisibility,), (constancy,), constant)


ROUNDS = {
    "for": """
%c0 = arith.constant 0 : i32
%c8 = arith.constant 8 : i32
%x:2 = scf.for %i = %c0 to %n step %c8 iter_args(%kept = %n, %moved = %n) -> (i32, i32) : i32 {
  %next = arith.addi %moved, %c8 : i32
  %rise = arith.addi %i, %n : i32
  scf.yield %kept, %next : i32, i32
}""",
    "while": """
%c8 = arith.constant 8 : i32
%x:2 = scf.while (%kept = %n, %moved = %n) : (i32, i32) -> (i32, i32) {
  %more = arith.cmpi slt, %kept, %moved : i32
  scf.condition(%more) %kept, %moved : i32, i32
} do {
^bb0(%a: i32, %b: i32):
  %rise = arith.addi %b, %c8 : i32
  scf.yield %a, %rise : i32, i32
}""",
    "if": """
%c8 = arith.constant 8 : i32
%yes = arith.cmpi slt, %n, %odd : i32
%x:2 = scf.if %yes -> (i32, i32) {
  %rise = arith.addi %n, %c8 : i32
  scf.yield %n, %rise : i32, i32
} else {
  scf.yield %n, %n : i32, i32
}""",
}


@pytest.mark.parametrize("kind", ROUNDS)
def test_what_a_region_hands_over_keeps_what_every_way_to_it_keeps(kind: str):
    text = f"{SCALAR_HEAD}{ROUNDS[kind]}\ntt.return\n}}"
    module = parse_mlir(text)
    function = next(op for op in module.walk() if op.name == "tt.func")
    infos = AxisAnalysis(function, graph_of(module))
    results = next(op for op in function.walk() if len(op.results) == 2).results
    assert [infos[value].divisibility for value in results] == [(16,), (8,)]
    rise = next(value for op in function.walk() for value in op.results if value.name == "%rise")
    assert infos[rise].divisibility == (8,)


OPAQUE_OPERANDS = {
    "arith.addi %x, %u#0 : tensor<8x64xi32, #b>",
    "arith.addi %u#0, %x : tensor<8x64xi32, #b>",
    "arith.divsi %u#0, %x : tensor<8x64xi32, #b>",
    "arith.remsi %x, %u#0 : tensor<8x64xi32, #b>",
    "arith.shli %x, %u#0 : tensor<8x64xi32, #b>",
    "arith.cmpi slt, %u#0, %x : tensor<8x64xi32, #b>",
    "arith.select %m, %u#0, %x : tensor<8x64xi1, #b>, tensor<8x64xi32, #b>",
    "arith.select %u#0, %x, %u#1 : tensor<8x64xi1, #b>, tensor<8x64xi32, #b>",
    "tt.addptr %p, %u#0 : tensor<8x64x!tt.ptr<f32>, #b>, tensor<8x64xi32, #b>",
    "tt.load %p, %u#0, %x : tensor<8x64x!tt.ptr<i32>, #b>",
    "tt.broadcast %u#0 : tensor<8x1xi32, #b> -> tensor<8x64xi32, #b>",
    "tt.expand_dims %u#0 {axis = 1 : i32} : tensor<8xi32, #b> -> tensor<8x1xi32, #b>",
}


@pytest.mark.parametrize("line", sorted(OPAQUE_OPERANDS))
def test_nothing_is_known_of_what_comes_from_a_value_whose_type_is_not_understood(line: str):
    layout = (
        "#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>"
    )
    arguments = "%x: tensor<8x64xi32, #b>, %p: tensor<8x64x!tt.ptr<i32>, #b>, %m: tensor<8x64xi1, #b>"
    found = claims(f"#b = {layout}\nmodule {{ tt.func @f({arguments}) {{ %u:2 = new.thing %x\n%r = {line}\n}} }}")
    assert found["%r"] == ((1, 1), (1, 1), (1, 1), None)
