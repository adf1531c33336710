"""Formats: one module each, found by walking the package. A format is a pure function to a string.

A format module has `NAME` (as `--format` takes it) and `render(report, style) -> str`.
"""

from __future__ import annotations

import pkgutil
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol, cast

from gluon_inspect.errors import UsageError
from gluon_inspect.model.report import Report


@dataclass(frozen=True, slots=True)
class Style:
    """What the place of output shows: columns of a terminal, colour or none, and how much.

    `brief`: the answer and a line a kernel. `details`: the tables below the findings. `everything`: findings that
    lose next to nothing as well. `statistics`: findings counted by rule.
    """

    width: int = 100
    colour: bool = False
    brief: bool = False
    details: bool = False
    everything: bool = False
    statistics: bool = False


PLAIN = Style()


class Format(Protocol):
    """What a format module offers."""

    NAME: str

    def render(self, report: Report, style: Style = PLAIN) -> str:
        """The whole report as text that ends in a newline."""
        ...


def format_names() -> tuple[str, ...]:
    """Every format, by name; imports none of them."""
    modules = (module.name for module in pkgutil.iter_modules(__path__))
    return tuple(sorted(name for name in modules if not name.startswith("_")))


def load_format(name: str) -> Format:
    """The format module of a name; UsageError for a name that is none."""
    if name not in format_names():
        raise UsageError(f"unknown format {name!r}", hint=f"one of {', '.join(format_names())}")
    return cast("Format", import_module(f"{__name__}.{name}"))
