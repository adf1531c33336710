"""One kernel of a Python module, launched once with given arguments: a script made for the recorder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gluon_inspect.errors import UsageError
from gluon_inspect.loading.scratch import scratch_folder
from gluon_inspect.model.artifact import Capture
from gluon_inspect.recording.record import record

Grid = int | Sequence[int]
_SCRIPT = """
from triton.experimental.gluon.language import *
from triton.experimental.gluon.language.amd import *
from triton.experimental.gluon.language.nvidia.hopper import *

# After the layouts' names, which also replace builtins such as sum and max.
import importlib.util
import sys

import torch

sys.path[:0] = {paths!r}
_spec = importlib.util.spec_from_file_location({module!r}, {file!r})
_module = importlib.util.module_from_spec(_spec)
sys.modules[{module!r}] = _module
_spec.loader.exec_module(_module)


def _tensor(extent, shape, strides, offset, dtype):
    return torch.empty(extent, dtype=dtype, device="cuda").as_strided(shape, strides, offset)


_module.{name}[{grid}]({arguments})
"""


def capture_call(
    kernel: object,
    args: Sequence[object],
    keywords: Mapping[str, object],
    *,
    grid: Grid,
    target: str,
    timeout_seconds: float | None = None,
) -> Capture:
    """The capture of `kernel[grid](*args, **keywords)` for a target, made in a child process.

    Of a tensor only dtype, shape, strides and storage offset matter; it may live anywhere. Other arguments are
    numbers, text, None, and objects whose `repr` makes them again (Gluon layouts). UsageError for any other.
    """
    function: Any = getattr(kernel, "fn", kernel)
    file, name = function.__code__.co_filename, function.__qualname__
    if "<" in name or not Path(file).is_file():
        raise UsageError(
            f"{name} is not at the top of a module", hint="define the kernel at module level, in a file"
        )
    arguments = [_written(value) for value in args] + [
        f"{key}={_written(value)}" for key, value in keywords.items()
    ]
    text = _SCRIPT.format(
        paths=[str(Path(file).parent)],
        module=f"_inspected_{Path(file).stem}",
        file=file,
        name=name,
        grid=_written((grid,) if isinstance(grid, int) else tuple(grid)),
        arguments=", ".join(arguments),
    )
    with scratch_folder() as folder:
        script = folder / "call.py"
        script.write_text(text, encoding="utf-8")
        return record(str(script), target, timeout_seconds=timeout_seconds, once=True)


def _written(value: Any) -> str:
    """Python that makes the value again."""
    match value:
        case None | bool() | int() | str():
            return repr(value)
        case float():
            return f"float({str(value)!r})"
        case tuple() | list():
            return f"({''.join(f'{_written(item)}, ' for item in value)})"  # pyright: ignore[reportUnknownVariableType]
        case _ if hasattr(value, "stride") and hasattr(value, "dtype"):
            return _written_tensor(value)
        case _ if type(value).__name__.endswith("Layout") and repr(value).startswith(type(value).__name__):
            return repr(value)
        case _:
            raise UsageError(f"an argument of type {type(value).__name__} cannot be passed to a child process")


def _written_tensor(tensor: Any) -> str:
    shape, strides = tuple(tensor.shape), tuple(tensor.stride())
    offset = int(tensor.storage_offset())
    span = 0 if 0 in shape else 1 + sum((size - 1) * step for size, step in zip(shape, strides, strict=True))
    return f"_tensor({offset + span}, {shape}, {strides}, {offset}, {tensor.dtype})"
