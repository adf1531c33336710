"""The other end of `capture.prepared`: imports what every recording needs, then splits off a process for each."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

from gluon_inspect.recording.child.missing import check_packages
from gluon_inspect.recording.child.preloading import preload
from gluon_inspect.recording.environment import PARENT, child_environment

_LONGEST_PATH = 4096


def jobs(descriptor: int) -> Iterator[Path]:
    """The folder of each job, in a process split off for it; ends in the process that waits, when nobody asks."""
    control = socket.socket(fileno=descriptor)
    if not check_packages():
        preload()
    while folder := control.recv(_LONGEST_PATH).decode():
        waiting = os.getpid()
        pid = os.fork()
        if pid == 0:
            yield _alone(control, Path(folder), waiting)
            return
        _, status = os.waitpid(pid, 0)
        control.sendall(str(os.waitstatus_to_exitcode(status)).encode())


def _alone(control: socket.socket, folder: Path, parent: int) -> Path:
    """Leads a group of its own before it tells its number: from then on the group may be killed."""
    os.setsid()
    os.environ.update(child_environment(os.environ, folder) | {PARENT: str(parent)})
    control.sendall(str(os.getpid()).encode())
    control.close()
    return folder
