"""Every number is what it was: the command line's answers on kept inputs, byte by byte.

A difference that is meant: `make golden`, and say in the commit what it shows and why.
"""

from __future__ import annotations

import pytest

from tests.golden.harness import EXPECTED, answers, described, differences, expected, groups


@pytest.mark.parametrize("group", groups())
def test_answers_are_what_they_were(group: str):
    found, kept = answers(group), expected(group)
    wanted = {case: answer for case, answer in kept.items() if case in found}
    if found != wanted:
        told = described(list(differences(wanted, found)))
        pytest.fail(f"{told}\nall of them: python -m scripts.golden --diff {group}", pytrace=False)


def test_no_golden_is_without_a_question():
    kept = {str(file.relative_to(EXPECTED)).removesuffix(".json.gz") for file in EXPECTED.rglob("*.gz")}
    assert kept == set(groups())


def test_a_difference_is_told_by_case_place_and_values():
    old = {"a report": {"code": 0, "out": '{"kernels": [{"sectors": 4, "lines": 1}]}', "err": ""}}
    new = {"a report": {"code": 0, "out": '{"kernels": [{"sectors": 8, "lines": null}]}', "err": ""}}
    found = list(differences(old, new))
    assert found[0] == ("a report", "$.out.kernels[0].sectors", 4, 8)
    assert described(found).splitlines() == [
        "a report",
        "  at $.out.kernels[0].sectors",
        "  was 4",
        "  now 8",
        "and 1 more differences, in 1 cases in all",
    ]


def test_text_that_differs_only_in_how_it_is_written_is_a_difference():
    old = {"a": {"code": 0, "out": '{"a": 1}', "err": ""}}
    new = {"a": {"code": 0, "out": '{"a":  1}', "err": ""}}
    assert [place for _, place, *_ in differences(old, new)] == ["$.out (text)"]
