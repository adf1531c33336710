"""What Triton knows of a compiled kernel and its source, as plain data."""

from __future__ import annotations

import importlib
import json
from collections.abc import Sequence
from typing import Any

from gluon_inspect.model.artifact import CompiledKernel

TIMED_STAGES = ("ttgir", "amdgcn")
"""What the time model reads, beside the binary."""
_BINARIES = ("cubin", "hsaco")
_DUMPS = json.dumps
"""Taken before the script runs, which may put another in its place."""


def describe(kernel: Any, target: str, stages: Sequence[str] = TIMED_STAGES) -> CompiledKernel:
    """Triton's compiled kernel as plain data, with the stages that are wanted of those that it has."""
    asm: Any = kernel.asm
    return CompiledKernel(
        name=kernel.name,
        target=target,
        triton_version=triton_version(),
        stages={stage: asm[stage] for stage in stages if stage in asm},
        binaries={stage: asm[stage] for stage in _BINARIES if stage in asm},
        metadata=_metadata(kernel.metadata._asdict()),
        **source_of(kernel.src),
    )


def _metadata(given: dict[str, Any]) -> dict[str, Any]:
    """What the compiler says of its kernel in plain values; its table of host-side descriptors as JSON."""
    plain = {name: value for name, value in given.items() if _is_scalar(value) and not name.isupper()}
    descriptors = given.get("tensordesc_meta")
    return plain | ({"tensordesc_meta": _DUMPS(descriptors)} if descriptors else {})


def triton_version() -> str:
    """The installed one."""
    return str(importlib.import_module("triton").__version__)


def kernel_name(src: Any) -> str:
    """Of a source that Triton compiles: a function of the author's, or a file of IR by its path."""
    return src if isinstance(src, str) else str(getattr(src, "name", src))


def _is_scalar(value: Any) -> bool:
    return value is None or isinstance(value, bool | int | float | str)


def source_of(src: Any) -> dict[str, Any]:
    """Where the kernel function stands, its constexprs and its signature, for a kernel made from Python."""
    function = getattr(src, "fn", None)
    if function is None:
        return {}
    names: list[str] = list(function.arg_names)
    return {
        "source_file": str(function.fn.__code__.co_filename),
        "source_line": definition_line(function),
        "constexprs": _constexprs(function, src.constants, names),
        "signature": {name: str(kind) for name, kind in src.signature.items()},
    }


def definition_line(function: Any) -> int:
    """The line of `def`, below the decorators (Triton 3.6 keeps the first decorator's only)."""
    lines: list[str] = list(function.raw_src)
    below = next((index for index, line in enumerate(lines) if line.lstrip().startswith("def ")), 0)
    return int(function.starting_line_number) + below


def _constexprs(function: Any, constants: dict[Any, Any], names: list[str]) -> dict[str, str]:
    declared = {parameter.name for parameter in function.params if parameter.is_constexpr}
    found: dict[str, str] = {}
    for path, value in constants.items():
        name, *steps = _path(path, names)
        if name in declared:
            found[".".join([name, *steps])] = _spell(value)
    return found


def _path(path: Any, names: list[str]) -> list[str]:
    """A constant's place: a parameter's name, then indices into a tuple argument."""
    if isinstance(path, str):
        return [path]
    first, *steps = path
    return [names[first], *(str(step) for step in steps)]


def _spell(value: Any) -> str:
    inner = getattr(value, "value", value) if type(value).__name__ == "constexpr" else value
    return getattr(inner, "__name__", None) or str(inner)
