"""The kinds of input: what they are made of, how they are changed, and how the tool takes one."""

from __future__ import annotations

import contextlib
import io
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from gluon_inspect.bulkheads import Fault, FaultError
from gluon_inspect.cli import main as command_line
from gluon_inspect.errors import InspectError
from gluon_inspect.loading.parameters import parameters
from gluon_inspect.model.report import Report
from gluon_inspect.model.request import Request
from gluon_inspect.project.configuration import Configuration, load_configuration
from gluon_inspect.project.gate import BROKEN, CLEAN, FOUND
from gluon_inspect.project.judgement import judged
from gluon_inspect.report import format_names, load_format
from gluon_inspect.workflow.inspection import inspect_all
from scripts.fuzz import seeds
from scripts.fuzz.changes import bytes_changed, index_changed, json_changed, lines_changed, text_changed

COMMANDS = (
    ["report", "--format", "json"], ["report", "--brief"], ["report", "--jobs", "2"],
    ["explain"], ["passes"], ["diff"],
)  # fmt: skip


class Failed(InspectError):
    """A fault that a bulkhead held, told past the next one."""

    def __init__(self, error: str, traceback: str = "") -> None:
        super().__init__(error)
        self.traceback = traceback


@dataclass(frozen=True, slots=True)
class Subject:
    """A kind of input: seeds that are valid, how they are changed, and how the tool takes one."""

    suffix: str
    seeds: Callable[[], Sequence[bytes]]
    change: Callable[[random.Random, bytes], bytes]
    use: Callable[[Path], None]


def inspected(path: Path) -> None:
    """The whole way: loaded with an argument for each parameter, analysed, written in every format."""
    request = Request((str(path),), ("cuda:90",), grid=_grid(path), arguments=_arguments(path), disassemblers=0)
    outcome = inspect_all(request)
    for failure in outcome.failures:
        if isinstance(failure, FaultError):
            raise _failed(failure.fault)
    report = outcome.report()
    for kernel in report.kernels:
        for fault in kernel.faults:
            raise _failed(fault)
    written(report)
    if report.kernels and all(kernel.unread for kernel in report.kernels):
        raise InspectError(report.kernels[0].unread)


def _failed(fault: Fault) -> Failed:
    return Failed(fault.error, fault.traceback)


def written(report: Report) -> None:
    """The report in every format."""
    for name in format_names():
        load_format(name).render(report)


def _text_of(path: Path) -> str:
    return path.read_text("utf-8", "replace") if path.suffix == ".ttgir" else ""


def _grid(path: Path) -> tuple[int, int, int] | None:
    return (8, 2, 1) if path.suffix == ".ttgir" else None


def _arguments(path: Path) -> dict[str, int | float | bool]:
    return {one.name: 1 << 20 if "ptr" in str(one) else 4096 for one in parameters(_text_of(path))}


def in_cache_folder(path: Path) -> None:
    """The metadata of a cache entry beside a kernel's IR."""
    folder = path.parent / "entry"
    folder.mkdir(exist_ok=True)
    (folder / "copy_1d.json").write_bytes(path.read_bytes())
    (folder / "copy_1d.ttgir").write_bytes(seeds.ir_seeds()[0])
    inspected(folder)


def as_configuration(path: Path) -> None:
    """The settings of a project, applied to a report."""
    own = path.parent / "gluon-inspect.toml"
    own.write_bytes(path.read_bytes())
    written(judged(seeds.good_report(), load_configuration(path.parent), None))


def as_baseline(path: Path) -> None:
    """A baseline that a report is compared with."""
    written(judged(seeds.good_report(), Configuration(), str(path)))


def by_command(options: Sequence[str], path: Path) -> None:
    """A command on the input, as a person runs it; its own errors are its exit code."""
    paths = [str(path)] * (2 if options[0] == "diff" else 1)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as said:
        code = command_line([options[0], *paths, *options[1:]])
    if code == BROKEN:
        raise InspectError("refused")
    if code not in (CLEAN, FOUND):
        raise Failed(f"exit code {code}: {said.getvalue()[:300]}")


SUBJECTS = {
    "ttgir": Subject(".ttgir", seeds.ir_seeds, text_changed, inspected),
    "dump log": Subject(".log", seeds.log_seeds, text_changed, inspected),
    "ptx": Subject(".ptx", partial(seeds.files, "asm/*.ptx"), text_changed, inspected),
    "sass": Subject(".sass", partial(seeds.files, "asm/*.sass"), text_changed, inspected),
    "amdgcn": Subject(".amdgcn", partial(seeds.files, "asm/*.amdgcn"), text_changed, inspected),
    "cubin": Subject(".cubin", partial(seeds.binaries, "cubin"), bytes_changed, inspected),
    "hsaco": Subject(".hsaco", partial(seeds.binaries, "hsaco"), bytes_changed, inspected),
    "ncu-rep": Subject(".ncu-rep", seeds.profile_seeds, bytes_changed, inspected),
    "capture": Subject(".gi", seeds.captures, bytes_changed, inspected),
    "capture index": Subject(".gi", seeds.captures, index_changed, inspected),
    "trace": Subject(".ndjson", seeds.trace_seeds, lines_changed, inspected),
    "cache metadata": Subject(".json", seeds.metadata_seeds, json_changed, in_cache_folder),
    "configuration": Subject(".toml", seeds.configuration_seeds, text_changed, as_configuration),
    "baseline": Subject(".json", seeds.baseline_seeds, json_changed, as_baseline),
}


def changed(kind: str, seed: int, number: int) -> bytes:
    """The input of one try."""
    pick = random.Random(f"{seed}/{kind}/{number}")
    subject = SUBJECTS[kind]
    return subject.change(pick, pick.choice(seeds_of(kind)))


@cache
def seeds_of(kind: str) -> Sequence[bytes]:
    """What inputs of a kind are made of."""
    return SUBJECTS[kind].seeds()
