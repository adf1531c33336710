"""A capture without what its author may not want to hand on: source text, folder names, binaries."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import PurePath

from gluon_inspect.model.artifact import PASSES, ArgumentValue, Capture, CompiledKernel, Launch, ScriptError

_QUOTED = re.compile(r"([\"'])(?:~?/|[A-Za-z]:[\\/])[^\"'\n]*?([^/\\\"'\n]*)\1")
_QUOTED_PYTHON = re.compile(r"\"(?:[^\"\n]*/)([^\"/\n]+\.py)\"")
_BARE = re.compile(r"(?<![\w\"'/])~?(?:/[^\s:\"'/]+)+/([^\s:\"'/]+)")
_BARE_PYTHON = re.compile(r"(?<![\w\"'/])(?:[\w.-]+/)+([\w.-]+\.py)\b")
_FOLDER = re.compile(r"(directory: )\"[^\"\n]*\"|(\.file\s+\d+\s+)\"[^\"\n]*\"\s+(?=\")")
_EXCERPT = re.compile(r"( at \d+:\d+:)\n[\s\S]*?\n[ \t]*\^[ \t]*(?=\n|\Z)")
"""Triton's CompilationError shows the function from its first line to the one at fault."""
_DEBUG_SECTIONS = re.compile(r"^\s*\.section\s+\.debug[\s\S]*", re.MULTILINE)
"""PTX spells paths in its debug sections byte by byte."""
_STAGES = ("source", "ttir", "ttgir", "llir", "ptx", "amdgcn", "sass")
_SHORTEST = 6
"""Characters of a source line; shorter ones (brackets, `pass`) say nothing and are lines of IR too."""


def redact(capture: Capture) -> Capture:
    """The capture without source text, binaries or folder names; file names and line numbers stay."""
    redaction = _Redaction(capture.sources)
    return replace(
        capture,
        origin=PurePath(capture.origin).name,
        kernels=tuple(redaction.kernel(kernel) for kernel in capture.kernels),
        sources={},
        notes=tuple(redaction.text(note) for note in capture.notes),
        error=None if capture.error is None else redaction.error(capture.error),
    )


class _Redaction:
    """What is known of the sources is left out wherever it stands."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        lines = (line.strip() for text in sources.values() for line in text.splitlines())
        self._lines = frozenset(line for line in lines if len(line) >= _SHORTEST)

    def text(self, text: str) -> str:
        """Text without source lines, debug sections and folders."""
        text = _DEBUG_SECTIONS.sub("", _EXCERPT.sub(r"\1", text))
        kept = (line for line in text.split("\n") if line.strip() not in self._lines)
        text = _FOLDER.sub(lambda match: f'{match[1]}""' if match[1] else match[2], "\n".join(kept))
        text = _QUOTED_PYTHON.sub(r'"\1"', _QUOTED.sub(_file_only, text))
        return _BARE_PYTHON.sub(r"\1", _BARE.sub(r"\1", text))

    def kernel(self, kernel: CompiledKernel) -> CompiledKernel:
        """Of its stages those that are text of known form."""
        return replace(
            kernel,
            stages={stage: self.text(kernel.stages[stage]) for stage in _STAGES if stage in kernel.stages},
            binaries={},
            dumps={PASSES: self.text(kernel.dump)},
            constexprs={name: self.text(value) for name, value in kernel.constexprs.items()},
            metadata={k: self.text(v) if isinstance(v, str) else v for k, v in kernel.metadata.items()},
            launches=tuple(self._launch(launch) for launch in kernel.launches),
            source_file=PurePath(kernel.source_file).name if kernel.source_file else "",
            error=self.text(kernel.error),
        )

    def _launch(self, launch: Launch) -> Launch:
        arguments: dict[str, ArgumentValue] = {
            name: self.text(value) if isinstance(value, str) else value for name, value in launch.arguments.items()
        }
        return replace(launch, arguments=arguments)

    def error(self, error: ScriptError) -> ScriptError:
        """The message and the line, not the traceback."""
        return ScriptError(self.text(error.message), PurePath(error.file).name if error.file else "", error.line)


def _file_only(match: re.Match[str]) -> str:
    """The last part of a path where it looks like a file's name."""
    quote, name = match[1], match[2]
    return f"{quote}{name if '.' in name else ''}{quote}"
