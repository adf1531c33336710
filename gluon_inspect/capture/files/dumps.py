"""MLIR dump logs: which compilations they hold, and the IR worth analysing of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gluon_inspect.model.dump import DumpEntry, Level, Moment
from gluon_inspect.parsers.dump import index_dump

_LOSES_LOOPS = "scf-to-cf"
"""The pass that turns loops into branches: the last IR worth analysing is the one before it."""
_STAGES = {Level.TRITON: "ttir", Level.TRITON_GPU: "ttgir"}


@dataclass(frozen=True, slots=True)
class DumpedKernel:
    """One compilation in a log: its part of the log, and the last IR of each stage."""

    name: str
    log: str
    stages: dict[str, str]


def compilations(log: str, otherwise: str) -> Iterator[DumpedKernel]:
    """The compilations of a log, in order; `otherwise` names one whose function was never seen."""
    entries = index_dump(log)
    groups: dict[int, list[DumpEntry]] = {}
    for entry in entries:
        groups.setdefault(entry.compilation, []).append(entry)
    for group in groups.values():
        name = next((entry.kernel for entry in group if entry.kernel), otherwise)
        yield DumpedKernel(name, _part(log, group, entries), _stages(log, group))


def _part(log: str, group: Sequence[DumpEntry], entries: Sequence[DumpEntry]) -> str:
    """What stands from each of a group's headers to the next header: its modules and what was said after them."""
    if len(group) == len(entries):
        return log
    starts = [*(entry.header for entry in entries), len(log)]
    spans: list[list[int]] = []
    for entry in group:
        start, end = starts[entry.index], starts[entry.index + 1]
        if spans and spans[-1][1] == start:
            spans[-1][1] = end
        else:
            spans.append([start, end])
    return "".join(log[start:end] for start, end in spans)


def _stages(log: str, entries: Sequence[DumpEntry]) -> dict[str, str]:
    last: dict[str, DumpEntry] = {}
    for entry in entries:
        if entry.level in _STAGES and entry.moment is not Moment.INSIDE and not entry.failed:
            last[_STAGES[entry.level]] = entry
        if _LOSES_LOOPS in entry.argument:
            break
    return {stage: log[entry.start : entry.end].strip() + "\n" for stage, entry in last.items()}
