"""Facts that stand in a compiler's text itself: the kernel's name, its target, its warps."""

from __future__ import annotations

import re

from gluon_inspect.ir.operations import tt
from gluon_inspect.loading.kind import Kind
from gluon_inspect.source import whole

_NAMES: dict[Kind, re.Pattern[str]] = {
    Kind.PTX: re.compile(r"^\s*(?:\.\w+\s+)*\.entry\s+([\w$.]+)", re.MULTILINE),
    Kind.LLIR: re.compile(r"^define\s[^\n]*?@\"?([\w$.]+)", re.MULTILINE),
    Kind.SASS: re.compile(r"Function\s*:\s*([\w$.]+)|^\.text\.([\w$.]+):", re.MULTILINE),
    Kind.AMDGCN: re.compile(r"\.amdhsa_kernel\s+([\w$.]+)|^[0-9a-f]{16} <([\w$.]+)>:", re.MULTILINE),
}
SYMBOL = r'@(?:"(?:[^"\\\n]|\\.)*+"|[\w$.-]+)'
"""A name in IR; one with other characters stands in quotes (MLIR's symbol-ref-id)."""
_FUNCTION = re.compile(rf"\b(?:tt|func|llvm)\.func\s+(?:public\s+)?({SYMBOL})")
_PUBLIC = re.compile(rf"\b(?:tt|func|llvm)\.func\s+public\s+({SYMBOL})")

_TARGETS = (
    re.compile(r"ttg?\.target\"?\s*=\s*\"((?:cuda|hip):\w+)\""),
    re.compile(r"^\s*\.target\s+(sm_\d+)", re.MULTILINE),
    re.compile(r"code for (sm_\d+)|EF_CUDA_(SM\d+)"),
    re.compile(r"-amd-amdhsa-[^-\s]*-(gfx[0-9a-f]+)|\"target-cpu\"=\"(gfx[0-9a-f]+|sm_\d+)a?\""),
)
_NUMBERS = {
    "num_warps": re.compile(r"\"?ttg\.num-warps\"?\s*=\s*(\d+)"),
    "num_ctas": re.compile(r"\"?ttg\.num-ctas\"?\s*=\s*(\d+)"),
    "warp_size": re.compile(r"\"?ttg\.threads-per-warp\"?\s*=\s*(\d+)"),
    "shared": re.compile(r"\"?ttg\.shared\"?\s*=\s*(\d+)"),
    "tmem_size": re.compile(r"\"?ttg\.tensor_memory_size\"?\s*=\s*(\d+)"),
}
_FILES = re.compile(r"loc\(\"([^\"\n]+\.py)\":(\d+):\d+")


def kernel_names(text: str, kind: Kind, otherwise: str) -> tuple[str, ...]:
    """Assembly's kernels in order, IR's first one, a public function's before others; else `otherwise`."""
    if pattern := _NAMES.get(kind):
        names = dict.fromkeys(name for found in pattern.finditer(text) for name in found.groups() if name)
        return tuple(names) or (otherwise,)
    found = _PUBLIC.search(text) or _FUNCTION.search(text)
    return (_named(found[1]) if found else otherwise,)


def _named(symbol: str) -> str:
    # only names in quotes need the parser's package, which is slow to import
    if not symbol.startswith('@"'):
        return symbol[1:]
    from gluon_inspect.ir.text.literals import symbol_name

    return symbol_name(symbol)


def target_name(text: str) -> str:
    """The target in the project's own spelling ("cuda:90", "hip:gfx942"); empty where the text does not say."""
    for pattern in _TARGETS:
        if found := pattern.search(text):
            return _spell(next(group for group in found.groups() if group))
    return ""


def _spell(name: str) -> str:
    if name.lower().startswith("sm"):
        return "cuda:" + name.lower().removeprefix("sm").removeprefix("_")
    return f"hip:{name}" if name.startswith("gfx") else name


def module_metadata(text: str) -> dict[str, int | float | str | bool | None]:
    """Warps, CTAs, threads a warp, shared bytes: those that the module's attributes give."""
    head = text[: text.find(tt.FUNC.name)] if tt.FUNC.name in text else text[:10_000]
    return {name: whole(found[1]) for name, pattern in _NUMBERS.items() if (found := pattern.search(head))}


def source_files(text: str) -> tuple[tuple[str, int], ...]:
    """The Python files that locations name, each with the first line named of it, in order."""
    found: dict[str, int] = {}
    for match in _FILES.finditer(text):
        found.setdefault(match[1], whole(match[2]))
    return tuple(found.items())
