"""What to write instead of the worst, put into the report: known without compiling anything."""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile

from gluon_inspect.bulkheads import Fault, contained
from gluon_inspect.explaining.explanation import explain
from gluon_inspect.model.explanation import Proposal
from gluon_inspect.model.finding import Replacement
from gluon_inspect.model.report import KernelReport, Report
from gluon_inspect.verdict.problems import Problem, problems

MOST_KERNELS = 3
"""Kernels whose layouts are searched, each in some tenths of a second, of those that have the worst problems."""
_OF_LAYOUTS = ("GI1", "GI2", "GI301", "GI4")
"""Rules that another layout may mend, by the beginning of their codes."""


def with_replacements(report: Report) -> Report:
    """The report with a replacement in the worst finding about layouts of each of the first few kernels."""
    wanted: dict[int, Problem] = {}
    for problem in problems(report):
        if problem.is_shown and problem.finding.rule.startswith(_OF_LAYOUTS) and len(wanted) < MOST_KERNELS:
            wanted.setdefault(id(problem.first.kernel), problem)
    kernels = (
        _with_replacement(kernel, wanted[id(kernel)]) if id(kernel) in wanted else kernel
        for kernel in report.kernels
    )
    return replace(report, kernels=tuple(kernels)) if wanted else report


def _with_replacement(kernel: KernelReport, problem: Problem) -> KernelReport:
    own = problem.finding
    found = contained(f"{kernel.name}, {kernel.launch.id}: explain", lambda: explain(kernel, finding=own.id))
    if isinstance(found, Fault):
        return replace(kernel, faults=(*kernel.faults, found))
    best = next((each for each in found.proposals if each.effect and (each.effect.speedup or 0.0) > 1.0), None)
    if best is None:
        return kernel
    changed = replace(own, replacement=_replacement(best))
    return replace(kernel, findings=tuple(changed if each is own else each for each in kernel.findings))


def _replacement(proposal: Proposal) -> Replacement:
    """Without what follows the first empty line: other ways to write the same."""
    source = tuple(takewhile(str.strip, proposal.source))
    effect = proposal.effect
    before, after = (effect.seconds_before, effect.seconds_after) if effect else (None, None)
    return Replacement(proposal.title, source, before, after)
