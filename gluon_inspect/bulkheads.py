"""Bulkheads: an exception that nobody foresaw costs the one thing that it happened in, and is told as a fault.

The only module that may catch everything. What a user caused (`InspectError`) is no fault and passes through.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from gluon_inspect.errors import InspectError

T = TypeVar("T")
_PACKAGE = Path(__file__).resolve().parent


@dataclass(frozen=True, slots=True)
class Fault:
    """An exception of the tool's own: what was being done, what happened and where, and the whole traceback."""

    where: str
    error: str
    traceback: str

    def __str__(self) -> str:
        return f"{self.where}: a fault of gluon-inspect, not of the input: {self.error}"


class FaultError(InspectError):
    """A whole input that is lost to a fault; it stands where an input's error would."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(str(fault))
        self.fault = fault

    def __reduce__(self) -> tuple[type[FaultError], tuple[Fault]]:
        """It crosses from worker processes with its fault."""
        return FaultError, (self.fault,)


def contained(where: str, work: Callable[[], T]) -> T | Fault:
    """What `work` returns, or the fault that it ended in; a user's error and an interrupt pass through."""
    try:
        return work()
    except InspectError:
        raise
    except Exception as error:
        return fault_of(where, error)


def fault_of(where: str, error: BaseException) -> Fault:
    """The exception in one line, with the innermost place of ours that it passed."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if Path(frame.filename).resolve().is_relative_to(_PACKAGE)]
    first = (str(error).strip().splitlines() or [""])[0]
    told = f"{type(error).__name__}: {first}".rstrip(": ")
    if ours and (last := ours[-1]):
        told += f" ({Path(last.filename).resolve().relative_to(_PACKAGE)}:{last.lineno})"
    return Fault(where, told, "".join(traceback.format_exception(error)))
