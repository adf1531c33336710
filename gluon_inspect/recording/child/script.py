"""Runs what the job names, as Python itself would run it."""

from __future__ import annotations

import importlib
import importlib.util
import linecache
import runpy
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from gluon_inspect.recording.job import Job, ScriptKind


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
    _names(job, "__main__")


def _names(job: Job, run_name: str) -> dict[str, Any]:
    """What the script defines, run under a module's name."""
    sys.argv[:] = [job.shown, *job.argv]
    sys.path.insert(0, job.folder)
    if not job.notebook:
        return runpy.run_path(job.script, run_name=run_name)
    code = Path(job.script).read_text(encoding="utf-8")
    linecache.cache[job.notebook] = len(code), None, code.splitlines(keepends=True), job.notebook
    module = ModuleType(run_name)
    sys.modules[run_name] = module
    exec(compile(code, job.notebook, "exec"), module.__dict__)  # noqa: S102 (what the user asked to run)
    return module.__dict__


def _run_module(job: Job) -> None:
    sys.argv[:] = [job.script, *job.argv]
    sys.path.insert(0, str(Path.cwd()))
    _check_module(job.script)
    runpy.run_module(job.script, run_name="__main__", alter_sys=True)


def _check_module(name: str) -> None:
    """Says in a line what Python would say in a traceback; packages above the module are imported, as by -m."""
    try:
        found = importlib.util.find_spec(name)
    except ModuleNotFoundError as error:
        raise SystemExit(f"no module named {error.name}") from None
    if found is None:
        raise SystemExit(f"no module named {name} here or on PYTHONPATH")
    if found.submodule_search_locations is not None and importlib.util.find_spec(f"{name}.__main__") is None:
        raise SystemExit(f"{name} is a package without a __main__: name a module of it")


def _run_function(job: Job) -> None:
    path = Path(job.script)
    function = _names(job, path.stem).get(job.selector)
    if not callable(function):
        raise SystemExit(f"{path.name} has no function {job.selector!r}")
    function(*job.argv)


def _run_tests(job: Job) -> None:
    pytest: Any = importlib.import_module("pytest")
    node = f"{job.script}::{job.selector}" if job.selector else job.script
    options = ["-p", "no:cacheprovider", "-p", "no:gluon-inspect", "-q", "-x" if job.selector else "-q"]
    if job.texts:
        options += ["--assert=plain"]  # rewritten assertions come from the file on disk
    options += ["-W", "ignore:Module already imported so cannot be rewritten"]  # it is this package
    if importlib.util.find_spec("xdist"):
        options += ["-n", "0"]  # its workers would launch where nothing is recorded
    status = int(pytest.main([node, *options, *job.argv]))
    if status:
        raise SystemExit(_PYTEST.get(status, f"pytest ended with status {status}"))


_PYTEST = {
    1: "tests failed: their kernels are here as far as they came",
    2: "the tests were interrupted, or a test file cannot be imported",
    4: "pytest found no such test, or did not take its arguments",
    5: "pytest found no test",
}
"""What pytest's exit codes mean; it has said on standard error which test it was."""
