"""Launches of one kernel: told apart by what differs, told together where there is nothing to mend."""

from __future__ import annotations

import json
from dataclasses import replace

from gluon_inspect.explaining.explanation import explain
from gluon_inspect.explaining.launches import told_once
from gluon_inspect.explaining.output import write
from gluon_inspect.explaining.text import as_markdown
from gluon_inspect.model.explanation import Effect, Proposal, ProposalStatus
from tests.explaining.test_explain import ALONG_THE_ROWS, DOWN_THE_ROWS, report_with_constexpr

GOOD, BAD = report_with_constexpr(ALONG_THE_ROWS), report_with_constexpr(DOWN_THE_ROWS)


def with_value(report, name, value):
    launch = replace(report.launch, arguments={**report.launch.arguments, name: value})
    return replace(report, launch=launch)


def test_clean_launches_are_told_together_and_others_by_what_differs():
    found = told_once([explain(each) for each in (GOOD, with_value(GOOD, "nx", 144), BAD)])
    assert [len(each.launches) for each in found] == [2, 1]
    assert all("BlockedLayout([1,4],[1,32],[4,1],[1,0])" in name for name in found[0].launches)
    assert found[1].launches == ("layout=BlockedLayout([1,1],[32,1],[4,1],[1,0])",)


def test_numbers_are_named_where_nothing_else_differs():
    found = told_once([explain(each) for each in (BAD, with_value(BAD, "nx", 144))])
    assert [each.launches for each in found] == [("nx=128",), ("nx=144",)]
    assert told_once([explain(BAD)])[0].launches == ()


def test_json_tells_launches_apart_too(tmp_path):
    file = tmp_path / "explained.json"
    write([explain(each) for each in (GOOD, BAD)], {}, "json", str(file))
    told = [each["launched_with"] for each in json.loads(file.read_text())]
    assert told == [f"layout=BlockedLayout({each},[4,1],[1,0])" for each in ("[1,4],[1,32]", "[1,1],[32,1]")]


def test_two_accesses_name_each_other_and_what_both_lose():
    first, second = (item.cost for item in explain(BAD).items)
    assert "and the load lose together" in first + second
    assert "and the store lose together" in first + second


def test_what_was_tried_in_vain_is_one_line():
    tried = Proposal("a", ("layout = x", "much more"), Effect(1, 1, 1.0, 1.04), ProposalStatus.REJECTED)
    text = as_markdown(replace(explain(GOOD), proposals=(tried,)), {})
    assert "- a: `layout = x`; expected time 4% longer" in text
    assert "much more" not in text
    assert "What to change" not in text
