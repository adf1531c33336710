"""The Python name of a kernel's run-time parameter."""

from __future__ import annotations

from gluon_inspect.model.mlir import Value


def argument_name(value: Value) -> str:
    """The name of one parameter: of its location where it has one, else of its SSA name."""
    if value.location is not None and value.location.name:
        return value.location.name
    return value.name.lstrip("%")
