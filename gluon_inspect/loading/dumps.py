"""MLIR dump logs: which compilations they hold, and the IR worth analysing of each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from io import StringIO

from gluon_inspect.ir.log import read_dump
from gluon_inspect.loading.cut import cut_module
from gluon_inspect.model.dump import DumpEntry, Level, Moment

_LOSES_LOOPS = "scf-to-cf"
"""The pass that turns loops into branches: the last IR worth analysing is the one before it."""
_STAGES = {Level.TRITON: "ttir", Level.TRITON_GPU: "ttgir"}


@dataclass(slots=True)
class DumpedKernel:
    """One compilation in a log: its part of the log, the last IR of each stage, and the lines they begin at."""

    name: str = ""
    log: StringIO = field(default_factory=StringIO)
    stages: dict[str, str] = field(default_factory=dict[str, str])
    lines: dict[str, int] = field(default_factory=dict[str, int])
    keeps_loops: bool = True
    missing: str = ""
    """What its last module lacks, where the log was cut in it."""
    last_line: int = 0
    """The log's last line, of its last compilation."""

    _replaced: tuple[str, str | None, int] | None = None
    """The stage that the last module took the place in, and what stood there."""

    def cut(self, missing: str, line: int) -> None:
        """The last module lacks something: the one before it, if any, stands for its stage."""
        self.missing, self.last_line = missing, line
        if not missing or self._replaced is None:
            return
        stage, text, first = self._replaced
        if text is not None:
            self.stages[stage], self.lines[stage] = text, first
        elif len(self.stages) > 1:
            del self.stages[stage], self.lines[stage]

    def take(self, entry: DumpEntry, piece: str, line: int) -> None:
        """One more module; `line` is that of its header in the log."""
        self.name = self.name or entry.kernel
        self.log.write(piece)
        if self.keeps_loops and entry.level in _STAGES and entry.moment is not Moment.INSIDE and not entry.failed:
            module = piece[entry.start - entry.header : entry.end - entry.header]
            before = piece[: entry.start - entry.header] + module[: len(module) - len(module.lstrip())]
            stage = _STAGES[entry.level]
            self._replaced = (stage, self.stages.get(stage), self.lines.get(stage, 0))
            self.stages[stage] = module.strip() + "\n"
            self.lines[stage] = line + before.count("\n")
        else:
            self._replaced = None
        self.keeps_loops = self.keeps_loops and _LOSES_LOOPS not in entry.argument


def compilations(lines: Iterable[str]) -> tuple[DumpedKernel, ...]:
    """The compilations of a log that is read line by line, in order. No second copy of the log is made."""
    found: dict[int, DumpedKernel] = {}
    line, last = 1, ""
    latest: DumpedKernel | None = None
    for entry, piece in read_dump(lines):
        if entry is not None:
            latest = found.setdefault(entry.compilation, DumpedKernel())
            latest.take(entry, piece, line)
            last = piece[entry.start - entry.header :]
        line += piece.count("\n")
    if latest is not None:
        latest.cut(cut_module(last), line)
    return tuple(found.values())
