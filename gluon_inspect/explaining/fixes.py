"""Proposals made true in the source, and kept where all that the script launches is the better for it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from gluon_inspect.errors import InspectError
from gluon_inspect.explaining.costs import WORTHWHILE
from gluon_inspect.explaining.trial import moved, same_launch, times
from gluon_inspect.fixing.edits import Edits, Refused, changed, joined
from gluon_inspect.fixing.patch import Sources, edits_for, strided_edits
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
            own += _derived(each.report, proposal, sources)
        if own:
            found.append(own)
    return found, left


def _derived(report: KernelReport, proposal: Proposal, sources: Sources) -> Iterator[Fix]:
    """The same layout derived from strides, for a launch that is made with tensors of either order."""
    strides = proposal.from_strides
    if strides is None:
        return
    with suppress(Refused):
        edits = strided_edits(proposal, report, sources)
        yield Fix(report, replace(proposal, title=f"a layout from the strides of `{strides.tensor}`"), edits)


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

    First the best of every kernel at once; where that fails, or makes any launch slower, one after the other. Each
    further proposal is tried on top of what was kept. `report` is that of the script as it is.
    """
    found, left = possible(explanations, sources)
    search = _Search(report, sources, request, tell)
    first, apart = _together([own[0] for own in found])
    at_once = bool(first) and not apart
    why = search.add(first) if at_once else ""
    if why and len(first) == 1:
        left.append(Left(first[0].kernel, first[0].proposal, why))
    is_tried = at_once and (not why or len(first) == 1)
    for fix in (fix for own in found for fix in (own[1:] if is_tried else own)):
        if why := search.add([fix]):
            left.append(Left(fix.kernel, fix.proposal, why))
    left = [each for each in left if all(fix.kernel is not each.kernel for fix in search.kept)]
    return Fixed(tuple(search.kept), tuple(left), _texts(sources, search.kept), search.pairs, True)


class _Search:
    """What is kept so far, and every launch before and with it; each addition is compiled and inspected."""

    def __init__(self, report: Report, sources: Sources, request: Request, tell: Tell) -> None:
        self._report, self._sources, self._request, self._tell = report, sources, request, tell
        self.kept: list[Fix] = []
        self.pairs = tuple(Pair(kernel, kernel) for kernel in report.kernels)

    def add(self, fixes: Sequence[Fix]) -> str:
        """Keep these fixes too, if their kernels are then faster and all else is as before; else why not."""
        edits = _joined([*self.kept, *fixes])
        if edits is None:
            return _APART
        if edits == _joined(self.kept):
            self.kept += fixes
            return ""
        found = self._tried(edits, fixes[-1].kernel.kernel.target)
        if isinstance(found, str):
            return found
        so_far = {id(pair.before): pair.after or pair.before for pair in self.pairs}
        why = next(_objections(found, so_far, {id(fix.kernel) for fix in fixes}), "")
        if not why:
            self.kept, self.pairs = [*self.kept, *fixes], found
        return why

    def _tried(self, edits: Edits, target: str) -> tuple[Pair, ...] | str:
        texts = changed(self._sources.texts, edits)
        try:
            after = inspect_rewritten(self._request, target, texts, (), self._tell)
        except InspectError as error:
            return f"the script cannot be run with it: {error.message}"
        if after.error is not None and self._report.error is None:
            return f"the script fails with it: {after.error.told}"
        before = [each for each in self._report.kernels if each.kernel.target == target]
        return tuple(_pairs(before, after.kernels))


def _pairs(before: Sequence[KernelReport], after: Sequence[KernelReport]) -> Iterator[Pair]:
    """By order where the same kernels are launched; else by grid and arguments."""
    if [each.name for each in before] == [each.name for each in after]:
        yield from (Pair(one, other) for one, other in zip(before, after, strict=True))
        return
    yield from (
        Pair(each, same_launch(each, after) or same_launch(each, after, same_grid=False)) for each in before
    )


def _objections(
    pairs: Sequence[Pair], so_far: Mapping[int, KernelReport], meant: Collection[int]
) -> Iterator[str]:
    """What speaks against a change that is meant for some launches; `so_far` has each as it is without it."""
    for pair in pairs:
        before, after = pair.before, pair.after
        if after is None:
            yield f"{before.name} is then not launched as it was"
        elif after.kernel.error and not before.kernel.error:
            yield f"{before.name} does not compile with it: {after.kernel.error.splitlines()[0]}"
        elif moved(after) != moved(before):
            yield f"{before.name} then moves other bytes: does its grid follow the change?"
        elif id(before) in meant:
            yield from _no_faster(so_far.get(id(before), before), after)
        else:
            yield from _slower(before, after)


def _no_faster(before: KernelReport, after: KernelReport) -> Iterator[str]:
    one, two = times(before, after)
    if one is None or two is None:
        yield f"what {before.name} takes then is not known"
    elif two * WORTHWHILE > one:
        yield f"{before.name} takes no less time with it: {duration(one)} before, {duration(two)} after"


def _slower(before: KernelReport, after: KernelReport) -> Iterator[str]:
    one, two = times(before, after)
    if one is not None and two is not None and two > one * _WORSE:
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
