"""What the measuring child is to run: a script, or launches that were recorded elsewhere."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gluon_inspect.loading.save import save_capture
from gluon_inspect.measure.keys import DEFAULT_TIMEOUT_SECONDS, KEYS, report_key
from gluon_inspect.measure.saved import CAPTURE, launches_of
from gluon_inspect.model.report import Report
from gluon_inspect.model.request import Request
from gluon_inspect.recording.scripts import Wanted, make_job
from gluon_inspect.recording.substitution import Substitution


@dataclass(frozen=True, slots=True)
class Subject:
    """`prepare` writes the job into a folder. `title` says what runs; `missing` why a launch was not made."""

    title: str
    missing: str
    prepare: Callable[[Path], None]
    timeout_seconds: float


def of_script(report: Report, path: str, request: Request, changes: tuple[Substitution, ...] = ()) -> Subject:
    """The report's launches as the script makes them, `changes` being layouts to put in place of its own."""

    def prepare(folder: Path) -> None:
        wanted = Wanted(path, "", request.script_arguments, module=request.module, substitutions=changes)
        make_job(wanted, folder).write(folder / "job.json")
        keys = [report_key(kernel) for kernel in report.kernels]
        (folder / KEYS).write_text(json.dumps(keys), encoding="utf-8")

    return Subject(path, "the script did not make this launch", prepare, _timeout(request))


def of_launches(report: Report, path: str, request: Request) -> Subject:
    """The report's launches made from what was recorded of them."""

    def prepare(folder: Path) -> None:
        save_capture(launches_of(report), folder / CAPTURE)

    return Subject(path, "the run ended before this launch", prepare, _timeout(request))


def _timeout(request: Request) -> float:
    return request.timeout_seconds or DEFAULT_TIMEOUT_SECONDS
