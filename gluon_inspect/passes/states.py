"""The states of one compilation: the IR before every pass, and what the compiler left at the end."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from gluon_inspect.ir.log import index_dump
from gluon_inspect.ir.operations import builtin
from gluon_inspect.model.artifact import CompiledKernel
from gluon_inspect.model.dump import DumpEntry, Level, Moment
from gluon_inspect.passes.failure import Failure, failure_in

_MODULE = builtin.MODULE.name
_INLINERS = ("inline",)
"""Passes that run others, function by function, in the middle of their own work."""


@dataclass(frozen=True, slots=True)
class State:
    """IR at one moment: a span of a log, or a whole text (an artefact).

    `function`: only this function was printed. `is_llvm_ir`: LLVM IR proper and no longer MLIR.
    """

    level: Level
    log: str = field(repr=False)
    start: int
    end: int
    function: str = ""
    is_llvm_ir: bool = False

    @property
    def ir(self) -> str:
        """The text; cut out of the log only when asked for."""
        return self.log[self.start : self.end]

    @property
    def is_whole(self) -> bool:
        """Whether the outermost operation is closed: the last print of a log may be cut off."""
        closed = self.log.rfind("\n}", self.start, self.end) >= 0
        return closed or self.is_llvm_ir or self.log.startswith("}", self.start)


@dataclass(frozen=True, slots=True)
class PassRun:
    """One run of a pass: the state it found and the state it left (None: not printed).

    `scope` is the function it ran on, empty for the whole module. `within` is the pass that ran it in the
    middle of its own work, so that what changed here may be that pass's doing.
    """

    index: int
    name: str
    argument: str
    options: str
    scope: str
    before: State | None
    after: State | None
    failed: bool = False
    within: str = ""


@dataclass(frozen=True, slots=True)
class Compilation:
    """The passes of one kernel's compilation, in order; `failure` where it did not end well."""

    kernel: str
    runs: tuple[PassRun, ...]
    failure: Failure | None = None

    @property
    def outer(self) -> tuple[PassRun, ...]:
        """The runs that no other pass made: together they are the whole compilation."""
        return tuple(run for run in self.runs if not run.within)


def compilations(log: str, stages: Mapping[str, str] | None = None, error: str = "") -> tuple[Compilation, ...]:
    """Every compilation in a log. `stages` and `error` are what became of the last one."""
    entries = index_dump(log)
    groups: dict[int, list[DumpEntry]] = {}
    for entry in entries:
        groups.setdefault(entry.compilation, []).append(entry)
    last = len(groups) - 1
    return tuple(
        _compilation(log, group, _tail(log, group[-1], entries), (stages or {}), error)
        if number == last
        else _compilation(log, group, _tail(log, group[-1], entries), {}, "")
        for number, group in enumerate(groups.values())
    )


def of_kernel(kernel: CompiledKernel) -> Compilation | None:
    """The passes of a captured kernel; None if its dump was not kept."""
    found = compilations(kernel.dump, kernel.stages, kernel.error) if kernel.dump else ()
    return found[-1] if found else None


def _tail(log: str, last: DumpEntry, entries: Sequence[DumpEntry]) -> str:
    """What was written between a compilation's last module and the next header."""
    following = last.index + 1
    end = entries[following].header if following < len(entries) else len(log)
    return log[last.end : end]


def _compilation(
    log: str, entries: Sequence[DumpEntry], tail: str, stages: Mapping[str, str], error: str
) -> Compilation:
    kernel = next((entry.kernel for entry in entries if entry.kernel), "")
    shown = [entry for entry in entries if entry.moment is not Moment.INSIDE]
    runs = _linked(_runs(log, shown), _artefact(log, entries[-1], stages))
    failure = failure_in(tail, error, runs[-1].name if runs else "", entries[-1])
    if failure is not None and runs and failure.pass_name == runs[-1].name:
        runs = (*runs[:-1], replace(runs[-1], failed=True))
    return Compilation(kernel, runs, failure)


def _runs(log: str, entries: Sequence[DumpEntry]) -> list[PassRun]:
    """One run a pass, each with what was printed before and after it itself."""
    runs: list[PassRun] = []
    inliner = ""
    for entry in entries:
        inliner = "" if entry.operation == _MODULE else inliner
        state = State(entry.level, log, entry.start, entry.end, _alone(log, entry))
        last = runs[-1] if runs else None
        if entry.moment is Moment.BEFORE:
            runs.append(_run(len(runs), entry, state, None, inliner))
        elif last is not None and last.after is None and (last.name, last.scope) == (entry.name, entry.symbol):
            runs[-1] = replace(last, after=state, failed=entry.failed)
        else:
            runs.append(_run(len(runs), entry, last.after if last else None, state, inliner))
        inliner = entry.name if entry.argument in _INLINERS else inliner
    return runs


def _run(index: int, entry: DumpEntry, before: State | None, after: State | None, within: str) -> PassRun:
    names = (entry.name, entry.argument, " ".join(entry.options.split()), entry.symbol)
    return PassRun(index, *names, before, after, entry.failed, within)


def _linked(runs: Sequence[PassRun], final: State | None) -> tuple[PassRun, ...]:
    """The same with the state after each pass: what stands before the next, or the artefact."""
    linked: list[PassRun] = []
    following, beyond = final, final
    for run in reversed(runs):
        after = run.after or (following if run.within else beyond)
        linked.append(replace(run, after=_narrowed(after, run.before)))
        following = run.before
        beyond = beyond if run.within else run.before
    return tuple(reversed(linked))


def _alone(log: str, entry: DumpEntry) -> str:
    """The function's name where only it was printed and not the module around it."""
    if entry.operation == _MODULE:
        return ""
    outermost = re.compile(r"^(?:module\b|\"?builtin\.module\b)", re.MULTILINE)
    return "" if outermost.search(log, entry.start, entry.end) else entry.symbol


def _narrowed(after: State | None, before: State | None) -> State | None:
    """A module's state, cut down to the function that the state before shows alone."""
    if after is None or before is None or after.function == before.function:
        return after
    if not before.function or after.function:
        return None
    text = after.ir
    found = re.search(rf"^ +\S*\bfunc\b[^\n]*@\"?{re.escape(before.function)}\"?\(", text, re.MULTILINE)
    close = text.find("\n  }", found.start()) if found else -1
    if found is None or close < 0:
        return None
    aliases = "\n".join(line for line in text.split("\n") if line.startswith(("#", "!")))
    alone = f"{aliases}\n{text[found.start() : text.find(chr(10), close + 1)]}\n"
    return State(after.level, alone, 0, len(alone), before.function)


def _artefact(log: str, last: DumpEntry, stages: Mapping[str, str]) -> State | None:
    """What the last printed pass left, as the artefacts show it: LLVM IR after the LLVM dialect."""
    names = {Level.TRITON: "ttir", Level.TRITON_GPU: "ttgir", Level.LLVM: "llir"}
    text = stages.get(names[last.level], "")
    # An artefact that itself was taken from the log does not say what came after.
    if not text or log.find(text.strip()) >= 0:
        return None
    return State(last.level, text, 0, len(text), is_llvm_ir=last.level is Level.LLVM)
