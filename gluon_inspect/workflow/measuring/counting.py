"""Counters put beside the prediction: from a profiler run here, or from a file that one left elsewhere."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from gluon_inspect.capture.scripts import Wanted, make_job
from gluon_inspect.cost.instructions import author_line
from gluon_inspect.errors import InspectError
from gluon_inspect.measure.counters import read_counters
from gluon_inspect.measure.ncu import find_ncu, profile_command
from gluon_inspect.measure.verdicts import comparison_table, instruction_table, launch_pairs, line_pairs
from gluon_inspect.model.artifact import CompiledKernel
from gluon_inspect.model.location import Location
from gluon_inspect.model.measured import ProfiledLaunch
from gluon_inspect.model.report import KernelReport, Measurement, Report
from gluon_inspect.pipeline.binary import read_binary
from gluon_inspect.workflow.measuring.keys import DEFAULT_TIMEOUT_SECONDS, report_key
from gluon_inspect.workflow.measuring.process import child_command, run_child
from gluon_inspect.workflow.request import Request, Tell


def profiled(report: Report, path: str, request: Request, cache: Path, tell: Tell) -> Report:
    """The report with counters of every launch that the profiler saw; what is missing is one note."""
    ncu = find_ncu()
    if ncu is None:
        return _noted(report, "no counters: Nsight Compute (ncu) is not here")
    tell(f"profiling {path}")
    try:
        found, note = _profile(ncu, path, request, cache)
    except InspectError as error:
        return _noted(report, f"no counters: {error}")
    kernels = tuple(_with_counters(kernel, found.get(report_key(kernel))) for kernel in report.kernels)
    told = replace(report, kernels=kernels)
    return _noted(told, note) if note else told


def _noted(report: Report, note: str) -> Report:
    return replace(report, notes=(*report.notes, note))


def _profile(ncu: str, path: str, request: Request, cache: Path) -> tuple[Mapping[str, ProfiledLaunch], str]:
    with tempfile.TemporaryDirectory(prefix="gluon-inspect-") as name:
        folder = Path(name)
        wanted = Wanted(path, "", request.script_arguments, module=request.module)
        make_job(wanted, folder).write(folder / "job.json")
        report = folder / "profile.ncu-rep"
        command = profile_command(ncu, report, child_command(folder, "profile"))
        timeout = request.timeout_seconds or DEFAULT_TIMEOUT_SECONDS
        events, trouble = run_child(command, folder, cache, timeout, lambda _: None)
        if not report.exists():
            return {}, f"no counters: {trouble or 'ncu profiled nothing: no kernel, or no permission to count'}"
        launches = read_counters(report)
    keys = [str(event["key"]) for event in events if event["event"] == "profiled"]
    if len(keys) != len(launches):
        return {}, f"no counters: {len(launches)} profiled launches for {len(keys)} that were marked"
    return dict(zip(keys, launches, strict=True)), ""


def with_counters_of(report: Report, file: Path) -> Report:
    """The report with the counters of a profiler's file: launches are matched by name and grid, in order."""
    waiting = list(read_counters(file))
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
    places = instruction_places(kernel.kernel)
    before = kernel.measurement or Measurement(found.device or "a profiler's file")
    tables = [
        comparison_table("measured_launch", "Predicted and measured, whole launch", launch_pairs(kernel, found))
    ]
    if found.instructions:
        by_line = line_pairs(kernel, found, places)
        tables.append(comparison_table("measured_lines", "Predicted and measured, by line", by_line))
        tables.append(instruction_table(found, places))
    measurement = replace(before, counters=dict(found.counters))
    return replace(kernel, measurement=measurement, tables=(*kernel.tables, *tables))


def instruction_places(kernel: CompiledKernel) -> Mapping[int, Location | None]:
    """The author's line of each instruction of the binary, by offset; empty without a disassembly."""
    assembly = read_binary(kernel).assembly
    if assembly is None or not assembly.functions:
        return {}
    own = [function for function in assembly.functions if function.name == kernel.name]
    instructions = (own or list(assembly.functions))[0].instructions
    return {
        each.offset: author_line(each.location, kernel.source_file) if each.location else None
        for each in instructions
        if each.offset >= 0
    }
