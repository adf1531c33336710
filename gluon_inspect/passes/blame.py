"""Which pass made the operations of a source line what they are."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gluon_inspect.addresses.axis_analysis import AxisAnalysis
from gluon_inspect.addresses.global_access import Context, find_accesses
from gluon_inspect.errors import InspectError
from gluon_inspect.model.dump import Level
from gluon_inspect.model.location import Location
from gluon_inspect.model.mlir import Module, Operation
from gluon_inspect.model.target import Target
from gluon_inspect.parsers.mlir import parse_module
from gluon_inspect.passes.normalised import readable
from gluon_inspect.passes.states import PassRun, State
from gluon_inspect.passes.timeline import Timeline

_WARPS = 4
_PREFIXES = ("tt.load", "tt.store", "tt.dot", "tt.atomic", "ttg.", "ttng.", "amdg.", "amdgpu.", "gluon.")
_RESULTS = re.compile(r"^%[^=]*= ")
_VALUE = re.compile(r"%[\w$.-]+(?:#\d+)?")
_UNINTERESTING = ("ttg.async_commit_group", "ttg.warp_id", "ttg.barrier")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is followed: a line of a file (any file if empty), and operations of some name (any if empty)."""

    line: int
    file: str = ""
    operation: str = ""

    def matches(self, op: Operation) -> bool:
        """Whether an operation is one of those followed."""
        if op.location is None or not any(self._here(place) for place in op.location.chain):
            return False
        if self.operation:
            return op.name == self.operation
        return op.name.startswith(_PREFIXES) and op.name not in _UNINTERESTING

    def _here(self, place: Location) -> bool:
        return place.line == self.line and (not self.file or place.file.endswith(self.file))


@dataclass(frozen=True, slots=True)
class Step:
    """One pass that changed what a line became: excerpts gone and excerpts new."""

    run: PassRun
    removed: tuple[str, ...]
    added: tuple[str, ...]
    creates: bool = False


def blame(timeline: Timeline, wanted: Wanted, target: Target) -> tuple[Step, ...]:
    """The passes that created or changed the operations of a line, in order."""
    steps: list[Step] = []
    seen: tuple[str, ...] | None = None
    for run in timeline.compilation.runs:
        if run.after is None or run.after.level is Level.LLVM:
            continue
        if seen is None:
            seen = _excerpts(run.before, wanted, target)
        if timeline.changed(run) is False:
            continue
        found = _excerpts(run.after, wanted, target)
        if found != seen:
            removed, added = _difference(seen, found)
            if removed or added:
                steps.append(Step(run, removed, added, creates=not seen))
        seen = found
    return tuple(steps)


def origin(timeline: Timeline, wanted: Wanted, target: Target) -> tuple[str, ...]:
    """What the line was in the first state that was printed."""
    runs = timeline.compilation.runs
    return _excerpts(runs[0].before, wanted, target) if runs else ()


def _difference(before: tuple[str, ...], after: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    rest = list(after)
    removed: list[str] = []
    for excerpt in before:
        if excerpt in rest:
            rest.remove(excerpt)
        else:
            removed.append(excerpt)
    return tuple(removed), tuple(rest)


def _excerpts(state: State | None, wanted: Wanted, target: Target) -> tuple[str, ...]:
    text = None if state is None else state.ir
    if text is None or f":{wanted.line}:" not in text:
        return ()
    try:
        module = parse_module(text)
    except InspectError:
        return ()
    widths = _widths(module, target)
    return tuple(_described(op, text, widths) for op in module.walk() if wanted.matches(op))


def _widths(module: Module, target: Target) -> dict[int, int]:
    found: dict[int, int] = {}
    for function in module.functions():
        for start, access in find_accesses(function, Context(target, AxisAnalysis(function), _WARPS)).items():
            if access.layout is not None and access.element_bits:
                found[start] = access.vector * access.element_bits
    return found


def _described(op: Operation, text: str, widths: dict[int, int]) -> str:
    line = text[op.span.start : op.span.end].split("\n", 1)[0]
    # values are renumbered by every pass, so their names say nothing
    shown = _VALUE.sub("%", _RESULTS.sub("", readable(line, text)))
    bits = widths.get(op.span.start)
    return f"{shown}   // {bits} bits a lane" if bits else shown
