"""What the interpreter makes of all instances at once is what each element is, computed alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from gluon_inspect import parse_mlir
from gluon_inspect.evaluate import arithmetic, shapes
from gluon_inspect.evaluate.values import Lanes, Unknown, as_array
from gluon_inspect.ir.operations import row_of
from tests.expressions import INSTANCES, SHAPE, Expression, expressions


def evaluated(text: str, arguments: list[object], instances: int = INSTANCES) -> dict[str, object]:
    """Values of a function's operations by name, given those of its arguments."""
    function = next(op for op in parse_mlir(text).walk() if op.name == "tt.func")
    block = function.regions[0].blocks[0]
    values = {argument.index: value for argument, value in zip(block.arguments, arguments, strict=True)}
    found = {}
    for op in block.operations[:-1]:
        operands = [values[operand.index] for operand in op.operands]
        of_shapes = row_of(op) in shapes.ROWS
        value = shapes.compute(op, operands) if of_shapes else arithmetic.compute(op, operands, instances)
        values[op.results[0].index] = found[op.results[0].name] = value
    return found


def elements(value: object) -> np.ndarray:
    """Every element in every instance."""
    if not isinstance(value, Lanes):
        return np.broadcast_to(as_array(value, INSTANCES)[:, None, None], (INSTANCES, *SHAPE))
    table = value.table if value.index is None else value.table[value.index]
    whole = as_array(value.base, INSTANCES)[:, None, None] + table
    return np.broadcast_to(whole, (INSTANCES, *SHAPE))


@settings(max_examples=150, deadline=None)
@given(expressions())
def test_every_element_in_every_instance(made: Expression):
    found = evaluated(made.text, [value for _, value in made.parameters])
    for name, wanted in {**made.values, **made.masks}.items():
        assert not isinstance(found[name], Unknown), name
        assert (elements(found[name]) == wanted).all(), name


SCALAR = "module {{\ntt.func public @k(%a: {0}, %b: {0}) {{\n{1}\ntt.return\n}}\n}}\n"
SMALLEST, LARGEST = -(1 << 31), (1 << 31) - 1
EXACT = [
    ("addi", "i32", LARGEST, 1, SMALLEST),
    ("addi", "i32", LARGEST, 0, LARGEST),
    ("subi", "i32", SMALLEST, 1, LARGEST),
    ("subi", "i32", SMALLEST, 0, SMALLEST),
    ("muli", "i32", 1 << 16, 1 << 16, 0),
    ("muli", "i32", 1 << 16, 1 << 15, SMALLEST),
    ("addi", "i64", LARGEST, 1, LARGEST + 1),
    ("addi", "i8", 127, 1, -128),
    ("divsi", "i32", -7, 2, -3),
    ("divsi", "i32", 7, -2, -3),
    ("divsi", "i32", -7, -2, 3),
    ("divsi", "i32", 7, 0, 0),
    ("remsi", "i32", -7, 2, -1),
    ("remsi", "i32", 7, -2, 1),
    ("floordivsi", "i32", -7, 2, -4),
    ("ceildivsi", "i32", 7, 2, 4),
    ("ceildivsi", "i32", -7, 2, -3),
    ("divui", "i32", 7, 2, 3),
    ("divui", "i32", -7, 2, None),
    ("remui", "i32", 7, 4, 3),
    ("remui", "i32", -7, 4, None),
    ("shli", "i32", 3, 4, 48),
    ("shli", "i32", 1, 31, SMALLEST),
    ("shrsi", "i32", -8, 1, -4),
    ("shrui", "i32", 8, 1, 4),
    ("shrui", "i32", -8, 1, None),
    ("maxsi", "i32", -1, 1, 1),
    ("minsi", "i32", -1, 1, -1),
    ("maxui", "i32", 2, 1, 2),
    ("maxui", "i32", -1, 1, None),
    ("minui", "i32", 2, 1, 1),
    ("andi", "i32", -4, 7, 4),
    ("ori", "i32", 4, 1, 5),
    ("xori", "i32", 5, 1, 4),
    ("cmpi ult,", "i32", -1, 1, 0),
    ("cmpi ugt,", "i32", -1, 1, 1),
    ("cmpi ule,", "i32", 1, 1, 1),
    ("cmpi uge,", "i32", 0, 1, 0),
    ("cmpi slt,", "i32", -1, 1, 1),
    ("cmpi sge,", "i32", 1, 1, 1),
    ("cmpi ne,", "i32", 1, 1, 0),
]


@pytest.mark.parametrize(("name", "kind", "a", "b", "wanted"), EXACT)
def test_scalars_wrap_and_round_as_their_type_does(name: str, kind: str, a: int, b: int, wanted: int | None):
    text = SCALAR.format(kind, f"%x = arith.{name} %a, %b : {kind}")
    alone = evaluated(text, [a, b])["%x"]
    together = evaluated(text, [np.array([a, a]), np.array([b, b])], 2)["%x"]
    if wanted is None:
        assert isinstance(alone, Unknown)
        assert isinstance(together, Unknown)
        return
    assert alone == wanted
    assert list(together) == [wanted, wanted]


@pytest.mark.parametrize(
    ("line", "a", "wanted"),
    [
        ("arith.extsi %a : i1 to i32", 1, -1),
        ("arith.extsi %a : i1 to i32", 0, 0),
        ("arith.extui %a : i1 to i32", 1, 1),
        ("arith.extui %a : i8 to i32", -1, 255),
        ("arith.extui %a : i8 to i32", 127, 127),
        ("arith.extui %a : i32 to i64", -1, (1 << 32) - 1),
        ("arith.extsi %a : i8 to i32", -1, -1),
        ("arith.trunci %a : i32 to i8", 257, 1),
        ("arith.trunci %a : i32 to i8", 255, -1),
        ("arith.trunci %a : i32 to i1", 2, 0),
    ],
)
def test_a_cast_keeps_what_fits(line: str, a: int, wanted: int):
    kind = line.split(" : ")[1].split(" to ")[0]
    assert evaluated(SCALAR.format(kind, f"%x = {line}"), [a, a])["%x"] == wanted


def test_false_and_unknown_is_false_and_true_and_unknown_is_not_known():
    lines = ("%x = arith.andi %a, %b : i1", "%y = arith.andi %b, %a : i1", "%z = arith.ori %a, %b : i1")
    text = SCALAR.format("i1", "\n".join(lines))
    unknown = Unknown("loaded")
    assert [evaluated(text, [0, unknown])[name] for name in ("%x", "%y", "%z")] == [0, 0, unknown]
    assert [evaluated(text, [1, unknown])[name] for name in ("%x", "%y", "%z")] == [unknown] * 3


def test_a_flag_that_differs_between_programs_settles_nothing_unless_it_is_false_in_all():
    text, unknown = SCALAR.format("i1", "%x = arith.andi %a, %b : i1"), Unknown("loaded")
    assert evaluated(text, [np.array([1, 0, 0, 1, 1]), unknown])["%x"] == unknown
    assert not np.any(evaluated(text, [np.zeros(5, int), unknown])["%x"])


def test_and_of_integers_with_zero_is_no_short_cut_for_what_is_unknown():
    unknown = Unknown("loaded")
    assert evaluated(SCALAR.format("i32", "%x = arith.andi %a, %b : i32"), [0, unknown])["%x"] == unknown


@pytest.mark.parametrize(("element", "size"), [("i1", 1), ("i8", 1), ("f16", 2), ("f32", 4), ("i64", 8)])
def test_a_pointer_moves_by_elements(element: str, size: int):
    moved = f"%x = tt.addptr %a, %c : !tt.ptr<{element}>, i32"
    text = SCALAR.format(f"!tt.ptr<{element}>", f"%c = arith.constant 5 : i32\n{moved}")
    assert evaluated(text, [1000, 0])["%x"] == 1000 + 5 * size


@pytest.mark.parametrize(
    ("number", "known"),
    [
        (-(1 << 63), -(1 << 63)),
        ((1 << 63) - 1, (1 << 63) - 1),
        ((1 << 64) - 1, -1),
        (1 << 64, None),
        (10**40, None),
    ],
)
def test_a_constant_is_a_number_of_64_bits_or_unknown(number: int, known: int | None):
    text = (
        "module { tt.func @f() { %a = arith.constant "
        f"dense<{number}> : tensor<4xi64> loc(unknown) tt.return loc(unknown) }} }}"
    )
    (value,) = evaluated(text, []).values()
    if known is None:
        assert isinstance(value, Unknown)
    else:
        assert isinstance(value, Lanes)
        assert {int(one) for one in np.ravel(value.table + np.asarray(value.base, np.int64))} == {known}
