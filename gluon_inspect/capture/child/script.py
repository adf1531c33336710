"""Runs what the job names, as Python itself would run it."""

from __future__ import annotations

import importlib
import runpy
import sys
from pathlib import Path
from typing import Any

from gluon_inspect.capture.job import Job, ScriptKind


def run_script(job: Job) -> None:
    """Runs the script, module, function or tests of a job; whatever it raises comes through."""
    match job.kind:
        case ScriptKind.MODULE:
            _run_module(job)
        case ScriptKind.FUNCTION:
            _run_function(job)
        case ScriptKind.TESTS:
            _run_tests(job)
        case _:
            _run_file(job)


def _run_file(job: Job) -> None:
    sys.argv[:] = [job.script, *job.argv]
    sys.path.insert(0, job.folder)
    runpy.run_path(job.script, run_name="__main__")


def _run_module(job: Job) -> None:
    sys.argv[:] = [job.script, *job.argv]
    sys.path.insert(0, str(Path.cwd()))
    runpy.run_module(job.script, run_name="__main__", alter_sys=True)


def _run_function(job: Job) -> None:
    path = Path(job.script)
    sys.argv[:] = [job.script, *job.argv]
    sys.path.insert(0, job.folder)
    names = runpy.run_path(job.script, run_name=path.stem)
    function = names.get(job.selector)
    if not callable(function):
        raise SystemExit(f"{path.name} has no function {job.selector!r}")
    function(*job.argv)


def _run_tests(job: Job) -> None:
    pytest: Any = importlib.import_module("pytest")
    node = f"{job.script}::{job.selector}" if job.selector else job.script
    options = ["-p", "no:cacheprovider", "-q", "-x" if job.selector else "-q"]
    status = int(pytest.main([node, *options, *job.argv]))
    if status:
        raise SystemExit(f"pytest ended with status {status}")
