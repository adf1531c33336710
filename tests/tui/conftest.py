"""What many tests share: applications that go on from one to the next, and kernels explained once."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from gluon_inspect.model.report import KernelReport, Report
from gluon_inspect.tui import insight
from tests.tui import samples
from tests.tui.piloting import Desk

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


def at_desk(report: Report, size: tuple[int, int] = (100, 36)) -> Iterator[Desk]:
    found = Desk(report, size)
    yield found
    found.close()


@pytest.fixture(scope="session")
def desk() -> Iterator[Desk]:
    yield from at_desk(samples.small())


@pytest.fixture(scope="session")
def wide() -> Iterator[Desk]:
    yield from at_desk(samples.small(), (200, 60))


@pytest.fixture(scope="session")
def narrow() -> Iterator[Desk]:
    yield from at_desk(samples.small(), (80, 24))


@pytest.fixture(scope="session")
def judged() -> Iterator[Desk]:
    yield from at_desk(samples.inspected())
