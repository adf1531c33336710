"""Proposals made true in the source, and kept where all that the script launches is the better for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gluon_inspect.errors import InspectError
from gluon_inspect.explaining.costs import WORTHWHILE
from gluon_inspect.explaining.trial import moved, same_launch, times
from gluon_inspect.fixing.edits import Edits, Refused, changed, joined
from gluon_inspect.fixing.patch import Sources, edits_for
from gluon_inspect.model.explanation import KernelExplanation, Proposal
from gluon_inspect.model.report import KernelReport, Report
from gluon_inspect.model.request import Request, Tell, silent
from gluon_inspect.wording.numbers import duration
from gluon_inspect.workflow.inspection import inspect_rewritten

_WORSE = 1.02
"""Of a launch that is not meant: below it, the model's times say nothing."""


@dataclass(frozen=True, slots=True)
class Fix:
    """A kernel's proposal as edits of files."""

    kernel: KernelReport
    proposal: Proposal
    edits: Edits


@dataclass(frozen=True, slots=True)
class Left:
    """A proposal that is not made true, and why."""

    kernel: KernelReport
    proposal: Proposal
    why: str


@dataclass(frozen=True, slots=True)
class Pair:
    """A launch as it was, and as it is with the fixes; None: it is not launched any more."""

    before: KernelReport
    after: KernelReport | None


@dataclass(frozen=True, slots=True)
class Fixed:
    """What was made true, what was left and why, the files that change, and every launch before and after.

    `is_checked`: the script was compiled and inspected with the changes.
    """

    fixes: tuple[Fix, ...]
    left: tuple[Left, ...]
    texts: Mapping[str, str]
    pairs: tuple[Pair, ...] = ()
    is_checked: bool = False


def possible(explanations: Sequence[KernelExplanation], sources: Sources) -> tuple[list[list[Fix]], list[Left]]:
    """The fixes of each kernel and launch, best first, and the proposals that cannot be edits."""
    found: list[list[Fix]] = []
    left: list[Left] = []
    for each in explanations:
        own: list[Fix] = []
        for proposal in each.proposals:
            try:
                own.append(Fix(each.report, proposal, edits_for(proposal, each.report, sources)))
            except Refused as refused:
                left.append(Left(each.report, proposal, _told(refused)))
        if own:
            found.append(own)
    return found, left


def unchecked(explanations: Sequence[KernelExplanation], sources: Sources) -> Fixed:
    """The first fix of each kernel that goes together with those before it, as predicted."""
    found, left = possible(explanations, sources)
    fixes, apart = _together([own[0] for own in found])
    left += [Left(each.kernel, each.proposal, _APART) for each in apart]
    return Fixed(tuple(fixes), tuple(left), _texts(sources, fixes))


_APART = "it changes the same place as another: fix once more"


def checked(
    report: Report,
    explanations: Sequence[KernelExplanation],
    sources: Sources,
    request: Request,
    tell: Tell = silent,
) -> Fixed:
    """The fixes with which the request's script was compiled and inspected again, and found better.

    First all at once; where that fails, or makes any launch slower, one after the other, each on top of those that
    were kept, the next best of a kernel where its best is not. `report` is that of the script as it is.
    """
    found, left = possible(explanations, sources)
    trial = _Trial(report, sources, request, tell)
    first, apart = _together([own[0] for own in found])
    kept: list[Fix] = []
    pairs = tuple(Pair(kernel, kernel) for kernel in report.kernels)
    if first and not apart:
        outcome = trial.run(first)
        if not isinstance(outcome, str):
            return Fixed(tuple(first), tuple(left), _texts(sources, first), outcome, True)
        if len(first) == 1:
            left.append(Left(first[0].kernel, first[0].proposal, outcome))
            found = [found[0][1:]]
    for own in found:
        for fix in own:
            outcome = trial.run([*kept, fix])
            if not isinstance(outcome, str):
                kept, pairs = [*kept, fix], outcome
                break
            left.append(Left(fix.kernel, fix.proposal, outcome))
    return Fixed(tuple(kept), tuple(left), _texts(sources, kept), pairs, True)


@dataclass(frozen=True, slots=True)
class _Trial:
    """Runs of the script with changes, held against the report of the script as it is."""

    report: Report
    sources: Sources
    request: Request
    tell: Tell

    def run(self, fixes: Sequence[Fix]) -> tuple[Pair, ...] | str:
        """Every launch before and after; why not, where the fixes do not go together or are not better."""
        edits = _joined(fixes)
        if edits is None:
            return _APART
        target = fixes[-1].kernel.kernel.target
        try:
            after = inspect_rewritten(self.request, target, changed(self.sources.texts, edits), (), self.tell)
        except InspectError as error:
            return f"the script cannot be run with it: {error.message}"
        if after.error is not None and self.report.error is None:
            return f"the script fails with it: {after.error.told}"
        before = [each for each in self.report.kernels if each.kernel.target == target]
        pairs = tuple(_pairs(before, after.kernels))
        return next(_objections(pairs, fixes), None) or pairs


def _pairs(before: Sequence[KernelReport], after: Sequence[KernelReport]) -> Iterator[Pair]:
    """By order where the same kernels are launched; else by grid and arguments."""
    if [each.name for each in before] == [each.name for each in after]:
        yield from (Pair(one, other) for one, other in zip(before, after, strict=True))
        return
    yield from (
        Pair(each, same_launch(each, after) or same_launch(each, after, same_grid=False)) for each in before
    )


def _objections(pairs: Sequence[Pair], fixes: Sequence[Fix]) -> Iterator[str]:
    meant = {id(fix.kernel): fix for fix in fixes}
    for pair in pairs:
        name, after = pair.before.name, pair.after
        if after is None:
            yield f"{name} is then not launched as it was"
        elif after.kernel.error and not pair.before.kernel.error:
            yield f"{name} does not compile with it: {after.kernel.error.splitlines()[0]}"
        elif moved(after) != moved(pair.before):
            yield f"{name} then moves other bytes: does its grid follow the change?"
        else:
            yield from _slower(pair.before, after, meant=id(pair.before) in meant)


def _slower(before: KernelReport, after: KernelReport, *, meant: bool) -> Iterator[str]:
    one, two = times(before, after)
    if one is None or two is None:
        if meant:
            yield f"what {before.name} takes then is not known"
    elif meant and two * WORTHWHILE > one:
        yield f"{before.name} takes no less time with it: {duration(one)} before, {duration(two)} after"
    elif two > one * _WORSE:
        yield f"another launch of {before.name} gets slower: {duration(one)} before, {duration(two)} after"


def _together(fixes: Sequence[Fix]) -> tuple[list[Fix], list[Fix]]:
    """Those that can be made at once, and those that change the same places otherwise."""
    kept: list[Fix] = []
    apart: list[Fix] = []
    for fix in fixes:
        (kept if _joined([*kept, fix]) is not None else apart).append(fix)
    return kept, apart


def _joined(fixes: Sequence[Fix]) -> Edits | None:
    edits: Edits | None = {}
    for fix in fixes:
        edits = None if edits is None else joined(edits, fix.edits)
    return edits


def _texts(sources: Sources, fixes: Sequence[Fix]) -> Mapping[str, str]:
    return changed(sources.texts, _joined(fixes) or {})


def _told(refused: Refused) -> str:
    return f"{refused.message} ({refused.hint})" if refused.hint else refused.message
