"""`python -m gluon_inspect.recording.child JOURNAL`: records the job that stands in the journal's folder.

With `--prepared DESCRIPTOR`, imports and waits: each folder that is sent there is recorded in a process split off.
"""

from __future__ import annotations

import atexit
import os
import sys
import warnings
from pathlib import Path
from typing import Any, NoReturn

from gluon_inspect.recording.child.missing import check_packages
from gluon_inspect.recording.child.opened import OpenedFiles
from gluon_inspect.recording.child.preloading import preload
from gluon_inspect.recording.child.splitting import jobs
from gluon_inspect.recording.environment import PARENT
from gluon_inspect.recording.job import Job
from gluon_inspect.recording.journal import JournalWriter
from gluon_inspect.recording.lifeline import end_with_parent
from gluon_inspect.recording.prepared import PREPARED


def main() -> int:
    """Records one job, or waits for some and splits off a process for each."""
    end_with_parent(int(os.environ[PARENT]))
    if sys.argv[1] != PREPARED:
        return record(Path(sys.argv[1]))
    for folder in jobs(int(sys.argv[2])):
        end_with_parent(int(os.environ[PARENT]))
        return record(folder)
    return 0


def record(folder: Path) -> int:
    """0 when the journal is complete, also if the script raised."""
    job = Job.read(folder / "job.json")
    journal = JournalWriter(folder)
    opened = OpenedFiles(folder)
    opened.install()
    warnings.filterwarnings("ignore", message="TRITON_DEFAULT_FP_FUSION is unset")
    try:
        if lacking := check_packages():
            journal.event("missing", package=lacking)
            return 0
        preload()
        from gluon_inspect.recording.child.session import record_in_process

        record_in_process(job, journal)
        journal.event("opened", files=opened.files())
    finally:
        journal.close()
    return 0


def leave(status: int) -> NoReturn:
    """Ends the process past the interpreter's teardown, where Triton's bindings report leaks."""
    exit_handlers: Any = atexit
    exit_handlers._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    leave(main())
