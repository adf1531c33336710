"""MLIR dump logs: which compilations they hold, and the IR worth analysing of each."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from gluon_inspect.capture.files.kind import Kind
from gluon_inspect.capture.files.texts import kernel_name

_HEADER = re.compile(r"^// -----// .*IR Dump (?:Before|After):? .*$", re.MULTILINE)
_LOSES_LOOPS = re.compile(r"Dump Before \S*(?:SCFToControlFlow|SCFToCF)")


@dataclass(slots=True)
class DumpedKernel:
    """One compilation in a log: its part of the log, and the last IR of each stage."""

    name: str
    log: str = ""
    stages: dict[str, str] = field(default_factory=dict[str, str])


def split_dump(log: str, otherwise: str) -> tuple[DumpedKernel, ...]:
    """The compilations of a log, in order.

    A new one begins where another function is named or the IR goes back to an earlier dialect.
    """
    found: list[DumpedKernel] = []
    level, frozen = -1, False
    for header, text in _segments(log):
        now, name = _level(text), kernel_name(text, Kind.TTGIR, otherwise)
        if not found or name != found[-1].name or 0 <= now < level:
            found.append(DumpedKernel(name))
            level, frozen = -1, False
        found[-1].log += header + text
        level = max(level, now)
        if now in (0, 1) and not frozen:
            found[-1].stages[("ttir", "ttgir")[now]] = text.strip() + "\n"
        frozen = frozen or _LOSES_LOOPS.search(header) is not None
    return tuple(found)


def _segments(log: str) -> list[tuple[str, str]]:
    headers = list(_HEADER.finditer(log))
    ends = [header.start() for header in headers[1:]] + [len(log)]
    return [(header[0], log[header.end() : end]) for header, end in zip(headers, ends, strict=True)]


def _level(text: str) -> int:
    """0 for tt, 1 for ttg, 2 for LLVM, -1 for IR that shows none of them."""
    if "tt.func" in text:
        return 1 if "ttg." in text else 0
    return 2 if "llvm.func" in text else -1
