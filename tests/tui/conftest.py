"""What many sittings share: each kernel is explained once."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gluon_inspect.model.report import KernelReport
from gluon_inspect.tui import insight

_REAL = insight.insight_of


@pytest.fixture(scope="session")
def explained() -> Callable[[KernelReport], insight.Insight]:
    """The real explanation, remembered by the kernel's identity: the samples are made once a session."""
    found: dict[int, insight.Insight] = {}

    def insight_of(kernel: KernelReport) -> insight.Insight:
        if id(kernel) not in found:
            found[id(kernel)] = _REAL(kernel)
        return found[id(kernel)]

    return insight_of


@pytest.fixture(autouse=True)
def explanations(monkeypatch: pytest.MonkeyPatch, explained: Callable[[KernelReport], insight.Insight]) -> None:
    """Every sitting takes what is known already; the insight holds its kernel, so that no id comes twice."""
    monkeypatch.setattr(insight, "insight_of", explained)
