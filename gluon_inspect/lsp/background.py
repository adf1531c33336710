"""One thread that inspects: what was asked for last about a script is done, what was asked before is given up."""

from __future__ import annotations

import threading
from collections.abc import Callable

from gluon_inspect.bulkheads import Fault, contained
from gluon_inspect.errors import InspectError
from gluon_inspect.model.request import Tell
from gluon_inspect.recording.prepared import prepared

Work = Callable[[Tell], None]
Failed = Callable[[str, InspectError | Fault], None]
Doing = Callable[[str, str], None]
"""Told the key and what is being done; nothing once it is over."""


class _Stopped(BaseException):  # passes through the bulkheads
    """Raised where work tells what it does, once nobody wants it any more."""


class Background:
    """Work by key, in the order in which it was asked for. Torch and Triton are imported once, in a child."""

    def __init__(self, failed: Failed, doing: Doing) -> None:
        self._failed, self._doing = failed, doing
        self._waiting: dict[str, Work] = {}
        self._running: _Running | None = None
        self._changed = threading.Condition()
        self._over = False
        self._thread = threading.Thread(target=self._run, name="inspecting", daemon=True)

    def start(self) -> None:
        """Begin to wait for work."""
        self._thread.start()

    def ask(self, key: str, work: Work) -> None:
        """Do it as soon as may be; what is under way or waiting under the same key is given up."""
        with self._changed:
            self._waiting.pop(key, None)
            self._waiting[key] = work
            if self._running is not None and self._running.key == key:
                self._running.stopped = True
            self._changed.notify()

    def stop(self, seconds: float = 5.0) -> None:
        """Give up everything and wait for the thread to end."""
        with self._changed:
            self._over = True
            self._waiting.clear()
            if self._running is not None:
                self._running.stopped = True
            self._changed.notify()
        if self._thread.is_alive():
            self._thread.join(seconds)

    def _run(self) -> None:
        with prepared():
            while (running := self._next()) is not None:
                self._do(running)

    def _next(self) -> _Running | None:
        with self._changed:
            self._running = None
            self._changed.wait_for(lambda: self._over or self._waiting)
            if self._over:
                return None
            key = next(iter(self._waiting))
            self._running = _Running(key, self._waiting.pop(key))
            return self._running

    def _do(self, running: _Running) -> None:
        def tell(doing: str) -> None:
            if running.stopped:
                raise _Stopped
            self._doing(running.key, doing)

        def work() -> Fault | None:
            try:
                tell("begun")
                return running.work(tell)
            except _Stopped:
                return None
            except InspectError as error:
                if not running.stopped:
                    self._failed(running.key, error)
                return None

        found = contained(running.key, work)
        if isinstance(found, Fault):
            self._failed(running.key, found)
        self._doing(running.key, "")


class _Running:
    """Work under way. `stopped` may be set from any thread."""

    def __init__(self, key: str, work: Work) -> None:
        self.key, self.work = key, work
        self.stopped = False
