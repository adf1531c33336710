"""Commands: one module each, found by walking the package. Their modules import only what `--help` needs.

A command module has `NAME`, `HELP` (one line), `EXAMPLES` (a line each), `add_arguments(parser)` and
`run(arguments) -> exit code`. `arguments.script_arguments` holds the words after `--`.
"""

from __future__ import annotations

import pkgutil
from argparse import ArgumentParser, Namespace
from importlib import import_module
from typing import Protocol, cast


class Command(Protocol):
    """What a command module offers."""

    NAME: str
    HELP: str
    EXAMPLES: str

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the command's options."""
        ...

    def run(self, arguments: Namespace) -> int:
        """Do it; returns the exit code. Raises InspectError for what the user can mend."""
        ...


def commands() -> tuple[Command, ...]:
    """Every command, by name."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_"))
    return tuple(cast("Command", import_module(f"{__name__}.{name}")) for name in names)
