"""Search in lines."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gluon_inspect.tui.search import find

LINES = ("tt.load %a", "tt.store", "Tt.Load twice tt.load", "")


def test_lower_case_finds_any_case_and_upper_case_does_not():
    assert find(LINES, "tt.load").lines == (0, 2)
    assert find(LINES, "Tt.Load").lines == (2,)
    assert list(find(LINES, "tt.load").spans(LINES[2])) == [(0, 7), (14, 21)]


def test_steps_go_around_both_ends():
    hits = find(LINES, "tt.load")
    assert hits.next_from(0, forward=True) == 2
    assert hits.next_from(2, forward=True) == 0
    assert hits.next_from(0, forward=False) == 2
    assert find(LINES, "nowhere").next_from(0, forward=True) is None


def test_the_summary_counts_from_one():
    hits = find(LINES, "tt")
    assert [hits.summary(line) for line in hits.lines] == ["1 of 3", "2 of 3", "3 of 3"]
    assert find(LINES, "nowhere").summary(0) == "not found"
    assert find(LINES, "").summary(0) == ""


@given(st.lists(st.text("abAB", max_size=6), max_size=6), st.text("abAB", min_size=1, max_size=2))
def test_hits_are_the_lines_with_spans(lines: list[str], text: str):
    hits = find(lines, text)
    assert list(hits.lines) == [n for n, line in enumerate(lines) if list(hits.spans(line))]
