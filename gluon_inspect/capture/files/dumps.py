"""MLIR dump logs: which compilations they hold, and the IR worth analysing of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

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
    end = 0
    for _, group in groupby(index_dump(log), key=lambda entry: entry.compilation):
        entries = tuple(group)
        name = next((entry.kernel for entry in entries if entry.kernel), otherwise)
        yield DumpedKernel(name, log[end : entries[-1].end], _stages(log, entries))
        end = entries[-1].end


def _stages(log: str, entries: Sequence[DumpEntry]) -> dict[str, str]:
    stages: dict[str, str] = {}
    for entry in entries:
        if entry.level in _STAGES and entry.moment is not Moment.INSIDE and not entry.failed:
            stages[_STAGES[entry.level]] = log[entry.start : entry.end].strip() + "\n"
        if _LOSES_LOOPS in entry.argument:
            break
    return stages
