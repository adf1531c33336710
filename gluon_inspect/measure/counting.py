"""Counters put beside the prediction: from a profiler run here, or from a file that one left elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath

from gluon_inspect.assembly.binary import read_binary
from gluon_inspect.assembly.counts import author_line
from gluon_inspect.errors import CaptureError, InspectError
from gluon_inspect.loading.disassemble import with_sass
from gluon_inspect.loading.scratch import scratch_folder
from gluon_inspect.measure.counters import read_counters
from gluon_inspect.measure.jobs import Subject
from gluon_inspect.measure.keys import report_key
from gluon_inspect.measure.ncu import find_ncu, profile_command, why_nothing
from gluon_inspect.measure.process import Event, child_command, run_child, running
from gluon_inspect.measure.sampled import sampled_table
from gluon_inspect.measure.verdicts import comparison_table, instruction_table, launch_pairs, line_pairs
from gluon_inspect.model.artifact import Capture, CompiledKernel
from gluon_inspect.model.asm import Instruction
from gluon_inspect.model.finding import Table
from gluon_inspect.model.location import Location
from gluon_inspect.model.measured import ProfiledLaunch
from gluon_inspect.model.report import KernelReport, Measurement, Report
from gluon_inspect.model.request import Tell


def profiled(report: Report, subject: Subject, cache: Path, tell: Tell) -> Report:
    """The report with counters of every launch that the profiler saw; what is missing is one note."""
    ncu = find_ncu()
    if ncu is None:
        return _noted(report, "no counters: Nsight Compute (ncu) is not here")
    tell(f"profiling {subject.title}")
    try:
        found = _profile(ncu, subject, cache)
    except InspectError as error:
        return _noted(report, f"no counters: {error}")
    return replace(report, kernels=tuple(_counted(kernel, found) for kernel in report.kernels))


def _counted(kernel: KernelReport, found: Mapping[str, ProfiledLaunch]) -> KernelReport:
    """Only a launch that was timed is counted too: why it was not stands there already."""
    return kernel if kernel.measurement is None else _with_counters(kernel, found.get(report_key(kernel)))


def _noted(report: Report, note: str) -> Report:
    return replace(report, notes=(*report.notes, note))


def _profile(ncu: str, subject: Subject, cache: Path) -> Mapping[str, ProfiledLaunch]:
    """Profiled launches by key. Raises CaptureError with what ncu said where it counted nothing."""
    with scratch_folder() as name:
        folder = Path(name)
        subject.prepare(folder)
        report, log = folder / "profile.ncu-rep", folder / "ncu.log"
        command = profile_command(ncu, report, log, child_command(folder, "profile"))
        events, trouble = run_child(command, folder, cache, subject.timeout_seconds, lambda _: None)
        launches = read_counters(report) if report.exists() else ()
        if not launches:
            raise CaptureError(why_nothing(log) or trouble or _failure(events) or "ncu profiled nothing")
    keys = [str(event["key"]) for event in events if event["event"] == "profiled"]
    if len(keys) != len(launches):
        raise CaptureError(f"{len(launches)} profiled launches for {len(keys)} that were marked")
    return dict(zip(keys, launches, strict=True))


def _failure(events: Sequence[Event]) -> str:
    return next((f"{event['message']}{running(events)}" for event in events if event["event"] == "error"), "")


def with_counters_of(report: Report, file: Path) -> Report:
    """The report with the counters of a profiler's file: launches are matched by name and grid, in order."""
    return with_launches(report, read_counters(file))


def with_launches(report: Report, launches: Sequence[ProfiledLaunch]) -> Report:
    """The same with launches that were read already."""
    waiting = list(launches)
    kernels = tuple(_with_counters(kernel, _take(waiting, kernel)) for kernel in report.kernels)
    return replace(report, kernels=kernels)


def _take(waiting: list[ProfiledLaunch], kernel: KernelReport) -> ProfiledLaunch | None:
    for index, launch in enumerate(waiting):
        if launch.name == kernel.name and launch.grid in (None, kernel.launch.grid):
            return waiting.pop(index)
    return None


def _with_counters(kernel: KernelReport, found: ProfiledLaunch | None) -> KernelReport:
    if found is None:
        return replace(kernel, problems=(*kernel.problems, "no counters: the profiler did not see this launch"))
    ran = _as_run(kernel.kernel, found)
    places, found = _as_here(instruction_places(ran), kernel), _with_texts(found, ran)
    before = kernel.measurement or Measurement(found.device or "a profiler's file")
    tables: list[Table] = []
    # what is known of a kernel without IR and binary is what the profiler says: there is nothing to compare
    if kernel.has_ir or kernel.kernel.binaries:
        pairs = launch_pairs(kernel, found)
        tables.append(comparison_table("measured_launch", "Predicted and measured, whole launch", pairs))
    if found.instructions:
        if by_line := list(line_pairs(kernel, found, places)):
            tables.append(comparison_table("measured_lines", "Predicted and measured, by line", by_line))
        if (memory := instruction_table(found, places)).rows:
            tables.append(memory)
        if (sampled := sampled_table(kernel.cost, found, places)).rows:
            tables.append(sampled)
    measurement = replace(before, counters=dict(found.counters))
    return replace(kernel, measurement=measurement, tables=(*kernel.tables, *tables))


def _as_run(kernel: CompiledKernel, found: ProfiledLaunch) -> CompiledKernel:
    """The kernel with the binary that the profiler's file holds, where that is another one."""
    if not found.binary or found.binary == kernel.binary:
        return kernel
    ran = replace(kernel, binaries={"cubin": found.binary}, stages={}, metadata={})
    return with_sass(Capture("", (ran,))).kernels[0]


def _with_texts(found: ProfiledLaunch, ran: CompiledKernel) -> ProfiledLaunch:
    """Instructions that came without their text (an .ncu-rep has addresses only) get it from the binary."""
    if all(each.text for each in found.instructions):
        return found
    texts = {each.offset: each.text for each in _instructions(ran)}
    named = (replace(each, text=each.text or texts.get(each.offset, "")) for each in found.instructions)
    return replace(found, instructions=tuple(named))


def instruction_places(kernel: CompiledKernel) -> Mapping[int, Location | None]:
    """The author's line of each instruction of the binary, by offset; empty without a disassembly."""
    return {
        each.offset: author_line(each.location, kernel.source_file) if each.location else None
        for each in _instructions(kernel)
        if each.offset >= 0
    }


def _as_here(places: Mapping[int, Location | None], kernel: KernelReport) -> Mapping[int, Location | None]:
    """Places in the kernel's own files, where the profiler ran on another machine: files of one name are one."""
    seen = [
        *(a.location for a in kernel.accesses),
        *(s.location for s in (kernel.cost.standing if kernel.cost else ())),
    ]
    files = {kernel.kernel.source_file, *(place.file for place in seen if place)}
    # a file that is known stays itself, whatever others are called
    named = {PurePath(file).name: file for file in files if file} | {file: file for file in files}

    def here(file: str) -> str:
        return named.get(file) or named.get(PurePath(file).name, file)

    return {offset: place and replace(place, file=here(place.file)) for offset, place in places.items()}


def _instructions(kernel: CompiledKernel) -> tuple[Instruction, ...]:
    assembly = read_binary(kernel).assembly
    if assembly is None or not assembly.functions:
        return ()
    own = [function for function in assembly.functions if function.name == kernel.name]
    return (own or list(assembly.functions))[0].instructions
