"""The states of one compilation: the IR before every pass, and what the compiler left at the end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby

from gluon_inspect.model.artifact import CompiledKernel
from gluon_inspect.model.dump import DumpEntry, Level, Moment
from gluon_inspect.parsers.dump import index_dump


@dataclass(frozen=True, slots=True)
class State:
    """IR at one moment: a span of the log, or a text of its own (the last state). None: not printed."""

    level: Level
    text: str | None
    log: str = ""
    start: int = 0
    end: int = 0

    @property
    def ir(self) -> str | None:
        """The module's text; cut out of the log only when asked for."""
        return self.text if self.text is not None else (self.log[self.start : self.end] or None)

    @property
    def size(self) -> int:
        """Characters of the text."""
        return len(self.text) if self.text is not None else self.end - self.start


@dataclass(frozen=True, slots=True)
class PassRun:
    """One run of a pass: the state it found and the state it left (None: the log ends here)."""

    index: int
    name: str
    argument: str
    options: str
    scope: str
    """The function the pass ran on; empty for the whole module."""
    before: State | None
    after: State | None
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Compilation:
    """The passes of one kernel's compilation, in order."""

    kernel: str
    runs: tuple[PassRun, ...]
    error: str = ""


def compilations(log: str, stages: Mapping[str, str] | None = None, error: str = "") -> tuple[Compilation, ...]:
    """Every compilation in a log. `stages`: the artefacts of the last one, which give its final states."""
    groups = [tuple(group) for _, group in groupby(index_dump(log), key=lambda entry: entry.compilation)]
    last = len(groups) - 1
    return tuple(
        _compilation(log, group, stages if number == last else None, error if number == last else "")
        for number, group in enumerate(groups)
    )


def of_kernel(kernel: CompiledKernel) -> Compilation | None:
    """The passes of a captured kernel; None if its dump was not kept."""
    found = compilations(kernel.dump, kernel.stages, kernel.error) if kernel.dump else ()
    return found[-1] if found else None


def _compilation(
    log: str, entries: tuple[DumpEntry, ...], stages: Mapping[str, str] | None, error: str
) -> Compilation:
    kernel = next((entry.kernel for entry in entries if entry.kernel), "")
    shown = [entry for entry in entries if entry.moment is not Moment.INSIDE]
    befores = [entry for entry in shown if entry.moment is Moment.BEFORE]
    afters = [entry for entry in shown if entry.moment is Moment.AFTER]
    runs = _from_befores(log, befores, stages or {}) if befores else _from_afters(log, afters)
    return Compilation(kernel, runs, error)


def _from_befores(log: str, entries: list[DumpEntry], stages: Mapping[str, str]) -> tuple[PassRun, ...]:
    states = [_state(log, entry) for entry in entries]
    runs: list[PassRun] = []
    for number, (entry, state) in enumerate(zip(entries, states, strict=True)):
        following = states[number + 1] if number + 1 < len(states) else _final(entry, stages)
        runs.append(_run(number, entry, state, following))
    return tuple(runs)


def _from_afters(log: str, entries: list[DumpEntry]) -> tuple[PassRun, ...]:
    runs: list[PassRun] = []
    before: State | None = None
    for number, entry in enumerate(entries):
        state = _state(log, entry)
        runs.append(_run(number, entry, before, state))
        before = state
    return tuple(runs)


def _run(number: int, entry: DumpEntry, before: State | None, after: State | None) -> PassRun:
    return PassRun(number, entry.name, entry.argument, entry.options, entry.symbol, before, after, entry.failed)


def _state(log: str, entry: DumpEntry) -> State:
    return State(entry.level, None, log, entry.start, entry.end)


def _final(entry: DumpEntry, stages: Mapping[str, str]) -> State | None:
    """What the last printed pass left, as far as an artefact shows it. LLVM IR is another language."""
    names = {Level.TRITON: "ttir", Level.TRITON_GPU: "ttgir"}
    text = stages.get(names.get(entry.level, ""))
    return None if text is None else State(entry.level, text)
