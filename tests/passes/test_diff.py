from __future__ import annotations

import re

from gluon_inspect.passes.diff import difference
from gluon_inspect.passes.normalised import normalised
from tests.passes.dumps import kernel

LOADED = kernel("""
%0 = tt.splat %p : !tt.ptr<f32> -> tensor<8x8x!tt.ptr<f32>, #rows>
%1 = tt.load %0 : tensor<8x8x!tt.ptr<f32>, #rows>
%2 = arith.addf %1, %1 : tensor<8x8xf32, #rows>
tt.store %0, %2 : tensor<8x8x!tt.ptr<f32>, #rows>
""")
CONVERTED = kernel("""
%0 = tt.splat %p : !tt.ptr<f32> -> tensor<8x8x!tt.ptr<f32>, #rows>
%1 = tt.load %0 : tensor<8x8x!tt.ptr<f32>, #rows>
%2 = ttg.convert_layout %1 : tensor<8x8xf32, #rows> -> tensor<8x8xf32, #rows>
%3 = arith.addf %2, %1 : tensor<8x8xf32, #rows>
tt.store %0, %3 : tensor<8x8x!tt.ptr<f32>, #rows>
""")


def signed(before: str, after: str) -> list[str]:
    return [f"{line.sign} {line.text.strip()}" for line in difference(before, after) if line.sign != " "]


def renamed(text: str) -> str:
    return re.sub(r"%(\d)", r"%value_1\1", text)


def test_names_places_and_aliases_are_no_difference():
    moved = re.sub(r'"k.py":(\d+):5', r'"k.py":9\1:1', LOADED)
    other = renamed(moved).replace("#rows", "#blocked3")
    assert normalised(other) == normalised(LOADED)
    assert difference(LOADED, other) == ()


def test_other_operands_are_a_difference_though_the_lines_look_alike():
    swapped = LOADED.replace("addf %1, %1", "addf %1, %0")
    assert normalised(swapped) != normalised(LOADED)
    assert [line[0] for line in signed(LOADED, swapped)] == ["-", "+"]


def test_an_inserted_operation_shifts_no_name():
    found = signed(LOADED, renamed(CONVERTED))
    assert [line for line in found if line.startswith("-")] == [
        "- %2 = arith.addf %1, %1 : tensor<8x8xf32, " + SHORT + ">"
    ]
    assert len(found) == 3
    assert not any("tt.store" in line for line in found)


def test_layouts_are_written_short():
    assert SHORT in signed(LOADED, CONVERTED)[0]


def test_moved_constants_are_no_difference():
    one = kernel("%a = arith.constant 1 : i32\n%b = arith.constant 2 : i32\n%c = arith.addi %a, %b : i32")
    other = kernel("%b = arith.constant 2 : i32\n%a = arith.constant 1 : i32\n%c = arith.addi %a, %b : i32")
    assert difference(one, other) == ()
    assert signed(one, other.replace("addi %a, %b", "addi %b, %a")) != []


def test_context_is_short_and_gaps_are_marked():
    body = [f"%v{at} = arith.constant {at} : i32\n%w{at} = arith.addi %v{at}, %v{at} : i32" for at in range(12)]
    changed = [*body]
    changed[1] = changed[1].replace("addi", "muli")
    changed[10] = changed[10].replace("addi", "muli")
    found = difference(kernel("\n".join(body)), kernel("\n".join(changed)))
    assert [line.text for line in found].count("…") == 1
    assert len(found) < 20


SHORT = "blocked([1,4],[4,8],[4,1],[1,0])"
