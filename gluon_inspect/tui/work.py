"""The inspection in a thread: it tells what it does, and can be stopped between two steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from textual.message import Message

from gluon_inspect.errors import InspectError
from gluon_inspect.tui.messages import Cancelled, Doing, Failed, Inspected
from gluon_inspect.workflow.request import Request

Post = Callable[[Message], object]
Stamps = Mapping[str, tuple[int, int]]
"""By file: time of the last write in nanoseconds, and size in bytes."""


class StoppedError(Exception):
    """Raised out of the progress callback: the recording's process ends with it."""


@dataclass
class Inspection:
    """One run. `stop` may be called from any thread; nothing is posted after `Cancelled`."""

    request: Request
    post: Post
    stopped: bool = False

    def stop(self) -> None:
        """Give up at the next step."""
        self.stopped = True

    def run(self) -> None:
        """Record or load, analyse, and post what came of it. Bugs are not caught."""
        from gluon_inspect.workflow.inspection import inspect_all

        try:
            outcome = inspect_all(self.request, self._tell)
            report = outcome.report()
            self._tell("done")
        except StoppedError:
            self.post(Cancelled())
        except InspectError as error:
            self.post(Cancelled() if self.stopped else Failed(error))
        else:
            self.post(Inspected(report, outcome.failures))

    def _tell(self, doing: str) -> None:
        if self.stopped:
            raise StoppedError
        self.post(Doing(doing))


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
