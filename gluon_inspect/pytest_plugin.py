"""pytest: the fixture `inspect_kernel`, and `--gluon-report=FILE` that gathers every report a session made."""

from __future__ import annotations

import json
from collections.abc import Callable
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

if TYPE_CHECKING:
    from gluon_inspect.workflow.inspected import Inspected

_DEFAULT_TARGET = "cuda:90"
_SUFFIXES = {".html": "html", ".json": "json", ".md": "markdown", ".sarif": "sarif", ".xml": "junit"}
_SENT = "gluon_inspect_reports"
_MADE = pytest.StashKey[list[tuple[str, "Inspected"]]]()
"""Reports with the test that made each."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """--gluon-report=FILE, --gluon-target=TARGET."""
    group = parser.getgroup("gluon-inspect")
    group.addoption("--gluon-report", metavar="FILE", help="write what inspect_kernel reported; format by suffix")
    group.addoption("--gluon-target", metavar="TARGET", default=_DEFAULT_TARGET, help="default: %(default)s")


def pytest_configure(config: pytest.Config) -> None:
    """A place for the session's reports; a suffix without a format is refused before any test runs."""
    config.stash[_MADE] = []
    file = config.getoption("--gluon-report")
    if file and Path(file).suffix not in _SUFFIXES:
        raise pytest.UsageError(f"--gluon-report: no format has the suffix of {file}: {', '.join(_SUFFIXES)}")


@pytest.fixture
def inspect_kernel(request: pytest.FixtureRequest) -> Callable[..., Inspected]:
    """`inspect_kernel(kernel, *args, grid=(…), target=…, **constexprs)` compiles for a target, without a GPU.

    Returns a report with `access(line=…)`, `found(rule)` and `has_no(rule)`. Tensors may live anywhere: only
    dtype, shape, strides and offset matter. The kernel has to stand at the top of a module.
    """

    def inspect(
        kernel: object,
        *args: object,
        grid: int | tuple[int, ...] = 1,
        target: str | None = None,
        **keywords: object,
    ) -> Inspected:
        from gluon_inspect.pipeline import inspect as run_pipeline
        from gluon_inspect.recording.call import capture_call
        from gluon_inspect.workflow.inspected import Inspected

        wanted = target or str(request.config.getoption("--gluon-target"))
        report = Inspected.of(run_pipeline(capture_call(kernel, args, keywords, grid=grid, target=wanted)))
        request.config.stash[_MADE].append((request.node.nodeid, report))
        return report

    return inspect


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Under pytest-xdist: take a worker's reports. A worker that crashed has none to give."""
    from gluon_inspect.codec import decode
    from gluon_inspect.model.report import Report
    from gluon_inspect.workflow.inspected import Inspected

    sent = getattr(node, "workeroutput", {}).get(_SENT, "[]")
    for name, report in json.loads(sent):
        node.config.stash[_MADE].append((name, Inspected.of(decode(Report, report))))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the gathered reports, by the tests' names; a pytest-xdist worker sends its own to the main process."""
    file, made = session.config.getoption("--gluon-report"), session.config.stash[_MADE]
    if not file:
        return
    if hasattr(session.config, "workeroutput"):
        from gluon_inspect.codec import encode

        sent = json.dumps([(name, encode(report.plain())) for name, report in made])
        cast("Any", session.config).workeroutput[_SENT] = sent
        return
    from gluon_inspect.model.report import Report
    from gluon_inspect.report import load_format
    from gluon_inspect.workflow.selection import merged

    reports = [report for _, report in sorted(made, key=itemgetter(0))]
    path = Path(file)
    report = merged(reports) if reports else Report(())
    path.write_text(load_format(_SUFFIXES[path.suffix]).render(report), "utf-8")
