"""Proposals that change the kernel itself, as a diff of its file and as the file that it becomes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gluon_inspect.fixing.edits import Refused, changed, diff
from gluon_inspect.fixing.patch import Sources, edits_for
from gluon_inspect.model.explanation import KernelExplanation, Proposal
from gluon_inspect.model.report import KernelReport

_CONTEXT = 2
"""Lines around a change."""


def with_patches(explanation: KernelExplanation, sources: Mapping[str, str]) -> KernelExplanation:
    """The explanation with a diff for each proposal that changes the kernel and can be put into its source.

    What a launch passes is shown as what to pass; `gluon-inspect fix` changes that too.
    """
    found = tuple(_with_diff(proposal, explanation.report, sources) for proposal in explanation.proposals)
    return replace(explanation, proposals=found)


def _with_diff(proposal: Proposal, report: KernelReport, sources: Mapping[str, str]) -> Proposal:
    if not _changes_the_kernel(proposal):
        return proposal
    try:
        after = _patched(proposal, report, sources)
    except Refused as refused:
        why = f"not to be changed by itself: {refused.message}"
        return proposal if proposal.note else replace(proposal, note=why)
    return replace(proposal, patch=tuple(line.rstrip("\n") for line in diff(sources, after, _CONTEXT)))


def patched_sources(
    proposal: Proposal, report: KernelReport, sources: Mapping[str, str]
) -> Mapping[str, str] | None:
    """The files that a change of the kernel itself changes; None where it is none, or cannot be put in safely."""
    try:
        return _patched(proposal, report, sources) if _changes_the_kernel(proposal) else None
    except Refused:
        return None


def _changes_the_kernel(proposal: Proposal) -> bool:
    return bool(proposal.layouts or proposal.pairs) and not proposal.substitutions


def _patched(proposal: Proposal, report: KernelReport, sources: Mapping[str, str]) -> Mapping[str, str]:
    return changed(sources, edits_for(proposal, report, Sources(sources)))
