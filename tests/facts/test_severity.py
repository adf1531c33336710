"""Severity follows the time that is predicted to be lost."""

from __future__ import annotations

import pytest

from gluon_inspect.facts.severity import severity_of
from gluon_inspect.model.finding import Severity


@pytest.mark.parametrize(
    ("lost", "wasteful", "expected"),
    [
        (0.0, True, Severity.NOTE),
        (0.009, False, Severity.NOTE),
        (0.04, True, Severity.WARNING),
        (0.06, False, Severity.WARNING),
        (0.06, True, Severity.ERROR),
        (0.3, False, Severity.ERROR),
    ],
)
def test_a_loss_has_its_severity(lost, wasteful, expected):
    assert severity_of(lost, Severity.ERROR, wasteful=wasteful) is expected


@pytest.mark.parametrize("unpredicted", list(Severity))
def test_without_a_prediction_the_pattern_alone_decides(unpredicted):
    assert severity_of(None, unpredicted, wasteful=True) is unpredicted
