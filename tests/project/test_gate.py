from __future__ import annotations

import pytest

from gluon_inspect.errors import UsageError
from gluon_inspect.project.gate import parse_gate
from tests.report import samples


@pytest.mark.parametrize(
    ("fail_on", "code"),
    [
        ("error", 1),
        ("warning", 1),
        ("never", 0),
        ("GI101", 1),
        ("uncoalesced-access", 1),
        ("GI102", 0),
        ("GI102,GI101", 1),
        ("never,GI102", 0),
    ],
)
def test_exit_code_of_a_report_with_an_error_of_gi101(fail_on: str, code: int):
    assert parse_gate(fail_on).exit_code(samples.ordinary()) == code


@pytest.mark.parametrize(("fail_on", "code"), [("error", 0), ("warning", 1), ("note", 1)])
def test_severities_count_from_the_named_one_upwards(fail_on: str, code: int):
    assert parse_gate(fail_on).exit_code(samples.many(2)) == code


@pytest.mark.parametrize("fail_on", ["error", "never", "GI102"])
def test_what_could_not_be_compiled_is_never_clean(fail_on: str):
    assert parse_gate(fail_on).exit_code(samples.broken()) == 2


def test_a_word_that_means_nothing_is_refused():
    with pytest.raises(UsageError, match="'errors!' is neither"):
        parse_gate("errors!")
