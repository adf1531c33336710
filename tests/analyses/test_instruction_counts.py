from dataclasses import replace

from gluon_inspect.analyses.instruction_counts import run
from tests.analyses.facts import NOTHING, sass

FACTS = sass(
    (7, "LDG.E.128.CONSTANT R4, [R2]"), (7, "IMAD.WIDE R2, R3, R4, R6"), (7, "@!PT LDS RZ, [RZ]"),
    (8, "FADD R4, R4, R5"), (9, "STG.E.128 [R2], R4"), (9, "LDG.E.128 R4, [R2]"), (10, "EXIT"),
)  # fmt: skip


def test_totals_by_kind_and_width():
    table = run(FACTS).tables[0]
    assert table.rows == (
        ("global memory", "LDG.E.128", 2),
        ("global memory", "STG.E.128", 1),
        ("control flow", "", 1),
        ("arithmetic", "", 2),
    )


def test_lines_that_only_compute_are_left_out():
    table = run(FACTS).tables[1]
    assert table.rows == (
        ("k.py:7", "LDG.E.128", 1),
        ("k.py:7", "others", 1),
        ("k.py:9", "LDG.E.128", 1),
        ("k.py:9", "STG.E.128", 1),
    )
    assert [place.line for place in table.locations] == [7, 7, 9, 9]


def test_executed_counts_stand_beside_the_static_ones():
    table = run(replace(FACTS, instructions_executed={"LDG.E.128": 640})).tables[0]
    assert table.columns[-1].title == "executed"
    assert [row[-1] for row in table.rows] == [640, None, None, None]


def test_without_assembly_there_is_no_table():
    assert run(NOTHING).tables == ()
