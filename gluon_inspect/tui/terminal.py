"""Keeps the terminal whole: what the script, Triton and the tools print goes to a file, not onto the screen."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager

_MOST_BYTES = 1 << 20


@contextmanager
def own_terminal() -> Generator[Callable[[], str]]:
    """While inside, file descriptor 2 is a file and the screen is drawn through a copy of the old one.

    Child processes inherit the file. Yields what was printed so far (its last megabyte).
    """
    sys.stderr.flush()
    screen = os.fdopen(os.dup(2), "w", encoding="utf-8", errors="replace")
    before = sys.__stderr__
    with tempfile.TemporaryFile() as printed:
        os.dup2(printed.fileno(), 2)
        sys.__stderr__ = screen
        try:
            yield lambda: _tail(printed.fileno())
        finally:
            sys.__stderr__ = before
            screen.flush()
            os.dup2(screen.fileno(), 2)
            screen.close()


def _tail(descriptor: int) -> str:
    size = os.fstat(descriptor).st_size
    start = max(size - _MOST_BYTES, 0)
    return os.pread(descriptor, size - start, start).decode(errors="replace")
