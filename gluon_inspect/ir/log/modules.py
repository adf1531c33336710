"""Where a printed module ends, how far it is lowered, and whose it is: seen without parsing it."""

from __future__ import annotations

import re

from gluon_inspect.ir.operations import llvm, tt
from gluon_inspect.model.dump import Level

HEAD_CHARACTERS = 200_000
"""How much of a module is looked at for its kernel and level; aliases and module attributes come first."""

_FUNCTION = re.compile(
    r"tt\.func (?:public )?@\"?([\w.$-]+)|llvm\.func [^@\n]*@\"?([\w.$-]+)[^\n]*(?:nvvm\.kernel|rocdl\.kernel)"
)
_TAIL = re.compile(r"\}[^\n]*+\n?|[#!][\w$.-]+ = [^\n]*+\n?|\s*+\n|\{-#[\s\S]*?#-\}\n?")
"""A line that may follow the last line of a module's own text."""

_LAST = re.compile(r"[#!][\w$.-]+ = |\}")


def level_of(text: str, operation: str, start: int, head: int) -> Level:
    """How far the module between two offsets is lowered."""
    if operation.startswith(llvm.PREFIX) or text.find(f"{llvm.FUNC.name} ", start, head) >= 0:
        return Level.LLVM
    marks = ("ttg.num-warps", "= #ttg.")
    is_gpu = any(text.find(mark, start, head) >= 0 for mark in marks)
    return Level.TRITON_GPU if is_gpu else Level.TRITON


def kernel_of(text: str, start: int, head: int) -> str:
    """The first public function, empty where none is seen."""
    public = text.find(f"{tt.FUNC.name} public @", start, head)
    match = _FUNCTION.search(text, public if public >= 0 else start, head)
    return (match[1] or match[2]) if match else ""


def module_end(text: str, start: int, end: int) -> int:
    """The end of the first operation printed and its aliases; other output may follow it.

    Mostly the last line shows that nothing does. Otherwise: the printer closes the outermost operation, and
    nothing else, in the first column. Without such a line the module is cut off and has all there is.
    """
    last = _last_line(text, start, end)
    if _LAST.match(text, last, end):
        return end
    close = start if text.startswith("}", start) else text.find("\n}", start, end) + 1
    if close <= start:
        return end
    stop = close
    while match := _TAIL.match(text, stop, end):
        stop = match.end()
    return stop


def _last_line(text: str, start: int, end: int) -> int:
    """Where the last line that is not blank begins."""
    while end > start and text[end - 1].isspace():
        end -= 1
    return max(text.rfind("\n", start, end) + 1, start)
