"""Kernels and what their proposals made of them, timed on the GPU that is here, one after the other.

Both are launched from their recordings, with the same made-up data: neither is favoured by what a script does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from gluon_inspect.measure.jobs import of_launches
from gluon_inspect.measure.session import measured
from gluon_inspect.model.explanation import KernelExplanation, Proposal
from gluon_inspect.model.report import KernelReport, Report
from gluon_inspect.model.request import Request, Tell


def with_measurements(
    explanations: Sequence[KernelExplanation], request: Request, tell: Tell
) -> list[KernelExplanation]:
    """The explanations with a measurement at each kernel and each compiled proposal; what is missing is told."""
    asked = Report(tuple(_kernels(explanations)))
    found = measured(asked, of_launches(asked, request.paths[0], request), tell, count=False)
    timed = iter(found.kernels)
    return [_timed(explanation, timed, found.notes) for explanation in explanations]


def _kernels(explanations: Sequence[KernelExplanation]) -> Iterator[KernelReport]:
    for explanation in explanations:
        yield explanation.report
        yield from (proposal.after for proposal in explanation.proposals if proposal.after is not None)


def _timed(
    explanation: KernelExplanation, timed: Iterator[KernelReport], notes: tuple[str, ...]
) -> KernelExplanation:
    """Takes as many kernels as `_kernels` gave of it."""
    report = next(timed)
    proposals = tuple(_proposal(proposal, timed) for proposal in explanation.proposals)
    missing = tuple(problem for problem in report.problems if problem not in explanation.report.problems)
    limits = (*explanation.limits, *notes, *missing)
    return replace(explanation, report=report, proposals=proposals, limits=limits)


def _proposal(proposal: Proposal, timed: Iterator[KernelReport]) -> Proposal:
    return proposal if proposal.after is None else replace(proposal, after=next(timed))
