"""Markdown: the analyses' tables are drawn as far as a comment has room, findings always."""

from __future__ import annotations

from dataclasses import replace

from gluon_inspect.model.finding import Column, Table
from gluon_inspect.report import markdown
from tests.report import samples


def _table(rows: int) -> Table:
    columns = (Column("what"), Column("number", "right", "B"))
    return Table(
        "numbers", "Some numbers", columns, tuple((f"row {n}", n or None) for n in range(rows)), (), "a note"
    )


def _report(rows: int, kernels: int):
    report = samples.ordinary()
    (*_, last) = report.kernels
    return replace(report, kernels=(replace(last, tables=(_table(rows),)),) * kernels)


def test_a_table_has_its_unit_its_gaps_and_its_note():
    text = markdown.render(_report(2, 1))
    table = text[text.index("**Some numbers**") :].split("\n\n- ")[0]
    assert table.split("\n")[2:6] == ["| what | number (B) |", "|---|--:|", "| row 0 | unknown |", "| row 1 | 1 |"]
    assert "a note" in table


def test_rows_beyond_the_limit_are_counted():
    assert "\n5 more rows, in the JSON report\n" in markdown.render(_report(25, 1))


def test_tables_never_push_a_finding_out():
    many = _report(20, 100)
    bare = replace(many, kernels=tuple(replace(kernel, tables=()) for kernel in many.kernels))
    text = markdown.render(many)
    assert len(text) <= markdown.LIMIT_CHARACTERS + 200
    assert text.count("<details>") == markdown.render(bare).count("<details>")
    assert "Its tables are left out here." in text
