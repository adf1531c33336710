"""From a capture to a report: parse what is needed, evaluate each launch, run every analysis that applies.

Nothing here knows a rule or a format; analyses are found by walking their package.
"""

from __future__ import annotations

import pkgutil
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib import import_module
from typing import Protocol, cast

from gluon_inspect import analyses, targets
from gluon_inspect.bulkheads import Fault, contained
from gluon_inspect.cost.launch import launch_cost
from gluon_inspect.deadlines import within
from gluon_inspect.errors import InspectError
from gluon_inspect.facts.arguments import with_open_arguments
from gluon_inspect.facts.code_places import with_code_places
from gluon_inspect.facts.kernel import IR_STAGES, KernelFacts, facts_of
from gluon_inspect.facts.launched import Facts
from gluon_inspect.ir.text import parse_module
from gluon_inspect.model.artifact import Capture, CompiledKernel, Launch
from gluon_inspect.model.cost import KernelCost
from gluon_inspect.model.finding import AnalysisResult, Finding, Rule, Severity
from gluon_inspect.model.report import KernelReport, PassEntry, Report
from gluon_inspect.model.target import Target
from gluon_inspect.passes.states import of_kernel
from gluon_inspect.passes.timeline import Timeline
from gluon_inspect.wording.vocabulary import told

Tell = Callable[[str], None]
_SMALL_MODULE = "module { tt.func @f(%a: tensor<1xi32> loc(unknown)) { tt.return loc(unknown) } }"
_ORDER = (Severity.ERROR, Severity.WARNING, Severity.NOTE)


class Analysis(Protocol):
    """What a module of `gluon_inspect.analyses` offers."""

    RULES: tuple[Rule, ...]

    def run(self, facts: Facts) -> AnalysisResult:
        """Findings, tables and metrics of one kernel and launch."""
        ...


@lru_cache(maxsize=1)
def all_analyses() -> tuple[Analysis, ...]:
    """Every analysis, in the order of the package's names."""
    names = sorted(info.name for info in pkgutil.iter_modules(analyses.__path__) if info.name[0] != "_")
    return tuple(cast(Analysis, import_module(f"{analyses.__name__}.{name}")) for name in names)


def all_rules() -> tuple[Rule, ...]:
    """Every rule, by code."""
    return tuple(sorted((rule for analysis in all_analyses() for rule in analysis.RULES), key=lambda r: r.code))


def warm_up() -> None:
    """Import the analyses and build the parser's grammar ahead of need, while something else is waited for."""
    all_analyses()
    parse_module(_SMALL_MODULE)


def inspect(
    capture: Capture,
    *,
    programs: int | None = None,
    tell: Tell | None = None,
    seconds: float | None = None,
    judged: bool = True,
) -> Report:
    """The report on a capture: one entry for each kernel and launch, in the order recorded.

    `programs`: how many programs to evaluate (None: as many as is cheap, 0: all). `seconds`: the most that a
    launch may take (None: as long as it takes). `judged`: rules look at it; without them there is its time and
    what it takes. A kernel that cannot be read, or not in time, becomes an entry that says so; the others stand.
    """
    limits = _Limits(programs, seconds, judged, capture.sources)
    reports: list[KernelReport] = []
    for kernel in capture.kernels:
        if tell is not None:
            tell(f"analysing {kernel.name}")
        reports.extend(_read_reports(kernel, limits, _file_of(capture, kernel)))
    return Report(tuple(reports), capture.origin, capture.sources, capture.notes, capture.error)


@dataclass(frozen=True, slots=True)
class _Limits:
    """Of each launch: programs to evaluate (None: as is cheap), seconds (None: no limit), whether rules look.

    `sources`: texts of the author's files.
    """

    programs: int | None
    seconds: float | None
    judged: bool
    sources: Mapping[str, str] = field(default_factory=dict[str, str])


def _read_reports(kernel: CompiledKernel, limits: _Limits, file: str) -> list[KernelReport]:
    """A file that cannot be read since it was listed, or a fault of ours, costs its own kernel only."""
    try:
        found = contained(kernel.name, lambda: list(_kernel_reports(kernel, limits, file)))
    except InspectError as error:
        return [_unread(kernel, Launch("-"), error)]
    return [_unread(kernel, Launch("-"), found)] if isinstance(found, Fault) else found


def _unread(kernel: CompiledKernel, launch: Launch, why: InspectError | Fault) -> KernelReport:
    faults = (why,) if isinstance(why, Fault) else ()
    return KernelReport(kernel, launch, problems=(str(why),), unread=str(why), faults=faults)


def _file_of(capture: Capture, kernel: CompiledKernel) -> str:
    """The file that a kernel's IR was read from, so that errors name it; empty for scripts and folders."""
    script = capture.files is not None or capture.origin.endswith(".py")
    is_part_of_it = any(f"{stage}_line" in kernel.metadata for stage in IR_STAGES)
    return capture.origin if (len(capture.kernels) == 1 or is_part_of_it) and not script else ""


def _kernel_reports(kernel: CompiledKernel, limits: _Limits, file: str) -> Iterator[KernelReport]:
    launches = kernel.launches or (Launch("-"),)
    try:
        target = targets.find(kernel.target)
    except InspectError as error:
        yield from (_unread(kernel, launch, error) for launch in launches)
        return
    reader = KernelFacts(kernel, target, file)
    if kernel.error:
        refused = assemble(facts_of(reader, launches[0], limits.programs), judged=limits.judged)
        yield replace(refused, problems=(kernel.error,))
        return
    passes = _entries(kernel, target, limits)
    faults = (passes,) if isinstance(passes, Fault) else ()
    for launch in launches:
        found = _launch_report(reader, launch, limits)
        found = replace(found, passes=() if isinstance(passes, Fault) else passes)
        yield replace(
            found, faults=found.faults + faults, problems=found.problems + tuple(str(fault) for fault in faults)
        )


def _launch_report(reader: KernelFacts, launch: Launch, limits: _Limits) -> KernelReport:
    """One launch; what goes wrong in it, or takes too long, leaves the kernel's other launches as they are."""
    where = f"{reader.kernel.name} for {reader.kernel.target}, {launch.id}"

    def work() -> KernelReport:
        facts = replace(facts_of(reader, launch, limits.programs), sources=limits.sources)
        return assemble(facts, judged=limits.judged)

    try:
        found = contained(where, lambda: within(limits.seconds, f"{where}: not analysed", work))
    except InspectError as error:
        return _unread(reader.kernel, launch, error)
    return _unread(reader.kernel, launch, found) if isinstance(found, Fault) else found


def _entries(kernel: CompiledKernel, target: Target, limits: _Limits) -> tuple[PassEntry, ...] | Fault:
    what = f"{kernel.name}, its passes"
    return contained(what, lambda: within(limits.seconds, f"{what}: not read", lambda: _passes(kernel, target)))


def _passes(kernel: CompiledKernel, target: Target) -> tuple[PassEntry, ...]:
    """The compiler's passes, and which of them changed something; states are hashed and not parsed."""
    compilation = of_kernel(kernel)
    return () if compilation is None else Timeline(compilation, target, kernel.version).entries()


def assemble(facts: Facts, *, judged: bool = True) -> KernelReport:
    """Run every analysis (where it is to be `judged`) on the facts of one kernel and launch."""
    cost = launch_cost(facts)
    facts = replace(facts, cost=cost)
    attempts = [_attempt(analysis, facts) for analysis in (all_analyses() if judged else ())]
    results = [attempt for attempt in attempts if not isinstance(attempt, Fault)]
    faults = tuple(attempt for attempt in attempts if isinstance(attempt, Fault))
    # what a rule says of a bulk copy is not its pattern of addresses, and only that has a price
    patterns = frozenset(access.id for access in facts.accesses if not access.is_bulk)
    findings = sorted(
        (_priced(finding, cost, patterns) for result in results for finding in result.findings),
        key=_weight,
    )
    report = KernelReport(
        kernel=facts.kernel,
        launch=facts.launch,
        num_warps=facts.num_warps,
        num_ctas=facts.num_ctas,
        total_warps=facts.total_warps,
        programs=facts.programs,
        accesses=facts.accesses,
        conversions=facts.conversions,
        registers=facts.registers,
        shared_bytes=facts.shared_bytes,
        tensor_memory_columns=facts.tensor_memory_columns,
        occupancy=facts.occupancy,
        instructions_static=facts.instructions_static,
        instructions_executed=facts.instructions_executed,
        instructions_by_line=facts.instructions_by_line,
        passes=facts.passes,
        findings=tuple(with_code_places(tuple(_numbered(findings)), facts)),
        tables=tuple(table for result in results for table in result.tables),
        metrics=tuple(metric for result in results for metric in result.metrics),
        coverage=facts.coverage,
        cost=cost,
        flops=facts.flops,
        problems=(*facts.problems, *map(str, faults)),
        unread=facts.unread,
        faults=faults,
    )
    return with_open_arguments(report, facts.module)


def _attempt(analysis: Analysis, facts: Facts) -> AnalysisResult | Fault:
    """What an analysis finds; its fault leaves the other rules as they are."""
    rules = ", ".join(rule.code for rule in analysis.RULES) or "a table"
    where = f"{facts.kernel.name}, {facts.launch.id}: {rules}"
    return contained(where, lambda: told(analysis.run(facts), facts.target))


def _priced(finding: Finding, cost: KernelCost | None, patterns: Collection[str]) -> Finding:
    """A finding about one access loses what the cost model says its pattern loses; every loss in seconds too."""
    if cost is None:
        return finding
    if finding.cost is None and finding.subject in patterns:
        finding = replace(finding, cost=cost.lost_fraction(finding.subject))
    return finding if finding.cost is None else replace(finding, lost_seconds=finding.cost * cost.seconds)


def _weight(finding: Finding) -> tuple[int, float, str, int]:
    line = finding.location.line if finding.location else 0
    return (_ORDER.index(finding.severity), -(finding.cost or 0.0), finding.rule, line)


def _numbered(findings: list[Finding]) -> Iterator[Finding]:
    """Ids are unique in a kernel: an analysis that uses one twice would make a finding unaddressable."""
    seen = Counter[str]()
    for finding in findings:
        seen[finding.id] += 1
        if seen[finding.id] > 1:
            raise ValueError(f"two findings have the id {finding.id}")
        yield finding
