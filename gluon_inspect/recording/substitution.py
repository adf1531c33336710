"""One constexpr layout of one kernel replaced by another while a script is recorded: plain data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Substitution:
    """Where `parameter` of `kernel` is `old` (as the capture's constexprs have it), pass `new` instead.

    `new` is a layout expression in Gluon's syntax, without a module in front, or a number. `parameter` may be
    `num_warps`.
    """

    kernel: str
    parameter: str
    old: str
    new: str
