from __future__ import annotations

from dataclasses import replace

import pytest

from gluon_inspect.model.report import Report
from gluon_inspect.project.suppressions import suppressed, suppressions
from tests.report import samples


def with_lines(*changes: tuple[int, str]) -> Report:
    report = samples.ordinary()
    lines = report.sources["copy_2d.py"].split("\n")
    for line, comment in changes:
        lines[line - 1] += comment
    return replace(report, sources={"copy_2d.py": "\n".join(lines)})


def lines_of(report: Report) -> list[int]:
    return [finding.location.line for finding in report.kernels[0].findings if finding.location]


@pytest.mark.parametrize("rule", ["GI101", "uncoalesced-access", "GI999, GI101"])
def test_a_comment_at_the_line_ignores_its_rule_there(rule: str):
    report = suppressed(with_lines((7, f"  # gluon-inspect: ignore[{rule}] the input is tiny")))
    assert lines_of(report) == [8]
    assert "1 finding is ignored by a comment" in report.notes


def test_a_comment_on_its_own_line_speaks_of_the_next():
    report = samples.ordinary()
    source = report.sources["copy_2d.py"].replace("def copy_2d", "# gluon-inspect: ignore[GI101]\ndef copy_2d")
    found = suppressions({"f": source})
    assert [(one.line, one.at) for one in found] == [(7, 6)]


def test_a_file_wide_comment_ignores_the_rule_everywhere():
    report = suppressed(with_lines((1, "  # gluon-inspect: ignore-file[GI101] generated")))
    assert lines_of(report) == []
    assert "2 findings are ignored by comments" in report.notes


def test_what_suppresses_nothing_is_said():
    report = suppressed(
        with_lines((2, "  # gluon-inspect: ignore[GI101]"), (7, "  # gluon-inspect: ignore[GI102]"))
    )
    assert lines_of(report) == [7, 8]
    assert "copy_2d.py:2: ignore[GI101] suppresses nothing" in report.notes
    assert "copy_2d.py:7: ignore[GI102] suppresses nothing" in report.notes


def test_only_comments_count():
    assert suppressions({"f": 'text = "# gluon-inspect: ignore[GI101]"\n'}) == ()


def test_source_that_is_not_python_is_left_alone():
    assert suppressions({"f": "'''\n# gluon-inspect: ignore[GI101]"}) == ()


def test_reasons_are_kept():
    assert suppressions({"f": "x = 1  # gluon-inspect: ignore[GI101] cold path\n"})[0].reason == "cold path"
