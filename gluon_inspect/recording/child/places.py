"""Where in the author's code a call was made: past torch, Triton, the interpreter and what is ours."""

from __future__ import annotations

import importlib.util
import inspect
import sysconfig
from pathlib import Path
from types import FrameType

_OURS = str(Path(__file__).resolve().parent)


def _package(name: str) -> str:
    spec = importlib.util.find_spec(name)
    return str(Path(spec.origin).parent) if spec and spec.origin else _OURS


_PASSED = (*(f"{folder}/" for folder in (_OURS, _package("torch"), _package("triton"))), "<")
_STANDARD = sysconfig.get_paths()["stdlib"] + "/"


def place() -> str:
    """The innermost frame that is neither ours nor torch's nor Triton's, as file.py:12; empty if there is none."""
    frame: FrameType | None = inspect.currentframe()
    while frame is not None and _is_passed(frame.f_code.co_filename):
        frame = frame.f_back
    return "" if frame is None else f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"


def _is_passed(file: str) -> bool:
    return file.startswith(_PASSED) or (file.startswith(_STANDARD) and "-packages/" not in file)
