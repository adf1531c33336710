"""An MLIR_ENABLE_DUMP log as offsets: what stands where, before anything is parsed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum


class Moment(StrEnum):
    """When a module was printed, seen from its pass; INSIDE is a pass's own print of an intermediate step."""

    BEFORE = "before"
    AFTER = "after"
    INSIDE = "inside"


class Level(IntEnum):
    """How far a module is lowered; a compilation never goes back."""

    TRITON = 0
    TRITON_GPU = 1
    LLVM = 2


@dataclass(frozen=True, slots=True)
class DumpEntry:
    """One print of a module or function.

    `name` is the pass's class ("TritonGPUCoalesce"), `argument` its command-line name, `options` what it was
    given. `operation` and `symbol` say what was printed ("tt.func", "kernel"; symbol empty for a module).
    `kernel` is the first public function of the compilation, empty where none was seen. Entries of one
    compilation share `compilation`. `start` and `end` are character offsets of the module's text in the log,
    `header` that of its header line.
    """

    index: int
    name: str
    argument: str
    options: str
    operation: str
    symbol: str
    moment: Moment
    failed: bool
    level: Level
    kernel: str
    compilation: int
    start: int
    end: int
    header: int = 0
