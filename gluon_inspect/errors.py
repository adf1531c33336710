"""The errors a user can cause. Everything else is a bug and shows its traceback."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a file; line and column are 1-based, 0 where unknown."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        parts = [self.file, *(str(n) for n in (self.line, self.column) if n)]
        return ":".join(parts)


class InspectError(Exception):
    """Bad input, bad usage or a missing tool: one message, where, and what to do about it.

    `excerpt` is the offending source line with a caret below it, or empty.
    """

    def __init__(
        self,
        message: str,
        *,
        position: Position | None = None,
        hint: str = "",
        excerpt: str = "",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.position = position
        self.hint = hint
        self.excerpt = excerpt

    def __str__(self) -> str:
        where = f"{self.position}: " if self.position else ""
        hint = f" (hint: {self.hint})" if self.hint else ""
        excerpt = f"\n{self.excerpt}" if self.excerpt else ""
        return f"{where}{self.message}{hint}{excerpt}"


class ParseError(InspectError):
    """Text that is not what its format says: always with a position."""


class UsageError(InspectError):
    """A wrong flag, argument name or value."""


class CaptureError(InspectError):
    """A script, compilation or tool that failed before there was anything to read."""


class NothingLaunched(CaptureError):
    """A script that ran to its end and launched no kernel."""


class LayoutError(InspectError):
    """An encoding that has no linear layout at the shape it was asked for."""
