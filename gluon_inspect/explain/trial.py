"""Proposals put to the test: the script is recorded again with the change made, and inspected again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gluon_inspect.errors import InspectError
from gluon_inspect.explain.costs import seconds_before
from gluon_inspect.explain.counterfactual import WhatIf
from gluon_inspect.explain.patch import patched_source
from gluon_inspect.model.access import Access, Space
from gluon_inspect.model.explanation import Effect, KernelExplanation, Proposal, ProposalStatus
from gluon_inspect.model.report import KernelReport, Report
from gluon_inspect.workflow.inspection import inspect_rewritten, inspect_substituted
from gluon_inspect.workflow.request import Request


def checked(
    explanation: KernelExplanation, request: Request, sources: Mapping[str, str] | None = None
) -> KernelExplanation:
    """The explanation with its best proposal compiled and inspected, if it can be substituted or patched.

    The other proposals stay "predicted, not compiled", and so does one whose changed script cannot be run. A
    proposal whose compilation fails, or that is expected to take no less time, is marked as tried and not better.
    """
    report, files = explanation.report, sources or {}
    best = next((p for p in explanation.proposals if p.substitutions or patched_source(p, report, files)), None)
    if best is None:
        return explanation
    tried = _tried(best, report, request, files)
    return replace(explanation, proposals=tuple(tried if p is best else p for p in explanation.proposals))


def _tried(proposal: Proposal, report: KernelReport, request: Request, sources: Mapping[str, str]) -> Proposal:
    try:
        found = _compiled(proposal, report, request, sources).kernels
    except InspectError as error:
        if not proposal.substitutions:
            return replace(proposal, note=f"a changed copy of the script could not be run: {error.message}")
        return replace(proposal, status=ProposalStatus.REJECTED, note=f"it did not compile: {error.message}")
    after = same_launch(report, found, same_grid=not proposal.changes_grid)
    if after is None or after.kernel.error:
        why = after.kernel.error.splitlines()[0] if after is not None and after.kernel.error else "not launched"
        return replace(proposal, status=ProposalStatus.REJECTED, note=f"tried: {why}")
    if _moved(after) != _moved(report):
        why = "the script computes the grid itself: change it with the constants, then compile"
        return replace(proposal, note=why)
    effect = _effect(report, after)
    better = effect.speedup is not None and effect.speedup > 1
    status = ProposalStatus.CHECKED if better else ProposalStatus.REJECTED
    return replace(proposal, effect=effect, status=status, after=after)


def _compiled(proposal: Proposal, report: KernelReport, request: Request, sources: Mapping[str, str]) -> Report:
    kernel = report.kernel
    text = patched_source(proposal, report, sources)
    if text is not None:
        return inspect_rewritten(request, kernel.target, text, kernel.name)
    given = {"num_warps": str(report.num_warps), **kernel.constexprs}
    changes = [
        (kernel.name, parameter, given[parameter], new) for parameter, new in proposal.substitutions.items()
    ]
    return inspect_substituted(request, kernel.target, changes)


def _moved(report: KernelReport) -> list[int | None]:
    """Distinct bytes of each global access, whatever the order of the launch's programs."""
    return [access.bytes_unique for access in report.accesses if access.space is Space.GLOBAL]


def same_launch(
    before: KernelReport, found: Sequence[KernelReport], *, same_grid: bool = True
) -> KernelReport | None:
    """The launch of the same kernel on the same grid and shapes that has the substituted layout."""
    for report in found:
        grids = not same_grid or report.launch.grid == before.launch.grid
        if report.name == before.name and grids and _shapes(report) == _shapes(before):
            return report
    return None


def _shapes(report: KernelReport) -> list[object]:
    values = report.launch.arguments.values()
    return [(getattr(v, "shape", v), getattr(v, "strides", None)) for v in values]


def _effect(before: KernelReport, after: KernelReport) -> Effect:
    return Effect(
        _sectors(before.accesses),
        _sectors(after.accesses),
        seconds_before(WhatIf(before)),
        seconds_before(WhatIf(after)),
    )


def _sectors(accesses: Sequence[Access]) -> int | None:
    known = [access.sectors for access in accesses if access.space is Space.GLOBAL]
    return None if None in known else sum(sectors or 0 for sectors in known)
