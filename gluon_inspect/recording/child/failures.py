"""A script's exception in the script's own terms: our frames and the import system's left out."""

from __future__ import annotations

import sysconfig
import traceback
from pathlib import Path

from gluon_inspect.model.artifact import ScriptError

_OURS = str(Path(__file__).resolve().parent)
_LIBRARY = tuple(
    str(Path(path).resolve())
    for key, path in sysconfig.get_paths().items()
    if key in ("stdlib", "purelib", "platlib")
)


def script_error(error: BaseException) -> ScriptError:
    """The exception with the innermost line of the author's code and a traceback without our frames."""
    if isinstance(error, SyntaxError) and error.filename:
        return _syntax_error(error)
    if isinstance(error, SystemExit) and isinstance(error.code, str):
        return ScriptError(error.code)
    described = traceback.TracebackException.from_exception(error)
    _trim(described)
    file, line = _place(error)
    return ScriptError(_message(error), file, line, "".join(described.format()))


def _syntax_error(error: SyntaxError) -> ScriptError:
    text = "".join(traceback.format_exception_only(error))
    return ScriptError(f"{type(error).__name__}: {error.msg}", error.filename or "", error.lineno or 0, text)


def _message(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return f"the script exited with status {error.code}"
    lines = str(error).strip().splitlines() or [""]
    # A compiler's message shows the source in between; the traceback has it whole.
    text = lines[0] if len(lines) == 1 else f"{lines[0]} {lines[-1].strip()}"
    return f"{type(error).__name__}: {text}".rstrip(": ")


def _trim(described: traceback.TracebackException) -> None:
    while True:
        described.stack[:] = [frame for frame in described.stack if _is_shown(frame.filename)]
        following = described.__cause__ or described.__context__
        if following is None:
            return
        described = following


def _is_shown(filename: str) -> bool:
    return not (filename.startswith((_OURS, "<frozen")) or filename.endswith("/runpy.py"))


def _place(error: BaseException) -> tuple[str, int]:
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_shown(frame.filename)]
    own = [frame for frame in frames if not frame.filename.startswith(_LIBRARY)]
    chosen = (own or frames)[-1:]
    return (chosen[0].filename, chosen[0].lineno or 0) if chosen else ("", 0)
