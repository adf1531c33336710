from __future__ import annotations

import unicodedata
from dataclasses import replace

import pytest

from gluon_inspect.model.finding import Column, Table
from gluon_inspect.model.report import Clock, Report
from gluon_inspect.report import Style
from gluon_inspect.report.text import render
from tests.report import samples

DETAILS = Style(100, details=True)


def test_the_verdict_stands_before_the_findings_and_these_before_the_tables():
    text = render(samples.ordinary(), DETAILS)
    order = [
        "1 problem in 2 kernels",
        "━━ copy_2d  cuda:90",
        "1 error, 1 warning; 12% of",
        "error[GI101] uncoalesced-access",
        "Memory accesses",
        "coverage: 18 of 20",
    ]
    places = [text.index(part) for part in order]
    assert places == sorted(places)


def test_a_finding_shows_its_line_with_a_caret_below_the_column():
    lines = render(samples.ordinary(), DETAILS).split("\n")
    at = lines.index("  --> copy_2d.py:7:13")
    assert lines[at + 1] == "7 |     value = gl.load(src + offsets)"
    assert lines[at + 2].index("^") == lines[at + 1].index("gl.load")


def test_tabs_do_not_move_the_caret():
    report = samples.ordinary()
    kernel = replace(report.kernels[0], findings=report.kernels[0].findings[1:])
    lines = render(replace(report, kernels=(kernel,)), DETAILS).split("\n")
    at = lines.index("  --> copy_2d.py:8:2")
    assert lines[at + 2].index("^") == lines[at + 1].index("gl.store")


@pytest.mark.parametrize("width", [60, 80, 100, 140, 200])
def test_no_line_is_wider_than_the_terminal(width: int):
    assert max(len(line) for line in render(samples.ordinary(), Style(width, details=True)).split("\n")) <= width


def test_at_80_columns_no_number_is_cut():
    text = render(samples.ordinary(), Style(80, details=True))
    table = text[text.index("Memory accesses") : text.index("registers:")]
    assert "…" not in table
    assert "131.1k" in table


def test_no_colour_without_leave_and_colour_with_it():
    assert "\x1b" not in render(samples.ordinary(), Style(100, colour=False, details=True))
    assert "\x1b[1;31merror[GI101]" in render(samples.ordinary(), Style(100, colour=True, details=True))


def test_hostile_text_reaches_the_terminal_as_visible_characters_only():
    text = render(samples.hostile(), DETAILS)
    bad = {character for character in text if unicodedata.category(character) in ("Cc", "Cf")} - {"\n"}
    assert not bad
    assert "[bold]" in text
    assert "\\x1b[31m" in text


def test_a_name_of_ten_thousand_characters_is_cut():
    text = render(samples.hostile("n" * 10_000), Style(80, details=True))
    assert "n…" in text
    assert max(len(line) for line in text.split("\n")) <= 80


def test_unknown_is_said_and_never_shown_as_zero():
    text = render(samples.ordinary(), DETAILS)
    row = next(line for line in text.split("\n") if line.startswith("     8  store "))
    assert row.split()[-4:] == ["?", "?", "?", "unknown"]
    assert "line 8: the index comes from memory" in text
    assert "occupancy: unknown" in text


def test_a_kernel_that_did_not_compile_says_what_the_compiler_said():
    text = render(samples.broken(), DETAILS)
    assert "error: not compiled" in text
    assert "no such layout" in text


def test_an_empty_report_is_not_a_clean_one():
    assert render(samples.empty()).strip() == "0 kernels, 0 launches: nothing was inspected"


def test_problems_and_gaps_are_listed():
    text = render(samples.ordinary(), DETAILS)
    assert "not understood: tt.strange x2" in text
    assert "problem: live registers: not analysed" in text


def test_a_wide_text_column_gives_way_to_the_numbers():
    kernel = samples.ordinary().kernels[0]
    columns = (Column("tensor"), Column("registers a program", "right"), Column("layout"))
    table = Table("waste", "Waste", columns, (("value", 123_456_789, "layout" * 40),))
    text = render(Report((replace(kernel, tables=(table,)),)), Style(80, details=True))
    row = next(line for line in text.split("\n") if "123,456,789" in line)
    assert row.split()[:2] == ["value", "123,456,789"]
    assert row.endswith("…")


def test_a_measurement_shows_what_moved_and_the_clocks_that_are_known():
    report = samples.ordinary()
    told = replace(
        report.kernels[0].measurement, moved_bytes=4 << 20, moved_gbps=1320.0, sm_clock=Clock(1980, 1965)
    )
    text = render(replace(report, kernels=(replace(report.kernels[0], measurement=told),)), DETAILS)
    assert "1320 GB/s in whole sectors of every request" in text
    assert "SM clock 1,965 MHz" in text
    assert "memory clock" not in text


def test_a_table_without_rows_shows_its_heads():
    report = samples.ordinary()
    empty = Table("empty", "Nothing was seen", (Column("what"), Column("count", "right")), ())
    text = render(replace(report, kernels=(replace(report.kernels[0], tables=(empty,)),)), DETAILS)
    assert "Nothing was seen" in text
