"""Texts that end in the middle: a log of a killed process, a full disk, a copy that was not the whole.

What stands before the cut is read all the same, so nobody would notice; here it is noticed. Each rule is about
what the writing tool always puts at the end. The answer is what is missing, as a clause, or "" for a whole text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from gluon_inspect.assembly.sass import parse_sass
from gluon_inspect.errors import ParseError
from gluon_inspect.loading.kind import Kind
from gluon_inspect.model.asm import Function

_COMMENT_OR_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_SASS_ENDS = frozenset({"EXIT", "RET", "BRA", "BRX", "JMP", "JMX", "NOP", "KILL", "BPT", "CALL", "RTT"})
_SASS_LABEL = re.compile(r"`\((\.L_\w+)\)")
_SASS_PADDED_BYTES, _SASS_BYTES = 128, 16
"""A function's code fills whole lines of the instruction cache; an instruction of Volta and later has 16 bytes."""
_AMD_ENDS = ("s_endpgm", "s_branch", "s_setpc_b64", "s_code_end", "s_nop", "s_trap")
_AMD_INSTRUCTION = re.compile(r"^\s+([a-z]\w+_\w+)\b")
_AMD_BLOCKS = ((".amdhsa_kernel", ".end_amdhsa_kernel"), (".amdgpu_metadata", ".end_amdgpu_metadata"))
_PLACE = re.compile(r"#loc\d*\b")
_PLACED = re.compile(r"^(#loc\d*) = ", re.MULTILINE)


def cut_text(text: str, kind: Kind) -> str:
    """What is missing at the end of assembly; "" for other kinds."""
    check = _CHECKS.get(kind)
    return check(text) if check is not None else ""


def cut_module(text: str) -> str:
    """What is missing of the last module of a dump log, from its first line to the log's end."""
    if not text.endswith("\n"):
        return "its last line has no end"
    if "\n}" not in text:
        return "its last module is not closed"
    undefined = set(_PLACE.findall(text)) - set(_PLACED.findall(text))
    return f"{min(undefined)} is never defined in its last module" if undefined else ""


def _ptx(text: str) -> str:
    depth = 0
    for mark in re.findall(r"[{}]", _COMMENT_OR_STRING.sub("", text)):
        depth += 1 if mark == "{" else -1
    return "a brace is not closed" if depth > 0 else ""


def _sass(text: str) -> str:
    last = text.rstrip().rpartition("\n")[2].lstrip()
    if last.startswith("//## File"):
        return "no instruction follows the last source line"
    if last.startswith("/*") and not last.endswith((";", "*/")):
        return "its last line has no end"
    try:
        functions = parse_sass(text).functions
    except ParseError:
        return ""  # whoever reads it says so
    return next((missing for each in functions if (missing := _sass_function(each))), "")


def _sass_function(function: Function) -> str:
    if not function.instructions:
        return f"{function.name} has no instruction"
    last = function.instructions[-1]
    if last.root not in _SASS_ENDS:
        return f"{function.name} ends with {last.root}, and goes on from there"
    if last.offset >= 0 and (last.offset + _SASS_BYTES) % _SASS_PADDED_BYTES:
        return f"{function.name} ends at 0x{last.offset + _SASS_BYTES:x}, short of {_SASS_PADDED_BYTES} bytes"
    targets = {name for each in function.instructions for name in _SASS_LABEL.findall(each.text)}
    missing = sorted(targets - set(function.labels))
    return f"{function.name} jumps to {missing[0]}, which is not there" if missing and function.labels else ""


def _amdgcn(text: str) -> str:
    for begin, end in _AMD_BLOCKS:
        if len(re.findall(rf"^\s*{re.escape(begin)}\b", text, re.MULTILINE)) > text.count(end):
            return f"{begin} has no {end}"
    if ".amdgcn_target" in text:
        return "" if _AMD_BLOCKS[1][1] in text else "the metadata at its end is not there"
    opcodes = [match[1] for line in text.splitlines() if (match := _AMD_INSTRUCTION.match(line))]
    if opcodes and not opcodes[-1].startswith(_AMD_ENDS):
        return f"it ends with {opcodes[-1]}, and goes on from there"
    return ""


_CHECKS: Mapping[Kind, Callable[[str], str]] = {Kind.PTX: _ptx, Kind.SASS: _sass, Kind.AMDGCN: _amdgcn}
