"""What the user points at, whatever it is: a script is recorded, anything else is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path

from gluon_inspect.capture.files import load
from gluon_inspect.capture.files.content import read_content
from gluon_inspect.capture.files.kind import Kind, detect
from gluon_inspect.capture.record import ProgressCallback, record
from gluon_inspect.errors import UsageError
from gluon_inspect.model.artifact import Capture

DEFAULT_TARGET = "cuda:90"
SCRIPTS = frozenset({".py", ".ipynb"})


@dataclass(frozen=True, slots=True)
class Input:
    """One input and how to read it.

    `path` is a file, a folder, "file.py::function" or, with `module`, a module's dotted name.
    `kernels` are name patterns (none: all). `target` empty: what the file says, or DEFAULT_TARGET for scripts.
    """

    path: str
    target: str = ""
    kernels: Sequence[str] = ()
    arguments: Mapping[str, int | float | bool] = field(default_factory=dict[str, "int | float | bool"])
    grid: tuple[int, int, int] | None = None
    asm: str | None = None
    script_arguments: Sequence[str] = ()
    module: bool = False


def is_script(path: str) -> bool:
    """Whether `path` is to be run: by its suffix or, without a telling one, by its content."""
    file = Path(path.partition("::")[0])
    if file.suffix in SCRIPTS or "::" in path:
        return True
    return file.is_file() and not file.suffix and detect(read_content(file)) is Kind.PYTHON


def open_capture(what: Input, progress: ProgressCallback | None = None) -> Capture:
    """Records or reads one input. Raises InspectError for what is neither."""
    if what.module or is_script(what.path):
        if what.asm is not None:
            raise UsageError("--asm belongs to IR, not to a script", hint="a script's kernels bring their own")
        capture = record(
            what.path,
            what.target or DEFAULT_TARGET,
            argv=what.script_arguments,
            module=what.module,
            progress=progress,
        )
    else:
        capture = load(what.path, asm=what.asm, args=what.arguments, grid=what.grid, target=what.target)
    return select_kernels(capture, what.kernels)


def select_kernels(capture: Capture, patterns: Sequence[str]) -> Capture:
    """The capture with the kernels whose names match a pattern; UsageError where none does."""
    if not patterns:
        return capture
    chosen = tuple(
        kernel for kernel in capture.kernels if any(fnmatchcase(kernel.name, pattern) for pattern in patterns)
    )
    if not chosen:
        names = ", ".join(dict.fromkeys(kernel.name for kernel in capture.kernels))
        raise UsageError(f"no kernel is named {' or '.join(patterns)}", hint=f"{capture.origin} has {names}")
    return replace(capture, kernels=chosen)
