"""Configurations of one kernel ranked for each of its launches, and the fewest that serve them all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

from gluon_inspect import targets
from gluon_inspect.assembly.elf import DAMAGE, part, sections
from gluon_inspect.model.artifact import ArgumentValue, CompiledKernel, DescriptorArgument, Launch, TensorArgument
from gluon_inspect.model.report import KernelReport, Report
from gluon_inspect.targets.bands import BETWEEN_CONFIGURATIONS
from gluon_inspect.wording.numbers import size

Configuration = Mapping[str, str]
_MOST_IN_SET = 3
"""Configurations that are tried together; sets that must be larger are gathered one by one."""
_MOST_NAMES = 4
"""Arguments by which a launch is told from others."""
_WHOLE = 0.95
"""Of the bytes that other configurations write: what writes fewer does not do the same work."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One configuration of one launch. `refusal`: why it cannot be launched or judged; empty: it is ranked.

    `also`: configurations that give the same binary and grid.
    """

    configuration: Configuration
    report: KernelReport
    refusal: str = ""
    also: tuple[Configuration, ...] = ()

    @property
    def seconds(self) -> float:
        """Expected; only of those without a refusal."""
        return 0.0 if self.report.cost is None else self.report.cost.seconds


@dataclass(frozen=True, slots=True)
class Ranking:
    """One problem: the kernel, its target, what tells the launch from others, candidates fastest first."""

    kernel: str
    target: str
    problem: str
    candidates: tuple[Candidate, ...]
    refused: tuple[Candidate, ...] = ()
    arguments: Mapping[str, ArgumentValue] = field(default_factory=dict[str, ArgumentValue])

    @property
    def near(self) -> tuple[Candidate, ...]:
        """Those within the model's error of the first, which is among them."""
        return tuple(each for each in self.candidates if self.holds(each))

    def holds(self, candidate: Candidate) -> bool:
        """Whether a candidate may be the best, as far as the model can tell."""
        return candidate.seconds <= self.candidates[0].seconds * (1.0 + BETWEEN_CONFIGURATIONS)


def rankings(report: Report) -> tuple[Ranking, ...]:
    """One for each target, kernel and launch, in the order that they were made."""
    groups: dict[tuple[object, ...], list[KernelReport]] = {}
    for each in report.kernels:
        if each.kernel.configuration and each.kernel.launches == () and each.launch.grid is not None:
            groups.setdefault((each.kernel.target, each.name, _problem(each.launch)), []).append(each)
    never = [each for each in report.kernels if each.kernel.configuration and each.launch.grid is None]
    kernels: dict[tuple[str, str], list[list[KernelReport]]] = {}
    for (target, name, _), own in groups.items():
        kernels.setdefault((str(target), str(name)), []).append(own)
    for each in never:
        kernels.setdefault((each.kernel.target, each.name), [])
    return tuple(
        ranking
        for (target, name), problems in kernels.items()
        for ranking in _of_kernel(
            target, name, problems, [e for e in never if (e.kernel.target, e.name) == (target, name)]
        )
    )


def _of_kernel(
    target: str, name: str, problems: Sequence[Sequence[KernelReport]], never: Sequence[KernelReport]
) -> Iterator[Ranking]:
    told = _differences([own[0].launch for own in problems])
    refused = tuple(Candidate(each.kernel.configuration, each, _why_never(each)) for each in never)
    for own, problem in zip(problems, told, strict=True):
        candidates = list(_candidates(own))
        ranked = sorted((each for each in candidates if not each.refusal), key=lambda each: each.seconds)
        left = (*(each for each in candidates if each.refusal), *refused)
        yield Ranking(name, target, problem, tuple(ranked), left, own[0].launch.arguments)
    if not problems:
        yield Ranking(name, target, "", (), refused)


def _problem(launch: Launch) -> tuple[object, ...]:
    """What stays the same when only the configuration changes: shapes, not places and not boxes."""
    return tuple((name, _shape(value)) for name, value in launch.arguments.items())


def _shape(value: ArgumentValue) -> object:
    match value:
        case TensorArgument():
            return value.dtype, value.shape, value.strides
        case DescriptorArgument():
            return value.tensor.dtype, value.tensor.shape, value.tensor.strides
        case _:
            return value


def _differences(launches: Sequence[Launch]) -> list[str]:
    """Each launch by the arguments that are not the same in all; of a single one by its tensors."""
    shapes = [{name: _told(value) for name, value in launch.arguments.items()} for launch in launches]
    names = [name for name in (shapes[0] if shapes else ()) if len({each.get(name) for each in shapes}) > 1]
    values = [name for name in names if not isinstance(launches[0].arguments.get(name), TensorArgument)]
    shown = values or names or [name for name, value in (shapes[0] if shapes else {}).items() if "x" in str(value)]
    return [", ".join(f"{name}={each.get(name)}" for name in shown[:_MOST_NAMES]) for each in shapes]


def _told(value: ArgumentValue) -> str:
    match value:
        case TensorArgument():
            return "x".join(map(str, value.shape))
        case DescriptorArgument():
            return "x".join(map(str, value.tensor.shape))
        case _:
            return str(value)


def _candidates(own: Sequence[KernelReport]) -> Iterator[Candidate]:
    """One for each binary and grid; the first of those that share one stands for them."""
    same: dict[object, list[KernelReport]] = {}
    for each in own:
        same.setdefault(_identity(each), []).append(each)
    firsts = [reports[0] for reports in same.values()]
    most = _most_written(firsts)
    for reports in same.values():
        also = tuple(each.kernel.configuration for each in reports[1:])
        also = tuple(each for each in also if dict(each) != dict(reports[0].kernel.configuration))
        yield Candidate(reports[0].kernel.configuration, reports[0], _refusal(reports[0], most), also)


def _identity(report: KernelReport) -> object:
    kernel = report.kernel
    shape = (report.launch.grid, kernel.metadata.get("num_warps"), kernel.metadata.get("shared"))
    return (kernel.error or _code(kernel) or tuple(kernel.configuration.items()), *shape)


def _code(kernel: CompiledKernel) -> bytes:
    """The machine's code alone: what surrounds it names lines and options."""
    try:
        return b"".join(
            part(kernel.binary, each.offset, each.size)
            for each in sections(kernel.binary)
            if each.name.startswith(".text")
        )
    except DAMAGE:
        return b""


def _most_written(own: Sequence[KernelReport]) -> int | None:
    """Bytes that a candidate writes at most; None where grids follow the configurations, or bytes are unknown."""
    if len({each.launch.grid for each in own}) > 1:
        return None
    return max(filter(None, map(_written, own)), default=None)


def _written(report: KernelReport) -> int | None:
    found = [each.bytes_unique for each in report.accesses]
    return None if None in found else sum(each or 0 for each in found)


def _refusal(report: KernelReport, most: int | None) -> str:
    if report.kernel.error or report.unread:
        return _said(report.kernel.error or report.unread)
    if report.cost is None:
        return "its time cannot be told: its traffic is not known"
    written = _written(report)
    if most and written is not None and written < _WHOLE * most:
        return f"it writes {written / most:.0%} of what others do: the script's grid does not follow it"
    return ""


def _said(error: str) -> str:
    """Triton's message in one line: it has the place first, the source in between, and what is wrong last."""
    lines = [line.strip() for line in error.splitlines() if line.strip(" ^")] or [error]
    first = Path(lines[0].partition(": at ")[0]).name
    return first if len(lines) == 1 else f"{first}: {lines[-1]}"


def _why_never(report: KernelReport) -> str:
    """Why a kernel that was compiled was not launched, or why it was not compiled."""
    if report.kernel.error:
        return _said(report.kernel.error)
    target = targets.find(report.kernel.target)
    needed = report.shared_bytes or 0
    if needed > target.shared_bytes_per_cta:
        return f"it needs {size(needed)} of shared memory, a CTA has {size(target.shared_bytes_per_cta)}"
    return "it was compiled and not launched"


def fewest(found: Sequence[Ranking]) -> tuple[Configuration, ...]:
    """The smallest set of which each launch has one within the model's error of its first.

    Of sets of one size the one with the least expected time in all; beyond three the next is always the one that
    serves most of what is left. `found`: of one kernel and target.
    """
    times = [_times(ranking) for ranking in found if ranking.candidates]
    serve: list[set[str]] = [{name for name, (_, is_near) in own.items() if is_near} for own in times]
    names = dict(pair for ranking in found for pair in _by_key(ranking.candidates))
    useful = sorted(set[str]().union(*serve))
    for count in range(1, _MOST_IN_SET + 1):
        sets = [each for each in combinations(useful, count) if all(own & set(each) for own in serve)]
        if sets:
            best = min(sets, key=lambda chosen: sum(_least(own, chosen) for own in times))
            return tuple(names[each] for each in best)
    return tuple(names[each] for each in _gathered(serve))


def _gathered(serve: Sequence[set[str]]) -> Iterator[str]:
    left: list[set[str]] = list(serve)
    while left:
        counts = Counter(each for own in left for each in sorted(own))
        chosen = max(sorted(counts), key=counts.__getitem__)
        yield chosen
        left = [own for own in left if chosen not in own]


def _least(own: Mapping[str, tuple[float, bool]], chosen: Iterable[str]) -> float:
    return min(own[each][0] for each in chosen if each in own)


def _times(ranking: Ranking) -> dict[str, tuple[float, bool]]:
    """Seconds of each candidate as a share of the first's, and whether it is within the error of it."""
    first = ranking.candidates[0].seconds
    return {key(each.configuration): (each.seconds / first, ranking.holds(each)) for each in ranking.candidates}


def _by_key(candidates: Iterable[Candidate]) -> Iterator[tuple[str, Configuration]]:
    return ((key(each.configuration), each.configuration) for each in candidates)


def key(configuration: Configuration) -> str:
    """One text a configuration, the same in every launch."""
    return " ".join(f"{name}={value}" for name, value in configuration.items())


def best_for_all(found: Sequence[Ranking]) -> tuple[Configuration, tuple[float, ...]] | None:
    """The configuration that loses least where it loses most, with its time over the first's for each launch.

    None where no configuration can be launched in all.
    """
    times = [_times(ranking) for ranking in found if ranking.candidates]
    common = set[str].intersection(*map(set, times)) if times else set[str]()
    if not common:
        return None
    over = {each: tuple(own[each][0] for own in times) for each in sorted(common)}
    chosen = min(over, key=lambda each: (max(over[each]), sum(over[each])))
    names = dict(_by_key(found[0].candidates))
    return names[chosen], over[chosen]
