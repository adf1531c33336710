"""Proposals put to the test: the script is recorded again with the change made, and inspected again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from gluon_inspect.errors import InspectError
from gluon_inspect.explaining.patches import patched_sources
from gluon_inspect.explaining.shared_layout import wavefronts
from gluon_inspect.model.access import Access, Direction, Space
from gluon_inspect.model.explanation import Effect, KernelExplanation, Proposal, ProposalStatus
from gluon_inspect.model.report import KernelReport, Report
from gluon_inspect.model.request import Request, Tell, silent
from gluon_inspect.workflow.inspection import inspect_rewritten, inspect_substituted

FEW = 2
"""Recordings that are made without being asked for: a script may take long."""


def checked(
    explanations: Sequence[KernelExplanation],
    request: Request,
    sources: Mapping[str, str] | None = None,
    most: int | None = None,
    tell: Tell = silent,
) -> list[KernelExplanation]:
    """The explanations of one script, each with its best proposal compiled and inspected, where that can be done.

    Substitutions that do not contradict each other share a recording; changed sources are one of their own. At
    most `most` recordings are made (None: as many as are needed). The other proposals stay "predicted, not
    compiled", and so does one whose changed script cannot be run. A proposal whose compilation fails, or that is
    expected to take no less time, is marked as tried and not better.
    """
    files = sources or {}
    trials = [_trial(index, each, files) for index, each in enumerate(explanations)]
    runs = _runs([trial for trial in trials if trial is not None])
    outcomes = {index: tried for run in runs[:most] for index, tried in _outcomes(run, request, tell)}
    return [_with(each, trials[index], outcomes.get(index)) for index, each in enumerate(explanations)]


_Change = tuple[str, str, str, str]
"""Kernel, parameter, old text, new expression."""


@dataclass(frozen=True, slots=True)
class _Trial:
    """A proposal to compile: changes of constexprs, or else the changed texts of files."""

    index: int
    proposal: Proposal
    report: KernelReport
    changes: tuple[_Change, ...]
    texts: Mapping[str, str] | None


def _trial(index: int, explanation: KernelExplanation, sources: Mapping[str, str]) -> _Trial | None:
    report = explanation.report
    given = {"num_warps": str(report.num_warps), **report.kernel.constexprs}
    for proposal in explanation.proposals:
        texts = patched_sources(proposal, report, sources)
        if texts is not None or proposal.substitutions:
            pairs = proposal.substitutions.items()
            changes = tuple((report.name, parameter, given[parameter], new) for parameter, new in pairs)
            return _Trial(index, proposal, report, changes, texts)
    return None


def _runs(trials: Sequence[_Trial]) -> list[list[_Trial]]:
    """Trials by recording: of one target, with the same text or with changes that agree."""
    runs: list[list[_Trial]] = []
    for trial in trials:
        run = next((run for run in runs if all(_agree(trial, other) for other in run)), None)
        if run is None:
            runs.append([trial])
        else:
            run.append(trial)
    return runs


def _agree(one: _Trial, other: _Trial) -> bool:
    if one.texts != other.texts or one.report.kernel.target != other.report.kernel.target:
        return False
    news = {change[:3]: change[3] for change in other.changes}
    return all(news.get(change[:3], change[3]) == change[3] for change in one.changes)


def _outcomes(run: Sequence[_Trial], request: Request, tell: Tell) -> Iterator[tuple[int, Proposal]]:
    """What became of each trial. One that fails may take the others along: they are then made one by one."""
    try:
        report = _compiled(run, request, tell)
    except InspectError as error:
        if len(run) == 1:
            yield run[0].index, _failed(run[0], error)
            return
        report = None
    if len(run) > 1 and (report is None or report.error is not None):
        for trial in run:
            yield from _outcomes([trial], request, tell)
    elif report is not None:
        yield from ((trial.index, _judged(trial, report.kernels)) for trial in run)


def _compiled(run: Sequence[_Trial], request: Request, tell: Tell) -> Report:
    """Disassembled as the script's own kernels were, so that both times rest on the same."""
    kernel, texts = run[0].report.kernel, run[0].texts
    if texts is not None:
        return inspect_rewritten(request, kernel.target, texts, (kernel.name,), tell)
    changes = dict.fromkeys(change for trial in run for change in trial.changes)
    return inspect_substituted(request, kernel.target, tuple(changes), tell)


def _failed(trial: _Trial, error: InspectError) -> Proposal:
    if trial.texts is not None:
        return replace(trial.proposal, note=f"the script could not be run with the change: {error.message}")
    return replace(trial.proposal, status=ProposalStatus.REJECTED, note=f"it did not compile: {error.message}")


def _judged(trial: _Trial, found: Sequence[KernelReport]) -> Proposal:
    proposal, report = trial.proposal, trial.report
    after = same_launch(report, found, same_grid=not proposal.changes_grid)
    if after is None or after.kernel.error:
        why = after.kernel.error.splitlines()[0] if after is not None and after.kernel.error else "not launched"
        return replace(proposal, status=ProposalStatus.REJECTED, note=f"tried: {why}")
    if moved(after) != moved(report):
        why = "the script computes the grid itself: change it with the constants, then compile"
        return replace(proposal, note=why)
    effect = _effect(report, after)
    better = effect.speedup is not None and effect.speedup > 1
    status = ProposalStatus.CHECKED if better else ProposalStatus.REJECTED
    return replace(proposal, effect=effect, status=status, after=after)


def _with(explanation: KernelExplanation, trial: _Trial | None, tried: Proposal | None) -> KernelExplanation:
    if trial is None or tried is None:
        return explanation
    found = tuple(tried if each is trial.proposal else each for each in explanation.proposals)
    return replace(explanation, proposals=found)


def moved(report: KernelReport) -> dict[Direction, int | None]:
    """Distinct bytes of all global accesses by direction, whatever the order of the launch's programs.

    Two accesses that became one move what both did.
    """
    found: dict[Direction, int | None] = {}
    for access in report.accesses:
        if access.space is Space.GLOBAL:
            before, own = found.get(access.direction, 0), access.bytes_unique
            found[access.direction] = None if before is None or own is None else before + own
    return found


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
    seconds = times(before, after)
    return Effect(
        _sectors(before.accesses),
        _sectors(after.accesses),
        *seconds,
        wavefronts(_shared(before)),
        wavefronts(_shared(after)),
    )


def times(before: KernelReport, after: KernelReport) -> tuple[float | None, float | None]:
    """Both expected times; unknown where only one of them rests on assembly."""
    if before.cost is None or after.cost is None or before.cost.has_code != after.cost.has_code:
        return None, None
    return before.cost.seconds, after.cost.seconds


def _shared(report: KernelReport) -> tuple[Access, ...]:
    return tuple(access for access in report.accesses if access.space is Space.SHARED)


def _sectors(accesses: Sequence[Access]) -> int | None:
    known = [access.sectors for access in accesses if access.space is Space.GLOBAL]
    return None if None in known else sum(sectors or 0 for sectors in known)
