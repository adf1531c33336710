"""Real launches watched: each distinct one is shown to a listener, with the means to make it again.

The seam is the recorder's, the driver's launcher; here it is the real driver of a machine with a GPU, and every
launch is made as the script wants it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gluon_inspect.loading.identity import launch_key
from gluon_inspect.recording.child.arguments import ArgumentReader, flatten
from gluon_inspect.recording.child.launches import FIXED_ARGUMENTS, bind, declared_constexprs
from gluon_inspect.recording.child.patches import Patches


@dataclass(frozen=True, slots=True)
class Distinct:
    """One distinct launch. `run` makes it on a stream (a handle); `tensors` are what it may write."""

    key: str
    name: str
    grid: tuple[int, int, int]
    tensors: tuple[Any, ...]
    run: Callable[[int], None]
    stream: int


class Replay:
    """Calls `first` with each distinct launch before the script's own launch of it is made."""

    def __init__(self, first: Callable[[Distinct], None]) -> None:
        self._first = first
        self._ttgir: dict[str, str] = {}
        self._seen: set[str] = set()
        self._reader = ArgumentReader(None)

    def install(self, patches: Patches) -> None:
        """Wraps the active driver's launcher and Triton's compile."""
        driver: Any = importlib.import_module("triton.runtime.driver").driver.active
        self._real = driver.launcher_cls
        patches.set(driver, "launcher_cls", self._launcher)
        compiler: Any = importlib.import_module("triton.compiler.compiler")
        wrapped = self._wrap(compiler.compile)
        for module in ("triton.compiler.compiler", "triton.compiler", "triton"):
            patches.set(importlib.import_module(module), "compile", wrapped)

    def _wrap(self, compile_: Callable[..., Any]) -> Callable[..., Any]:
        def compile(*arguments: Any, **options: Any) -> Any:
            kernel = compile_(*arguments, **options)
            self._ttgir[kernel.hash] = kernel.asm.get("ttgir", "")
            return kernel

        return compile

    def _launcher(self, source: Any, metadata: Any) -> Callable[..., Any]:
        real = self._real(source, metadata)
        declared = declared_constexprs(source)
        names: list[str] = list(getattr(getattr(source, "fn", None), "arg_names", ()))

        def launch(*arguments: Any) -> Any:
            values = arguments[FIXED_ARGUMENTS:]
            bound = bind(names or [f"arg{index}" for index in range(len(values))], values)
            self._watch(real, metadata, arguments, {n: v for n, v in bound.items() if n not in declared})
            return real(*arguments)

        return launch

    def _watch(self, real: Any, metadata: Any, arguments: tuple[Any, ...], bound: dict[str, Any]) -> None:
        leaves = [leaf for name, value in bound.items() for leaf in flatten(name, value)]
        read = {name: self._reader.read(value) for name, value in leaves}
        grid = (int(arguments[0]), int(arguments[1]), int(arguments[2]))
        key = launch_key(metadata.name, self._ttgir.get(metadata.hash, ""), grid, read)
        if key in self._seen:
            return
        self._seen.add(key)
        _, _, _, stream, *fixed = arguments[:FIXED_ARGUMENTS]
        quiet = (*fixed[:-2], None, None)

        def run(on: int) -> None:
            real(*grid, on, *quiet, *arguments[FIXED_ARGUMENTS:])

        tensors = tuple(found for _, value in leaves if (found := _tensor(value)) is not None)
        self._first(Distinct(key, metadata.name, grid, tensors, run, int(stream)))


def _tensor(value: Any) -> Any:
    """The tensor behind an argument; None for scalars."""
    value = getattr(value, "base", None) if hasattr(value, "block_shape") else value
    return value if hasattr(value, "untyped_storage") else None
