from __future__ import annotations

import pytest

from gluon_inspect.errors import UsageError
from gluon_inspect.workflow.inspected import Inspected
from tests.report import samples

REPORT = Inspected.of(samples.ordinary())


def test_accesses_by_line_and_direction():
    assert REPORT.access(line=8).direction == "store"
    assert REPORT.access(line=7, space="shared").wavefronts == 80
    assert len(REPORT.accesses(line=7, direction="load")) == 2


def test_an_access_that_is_not_the_only_one_names_what_there_is():
    with pytest.raises(UsageError, match=r"0 accesses fit, not one .*global load tt.load at copy_2d.py:7:13"):
        REPORT.access(line=99)
    with pytest.raises(UsageError, match="4 accesses fit"):
        REPORT.access()


def test_rules_by_code_and_name():
    assert not REPORT.has_no("GI101")
    assert not REPORT.has_no("uncoalesced-access")
    assert REPORT.has_no("bank-conflict")
    assert [finding.severity for finding in REPORT.found("GI101")] == ["error", "warning"]


@pytest.mark.parametrize("report", [samples.empty(), samples.broken()])
def test_no_rule_is_kept_where_nothing_was_judged(report: object):
    with pytest.raises(UsageError, match="nothing was judged"):
        Inspected.of(report).has_no("GI101")  # type: ignore[arg-type]


def test_notebooks_get_the_page():
    assert REPORT._repr_html_().startswith("<!DOCTYPE html>")
