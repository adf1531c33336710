"""A child process that does not outlive the one that reads what it writes."""

from __future__ import annotations

import ctypes
import signal
import sys

_PR_SET_PDEATHSIG = 1
"""linux/prctl.h"""


def end_with_parent() -> None:
    """Have the kernel kill this process when the thread that started it is gone: a script may run for ever.

    A parent that is killed cannot do it itself. Only on Linux; elsewhere the child runs to its end.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
