"""What tells the launches of a kernel from each other, and which of them have the same to be said."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from gluon_inspect.model.artifact import DescriptorArgument
from gluon_inspect.model.explanation import KernelExplanation
from gluon_inspect.model.report import KernelReport
from gluon_inspect.wording.arguments import argument
from gluon_inspect.wording.layouts import short_layout

_MOST = 3
"""Differences that are named."""


@dataclass(frozen=True, slots=True)
class Told:
    """An explanation, and how the launches that it is of differ from others; empty where there are none."""

    explanation: KernelExplanation
    launches: tuple[str, ...]


def told_once(explanations: Sequence[KernelExplanation]) -> list[Told]:
    """One for each launch; those of a kernel with nothing to mend and the same to be said are told together."""
    groups: dict[object, list[int]] = {}
    for index, each in enumerate(explanations):
        groups.setdefault(index if each.items or each.proposals else _all_that_is_said(each), []).append(index)
    names = differences([each.report for each in explanations])
    return [
        Told(explanations[first], tuple(names[index] for index in (first, *rest) if names[index]))
        for first, *rest in groups.values()
    ]


def _all_that_is_said(explanation: KernelExplanation) -> object:
    report = explanation.report
    return report.name, report.kernel.target, report.launch.grid, explanation.verdict, explanation.limits


def differences(reports: Sequence[KernelReport]) -> list[str]:
    """Of each launch, in what it differs from another one of its kernel; empty where there is no other."""
    found: list[str] = []
    for report in reports:
        others = [
            each for each in reports if (each.name, each.kernel.target) == (report.name, report.kernel.target)
        ]
        named = _differing(_shapes_and_constants, report, others) or _differing(_numbers, report, others)
        found.append(", ".join(f"{name}={value}" for name, value in list(named.items())[:_MOST]))
    return found


_Facts = Callable[[KernelReport], Mapping[str, str]]


def _differing(facts: _Facts, report: KernelReport, others: Sequence[KernelReport]) -> Mapping[str, str]:
    known = [facts(other) for other in others]
    return {
        name: value for name, value in facts(report).items() if any(other.get(name) != value for other in known)
    }


def _shapes_and_constants(report: KernelReport) -> Mapping[str, str]:
    given = report.launch.arguments.items()
    return {
        **{name: argument(value) for name, value in given if not isinstance(value, int)},
        **{f"{n}.layout": short_layout(v.layout) for n, v in given if isinstance(v, DescriptorArgument)},
        **{name: short_layout(text) for name, text in report.kernel.constexprs.items()},
        "num_warps": str(report.num_warps),
    }


def _numbers(report: KernelReport) -> Mapping[str, str]:
    """Sizes and strides of the tensors, mostly."""
    return {name: argument(value) for name, value in report.launch.arguments.items() if isinstance(value, int)}
