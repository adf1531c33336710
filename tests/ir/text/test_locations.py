from __future__ import annotations

import pytest

from gluon_inspect import parse_mlir
from gluon_inspect.errors import ParseError
from gluon_inspect.model.location import Location

from .modules import COPY


def located(body: str, after: str = "") -> Location | None:
    return parse_mlir(f"my.op {body}\n{after}").operations[0].location


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('loc("a.py":3:4)', Location("a.py", 3, 4)),
        ("loc(unknown)", None),
        ('loc("x")', None),
        ('loc("x"("a.py":3:4))', Location("a.py", 3, 4, "x")),
        ('loc("x"(unknown))', None),
        ('loc("a.py":3:4 to :5:6)', Location("a.py", 3, 4)),
        ('loc(callsite("a.py":3:4 at "b.py":5:6))', Location("a.py", 3, 4, "", (Location("b.py", 5, 6),))),
        ('loc(callsite(callsite("a.py":3:4 at "b.py":5:6) at callsite("c.py":7:8 at "d.py":9:1)))',
         Location("a.py", 3, 4, "", (Location("b.py", 5, 6), Location("c.py", 7, 8), Location("d.py", 9, 1)))),
        ('loc("v"(callsite("a.py":3:4 at "b.py":5:6)))', Location("a.py", 3, 4, "v", (Location("b.py", 5, 6),))),
        ('loc(callsite(unknown at "b.py":5:6))', Location("b.py", 5, 6)),
        ('loc(fused[unknown, "a.py":3:4, "b.py":5:6])', Location("a.py", 3, 4)),
        ('loc(fused<#llvm.di_subprogram<id = distinct[0]<>, name = "k">>["a.py":3:4])', Location("a.py", 3, 4)),
        ('loc("quo\\22ted.py":3:4)', Location('quo"ted.py', 3, 4)),
        ('loc("with) paren.py":3:4)', Location("with) paren.py", 3, 4)),
        ('loc(callsite(callsite(callsite(callsite(callsite("a":1:2 at "b":1:2) at "c":1:2) at "d":1:2) at "e":1:2)'
         ' at "f":1:2))',
         Location("a", 1, 2, "", tuple(Location(name, 1, 2) for name in "bcdef"))),
    ],
)  # fmt: skip
def test_forms(text: str, expected: Location | None):
    assert located(text) == expected


def test_aliases_may_come_later_and_stand_on_each_other():
    after = '#loc1 = loc("x"(#loc2))\n#loc2 = loc(callsite(#loc3 at #loc4))\n#loc3 = loc("a.py":3:4)\n'
    after += '#loc4 = loc("b.py":5:6)\n'
    assert located("loc(#loc1)", after) == Location("a.py", 3, 4, "x", (Location("b.py", 5, 6),))


def test_metadata_of_a_fused_location_is_no_location():
    after = '#di = #llvm.di_file<"a">\n#loc1 = loc(fused<#di>[#loc2])\n#loc2 = loc("a.py":3:4)\n'
    assert located("loc(#loc1)", after) == Location("a.py", 3, 4)


def test_columns_counted_from_zero_become_one_based():
    operations = [op for op in parse_mlir(COPY).walk() if op.name in ("tt.get_program_id", "arith.muli")]
    assert operations[0].location == Location("kernel.py", 5, 12)
    assert operations[1].location == Location("kernel.py", 5, 12, "", (Location("caller.py", 9, 3),))


def test_columns_counted_from_one_stay():
    assert parse_mlir(COPY.replace('"kernel.py":3:0', '"kernel.py":3:1')).functions[0].location == Location(
        "kernel.py", 3, 1
    )


def test_an_unknown_place_of_a_file_does_not_make_it_zero_based():
    assert located('loc("a.py":3:4)', '#loc = loc("a.py":0:0)\n') == Location("a.py", 3, 4)


def test_a_very_long_chain_of_aliases_is_walked():
    lines = [f'#l{at} = loc("n"(#l{at + 1}))' for at in range(20_000)] + ['#l20000 = loc("a.py":3:4)']
    found = located("loc(#l0)", "\n".join(lines) + "\n")
    assert found == Location("a.py", 3, 4, "n")


def test_call_sites_that_double_stay_bounded():
    lines = ['#l0 = loc("a.py":3:4)'] + [f"#l{at + 1} = loc(callsite(#l{at} at #l{at}))" for at in range(60)]
    found = located("loc(#l60)", "\n".join(lines) + "\n")
    assert found is not None
    assert len(found.callers) == 64


@pytest.mark.parametrize(
    "text",
    [
        "my.op loc(#missing)",
        "my.op loc(#a)\n#a = loc(#a)",
        'my.op loc(#a)\n#a = loc("x"(#b))\n#b = loc("y"(#a))',
        "my.op loc(3)",
        'my.op loc("a.py":3:4',
        "my.op loc(#a)\n#a = 3 : i32",
    ],
)
def test_locations_that_cannot_be(text: str):
    with pytest.raises(ParseError):
        parse_mlir(text)
