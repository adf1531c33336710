"""The Python names of a kernel's run-time parameters."""

from __future__ import annotations

from gluon_inspect.model.mlir import Operation, Value


def argument_name(value: Value) -> str:
    """The name of one parameter: of its location where it has one, else of its SSA name."""
    if value.location is not None and value.location.name:
        return value.location.name
    return value.name.lstrip("%")


def argument_names(function: Operation) -> tuple[str, ...]:
    """The names of all parameters, in order."""
    arguments = function.regions[0].blocks[0].arguments if function.regions else ()
    return tuple(argument_name(value) for value in arguments)
