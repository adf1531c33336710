"""A child process that does not outlive the one that reads what it writes."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1
"""linux/prctl.h"""


def end_with_parent(parent: int | None = None, by: int | None = None) -> None:
    """Have the kernel end this process when the thread that started it is gone: a script may run for ever.

    A parent that is killed cannot do it itself. One that was gone before this was asked for (`parent` is its
    number) is no longer there to give a sign, so this process ends at once. `by`: the signal (None: SIGKILL).
    Only on Linux; elsewhere the child runs to its end.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL if by is None else by, 0, 0, 0)
        if parent is not None and os.getppid() != parent:
            os._exit(1)
