"""What a file is, by its content: a suffix only says what its author meant."""

from __future__ import annotations

import re
from enum import StrEnum

from gluon_inspect.assembly.elf import backend_of


class Kind(StrEnum):
    """The sorts of content that can be read, and those that are recognised in order to say so."""

    CAPTURE = "a capture file"
    CUBIN = "a cubin"
    HSACO = "an AMD code object (hsaco)"
    DUMP = "an MLIR dump log"
    TTIR = "Triton IR"
    TTGIR = "TritonGPU IR"
    LLIR = "LLVM IR"
    PTX = "PTX"
    SASS = "SASS"
    AMDGCN = "AMDGCN assembly"
    TRACE = "a tritonparse trace"
    NCU = "a Nsight Compute report (.ncu-rep)"
    PYTHON = "a Python script"
    BINARY = "a binary file of no known kind"
    EMPTY = "an empty file"
    UNKNOWN = "text of no known kind"


STAGES = {
    Kind.TTIR: "ttir",
    Kind.TTGIR: "ttgir",
    Kind.LLIR: "llir",
    Kind.PTX: "ptx",
    Kind.SASS: "sass",
    Kind.AMDGCN: "amdgcn",
}
"""Where each sort of text stands in CompiledKernel.stages."""
TEXT_SUFFIXES = frozenset(
    {".ttir", ".ttgir", ".mlir", ".glir", ".llir", ".ll", ".ptx", ".sass", ".amdgcn", ".s", ".log", ".txt"}
)
"""A file so named claims to be text."""

_ZIP = b"PK\x03\x04"
_NCU = b"NVR\0"
_HEAD = 1 << 20
_FEW = 0.02

_PATTERNS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (Kind.TRACE, re.compile(r"\A\s*\{[^\n]*\"event_type\"\s*:")),
    (Kind.DUMP, re.compile(r"^// -----// .*IR Dump", re.MULTILINE)),
    (Kind.PTX, re.compile(r"^\s*\.version\s+\d[\s\S]*?^\s*\.target\s+sm_", re.MULTILINE)),
    (Kind.AMDGCN, re.compile(r"^\s*\.amdgcn_target|^\s*\.amdhsa_kernel|file format elf64-amdgpu", re.MULTILINE)),
    (Kind.LLIR, re.compile(r"^; ModuleID|^define [^\n]*@|^target (?:triple|datalayout) =", re.MULTILINE)),
    (Kind.TTGIR, re.compile(r"#ttg\.|\"?ttg\.num-warps|#gluon\.|= ttn?g\.|^\s*ttn?g\.", re.MULTILINE)),
    (
        Kind.TTIR,
        re.compile(r"\btt\.func|\bfunc\.func|\bllvm\.func|\"?builtin\.module\"?|^\s*module\b", re.MULTILINE),
    ),
    (
        Kind.SASS,
        re.compile(
            r"^\s*Function\s*:|code for sm_|^\s*/\*[0-9a-f]{4,}\*/\s|^//-+ \.text\.|"
            r"^[0-9a-f-]{2}:[0-9a-f-]:[0-9a-f-]:[Y-]:[0-9a-f]",
            re.MULTILINE,
        ),
    ),
    (Kind.PYTHON, re.compile(r"^(?:import|from) \w+|^def \w+\(|^@\w+", re.MULTILINE)),
)


def detect(content: bytes) -> Kind:
    """The kind of a whole file's content (not compressed)."""
    if not content.strip():
        return Kind.EMPTY
    if content[:4] == _ZIP:
        return Kind.CAPTURE
    if content[:4] == _NCU:
        return Kind.NCU
    match backend_of(content):
        case "cuda":
            return Kind.CUBIN
        case "hip":
            return Kind.HSACO
        case _:
            pass
    if _is_binary(content[:_HEAD]):
        return Kind.BINARY
    head = content[:_HEAD].decode("utf-8", errors="replace")
    return next((kind for kind, pattern in _PATTERNS if pattern.search(head)), Kind.UNKNOWN)


def _is_binary(head: bytes) -> bool:
    if b"\0" in head:
        return True
    return head.decode("utf-8", errors="replace").count("\ufffd") > len(head) * _FEW
