"""A capture without what its author may not want to hand on: sources, folder names, the script's messages."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePath

from gluon_inspect.model.artifact import Capture, CompiledKernel, ScriptError

_QUOTED_PATH = re.compile(r"\"(?:[^\"\n]*/)([^\"/\n]+\.py)\"")
_BARE_PATH = re.compile(r"(?<![\w\"])(?:/[^\s:\"'/]+)+/([^\s:\"'/]+)")
_FOLDER = re.compile(r"directory: \"[^\"\n]*\"")
_DEBUG_SECTIONS = re.compile(r"^\s*\.section\s+\.debug[\s\S]*", re.MULTILINE)
"""PTX spells paths in its debug sections byte by byte."""
_READABLE = ("source", "ttir", "ttgir", "llir")
"""Stages that are text of ours to rewrite; the others carry paths in forms of their own and are left out."""
_ASSEMBLY = ("ptx", "amdgcn", "sass")


def redact(capture: Capture) -> Capture:
    """The capture without sources, binaries' debug paths or folder names; line numbers stay."""
    return replace(
        capture,
        origin=PurePath(capture.origin).name,
        kernels=tuple(_kernel(kernel) for kernel in capture.kernels),
        sources={},
        error=None if capture.error is None else _error(capture.error),
    )


def _kernel(kernel: CompiledKernel) -> CompiledKernel:
    texts = {stage: _short(text) for stage, text in kernel.stages.items() if stage in _READABLE}
    assembly = {stage: _short(kernel.stages[stage]) for stage in _ASSEMBLY if stage in kernel.stages}
    return replace(
        kernel,
        stages=texts | assembly,
        binaries={},
        dump=_short(kernel.dump),
        source_file=PurePath(kernel.source_file).name if kernel.source_file else "",
        error=_short(kernel.error),
    )


def _short(text: str) -> str:
    keep_name: Callable[[re.Match[str]], str] = lambda match: f'"{match[1]}"'  # noqa: E731
    text = _DEBUG_SECTIONS.sub("", _FOLDER.sub('directory: ""', text))
    return _BARE_PATH.sub(r"\1", _QUOTED_PATH.sub(keep_name, text))


def _error(error: ScriptError) -> ScriptError:
    return ScriptError(_short(error.message), PurePath(error.file).name if error.file else "", error.line)
