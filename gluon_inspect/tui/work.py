"""What runs in a thread: it tells what it does, and can be stopped between two steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from textual.message import Message

from gluon_inspect.errors import CaptureError, InspectError
from gluon_inspect.model.report import KernelReport
from gluon_inspect.model.request import Request
from gluon_inspect.tui.messages import Cancelled, Doing, Failed, Inspected, Recompiled

Post = Callable[[Message], object]
Stamps = Mapping[str, tuple[int, int]]
"""By file: time of the last write in nanoseconds, and size in bytes."""


class StoppedError(Exception):
    """Raised out of the progress callback: the recording's process ends with it."""


@dataclass
class Job:
    """Something the background does. `stop` may be called from any thread."""

    request: Request
    post: Post
    stopped: bool = False

    def stop(self) -> None:
        """Give up at the next step."""
        self.stopped = True

    def run(self) -> None:
        """Do it and post what came of it."""
        raise NotImplementedError

    def _tell(self, doing: str) -> None:
        if self.stopped:
            raise StoppedError
        self.post(Doing(doing))


@dataclass
class Inspection(Job):
    """Record or load the input, and analyse it; then measure, if that is wanted."""

    def run(self) -> None:
        """Post the report, the error or that it was cancelled. Bugs are not caught."""
        try:
            self._inspect()
        except StoppedError:
            self.post(Cancelled())
        except InspectError as error:
            self.post(Cancelled() if self.stopped else Failed(error))

    def _inspect(self) -> None:
        from gluon_inspect.workflow.inspection import inspect_all, measure_all

        measures = self.request.measure or self.request.counters is not None
        outcome = inspect_all(replace(self.request, measure=False, counters=None), self._tell)
        report = outcome.report()
        self._tell("measuring" if measures else "done")
        self.post(Inspected(report, outcome.failures, more=measures))
        if measures:
            found = measure_all(outcome, self.request, self._tell)
            self._tell("done")
            self.post(Inspected(found.report(), found.failures))


@dataclass
class Recompilation(Job):
    """Record the script again with a constexpr layout of one kernel replaced, and inspect that kernel again."""

    before: KernelReport = field(kw_only=True)
    parameter: str = field(kw_only=True)
    layout: str = field(kw_only=True)

    def run(self) -> None:
        """Post the kernel as it would be, the error or that it was cancelled."""
        from gluon_inspect.explaining.trial import same_launch
        from gluon_inspect.workflow.inspection import inspect_substituted

        kernel = self.before.kernel
        change = (kernel.name, self.parameter, kernel.constexprs[self.parameter], self.layout)
        try:
            found = inspect_substituted(self.request, kernel.target, [change], self._tell)
            self._tell("done")
        except StoppedError:
            self.post(Cancelled())
        except InspectError as error:
            self.post(Cancelled() if self.stopped else Recompiled(self.before, error))
        else:
            after = same_launch(self.before, found.kernels)
            self.post(Recompiled(self.before, after or CaptureError("the script did not launch it again")))


def stamps(files: Iterable[str]) -> Stamps:
    """When files were last written; those that are not there are left out."""
    found: dict[str, tuple[int, int]] = {}
    for file in files:
        path = Path(file.partition("::")[0])
        if path.is_file():
            status = path.stat()
            found[file] = (status.st_mtime_ns, status.st_size)
    return found


def changed(before: Stamps, after: Stamps) -> str:
    """The first file that was written in between; empty if none was."""
    return next((file for file, stamp in after.items() if file in before and before[file] != stamp), "")
