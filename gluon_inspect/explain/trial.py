"""Proposals put to the test: the script is recorded again with the layout replaced, and inspected again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gluon_inspect.errors import InspectError
from gluon_inspect.explain.costs import kernel_seconds
from gluon_inspect.explain.counterfactual import WhatIf
from gluon_inspect.model.access import Access, Space
from gluon_inspect.model.explanation import Effect, KernelExplanation, Proposal, ProposalStatus
from gluon_inspect.model.report import KernelReport
from gluon_inspect.workflow.inspection import inspect_substituted
from gluon_inspect.workflow.request import Request


def checked(explanation: KernelExplanation, request: Request) -> KernelExplanation:
    """The explanation with its best proposal compiled and inspected, if it can be substituted.

    The other proposals stay "predicted, not compiled". A proposal whose compilation fails, or that moves no
    fewer sectors, is marked as tried and not better.
    """
    report = explanation.report
    best = next((p for p in explanation.proposals if p.substitutions), None)
    if best is None:
        return explanation
    tried = _tried(best, report, request)
    return replace(explanation, proposals=tuple(tried if p is best else p for p in explanation.proposals))


def _tried(proposal: Proposal, report: KernelReport, request: Request) -> Proposal:
    kernel = report.kernel
    changes = [
        (kernel.name, parameter, kernel.constexprs[parameter], layout)
        for parameter, layout in proposal.substitutions.items()
    ]
    try:
        found = inspect_substituted(request, kernel.target, changes).kernels
    except InspectError as error:
        return replace(proposal, status=ProposalStatus.REJECTED, note=f"it did not compile: {error.message}")
    after = same_launch(report, found)
    if after is None or after.kernel.error:
        why = after.kernel.error.splitlines()[0] if after is not None and after.kernel.error else "not launched"
        return replace(proposal, status=ProposalStatus.REJECTED, note=f"tried: {why}")
    effect = _effect(report, after)
    better = effect.speedup is not None and effect.speedup > 1
    status = ProposalStatus.CHECKED if better else ProposalStatus.REJECTED
    return replace(proposal, effect=effect, status=status)


def same_launch(before: KernelReport, found: Sequence[KernelReport]) -> KernelReport | None:
    """The launch of the same kernel on the same grid and shapes that has the substituted layout."""
    for report in found:
        same_kernel = report.name == before.name and report.launch.grid == before.launch.grid
        if same_kernel and _shapes(report) == _shapes(before):
            return report
    return None


def _shapes(report: KernelReport) -> list[object]:
    values = report.launch.arguments.values()
    return [(getattr(v, "shape", v), getattr(v, "strides", None)) for v in values]


def _effect(before: KernelReport, after: KernelReport) -> Effect:
    what_if = WhatIf(before)
    return Effect(
        _sectors(before.accesses),
        _sectors(after.accesses),
        kernel_seconds(what_if, before.accesses),
        kernel_seconds(what_if, after.accesses),
    )


def _sectors(accesses: Sequence[Access]) -> int | None:
    known = [access.sectors for access in accesses if access.space is Space.GLOBAL]
    return None if None in known else sum(sectors or 0 for sectors in known)
