"""Every compilation of a script: which go where, and what the script hears of them."""

from __future__ import annotations

import importlib
import json
import linecache
import os
import threading
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from gluon_inspect.loading.stored import find, stored
from gluon_inspect.recording.child import described
from gluon_inspect.recording.child.blame import blame
from gluon_inspect.recording.child.compiler import Call, Compiler, current_target
from gluon_inspect.recording.child.kernels import source_of, triton_version
from gluon_inspect.recording.child.madeup import MadeUp
from gluon_inspect.recording.child.patches import Patches
from gluon_inspect.recording.child.pending import Order, Outcome, PendingKernel, SkippedKernel
from gluon_inspect.recording.child.workers import Task, Workers
from gluon_inspect.recording.child.writes import UNKNOWN, Effects
from gluon_inspect.recording.journal import JournalWriter

_GETPID = os.getpid
"""Taken before the script runs, which may put another in its place."""
_WARM_BEFORE = 2
"""Where one kernel is all there is, preparing for more is not worth it."""


class CompilationRecorder:
    """Stands for triton.compile: compilations go to processes of their own, the journal says what comes of each.

    The script gets a kernel that waits for its compilation where it is asked what only that tells, and at once
    where the script is ready for a failure (`must_wait`), and compiles itself where no process can be split.

    `configuration`: what a tuner tries at the moment. `bare`: without the passes' IR and what costs no time.
    """

    def __init__(
        self,
        journal: JournalWriter,
        target: str,
        made_up: MadeUp,
        skipped: Mapping[str, str] | None = None,
        slots: int = 0,
        must_wait: Callable[[], bool] = lambda: True,
        configuration: Callable[[], Mapping[str, str]] = dict,
        *,
        cached: bool = False,
        bare: bool = False,
    ) -> None:
        self._configuration, self._suffix = configuration, "-bare" if bare else ""
        self._made_up = made_up
        self._skipped = skipped or {}
        self._journal = journal
        self._cached, self._must_wait = cached, must_wait
        self._owner = _GETPID()
        self._lock = threading.RLock()
        cache = os.environ.get("TRITON_CACHE_DIR", str(journal.blobs.parent / "cache"))
        self._compiler = Compiler(journal, target, cache, bare=bare)
        self._workers = Workers(slots, self._tell_death) if Workers.are_possible(slots) else None
        self._orders: dict[str, Order] = {}
        self._sources: set[str] = set()

    def install(self, patches: Patches) -> None:
        """Replaces compile under every name by which it is called."""
        compiler: Any = importlib.import_module("triton.compiler.compiler")
        self._original = compiler.compile
        for module in ("triton.compiler.compiler", "triton.compiler", "triton"):
            patches.set(importlib.import_module(module), "compile", self._compile)
        # the cache is a recording's own and empty: no need to hash all of Triton to tell it from another
        patches.set(importlib.import_module("triton.runtime.cache"), "triton_key", triton_version)
        patches.set(os, "_exit", self._leaving(os._exit))
        patches.set(os, "abort", self._leaving(os.abort))
        described.install(patches)
        patches.on_exit(self.finish)

    def finish(self) -> None:
        """Waits for all compilations."""
        if self._workers is not None and _GETPID() == self._owner:
            self._workers.finish()

    def effects(self, kernel: str) -> Effects:
        """What a launch of a kernel, by its hash, does to memory."""
        order = self._orders.get(kernel)
        return Effects(partial(self._text, order)) if order else self._compiler.effects.get(kernel, UNKNOWN)

    def _compile(self, src: Any, *arguments: Any, **options: Any) -> Any:
        if _GETPID() != self._owner:
            return self._original(src, *arguments, **options)
        with self._lock:
            if self._made_up.has_news():  # whatever ends the process, what was said by now is kept
                self._journal.event("notes", texts=self._made_up.notes())
            call = Call(src, partial(self._original, src, *arguments, **options))
            if call.key in self._skipped:
                self._compiler.failed(call, self._skipped[call.key])
                return SkippedKernel(call.name, call.key)
            self._keep_source(call)
            if self._workers is None:
                return self._compiler.compiled_here(call)
            target = options.get("target") or (arguments[0] if arguments else None) or current_target()
            key = described.compilation_key(src, target, options.get("options"))
            return self._ordered(call, f"{key}{self._suffix}")

    def _ordered(self, call: Call, name: str) -> PendingKernel:
        order = self._orders.get(name)
        if order is None:
            order = self._orders[name] = Order(call, name)
            self._journal.event("queued", id=name, name=call.name, configuration=self._configuration())
            if self._cached and find(name) is not None:
                self._journal.event("compiled", id=name, cached=name)
                order.is_cached = True
            else:
                self._start(order)
        elif self._workers is not None:
            self._workers.look()
        kernel = PendingKernel(order, call.src, self)
        if self._must_wait():
            kernel.check()
        return kernel

    def _start(self, order: Order) -> None:
        if self._workers is not None:
            if len(self._orders) == _WARM_BEFORE:
                self._compiler.warm_up()
            work = partial(self._compiler.compiled_elsewhere, order, len(self._orders))
            order.task = self._workers.add(work)

    def outcome(self, order: Order) -> Outcome:
        """What became of a compilation, as soon as it has ended."""
        with self._lock:
            if order.task is None:
                self._start(order)
            if order.task is None or self._workers is None or _GETPID() != self._owner:
                return Outcome("not compiled in this process")
            self._workers.wait(order.task)
            if order.task.died:
                return Outcome(f"the compiler died ({order.task.died})")
            found = Outcome(**json.loads(order.task.said))
            self._compiler.padding_bytes = found.padding_bytes
            return found

    def raised(self, order: Order, outcome: Outcome) -> NoReturn:
        """Raises what the compiler raised, by compiling once more, here; not what would kill this process too."""
        if outcome.raised:
            with self._compiler.quietly():
                try:
                    order.call.work()
                except Exception as error:
                    blame(error, order.call.key)
                    raise
        failure = RuntimeError(outcome.failed)
        blame(failure, order.call.key)
        raise failure

    def waits(self) -> bool:
        """Whether the script is ready for a launch that fails, and so must hear of it."""
        return self._must_wait()

    def _text(self, order: Order) -> str | None:
        """The TTGIR of a compilation, waited for; None where there is none."""
        if order.is_cached and (content := find(order.name)) is not None:
            return stored(content).stages.get("ttgir", "")
        group = self.outcome(order).group
        return next((Path(path).read_text() for name, path in group.items() if name.endswith(".ttgir")), None)

    def _tell_death(self, task: Task) -> None:
        for order in self._orders.values():
            if order.task is task:
                self._journal.event("died", id=order.name, how=task.died)

    def _leaving(self, end: Callable[..., NoReturn]) -> Callable[..., NoReturn]:
        """A script that ends its process past everything does so when its kernels are compiled."""

        def leave(*status: int) -> NoReturn:
            self.finish()
            end(*status)

        return leave

    def _keep_source(self, call: Call) -> None:
        """The kernel's file as it is now: a script may have written it to a folder that it removes again."""
        file = source_of(call.src).get("source_file", "")
        if file not in self._sources and (lines := linecache.getlines(file)):
            self._sources.add(file)
            text = "".join(lines)
            self._journal.event("source", file=file, text=self._journal.put(text.encode(errors="replace")))
