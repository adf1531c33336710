"""A tuner's configurations compiled in the process that launches them later, by Triton's own path.

Nothing is launched, and no child is started: each kernel goes into Triton's caches, where the launch finds it.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

from gluon_inspect.model.artifact import CompiledKernel, Launch
from gluon_inspect.recording.child.arguments import ArgumentReader, flatten
from gluon_inspect.recording.child.kernels import describe
from gluon_inspect.recording.child.launches import declared_constexprs

_MOST_THREADS = 16
"""Compiling releases Python's lock for most of its time."""
_LAUNCH_OPTIONS = ("grid", "warmup")


@dataclass(frozen=True, slots=True)
class Device:
    """What the process launches on: its target's name, how many SMs it has, and whether it only records."""

    target: str
    sms: int
    is_recorder: bool


def device() -> Device:
    """The active driver's device. Raises what Triton raises where there is none."""
    active: Any = importlib.import_module("triton.runtime.driver").driver.active
    found = active.get_current_target()
    properties = active.utils.get_device_properties(active.get_current_device())
    return Device(
        f"{found.backend}:{found.arch}",
        int(properties["multiprocessor_count"]),
        bool(getattr(active, "is_recorder", False)),
    )


def compile_all(tuner: Any, configs: Sequence[Any], options: Mapping[str, Any]) -> list[CompiledKernel | None]:
    """The kernel of each configuration with the one launch that it would make; None where it does not compile.

    `tuner`: Triton's Autotuner, its `nargs` the arguments given by position; `options`: those given by name, the
    grid among them. As many compile at once as there are cores.
    """
    target = device().target
    compiling: Any = importlib.import_module("triton.runtime._async_compile")
    threads = ThreadPoolExecutor(min(_MOST_THREADS, os.cpu_count() or 1))
    with threads as pool, compiling.AsyncCompileMode(pool, ignore_errors=True):
        begun = [_begun(tuner, config, options) for config in configs]
    found: list[CompiledKernel | None] = []
    for kernel, launch in begun:
        done = kernel.kernel if isinstance(kernel, compiling.FutureKernel) else kernel
        found.append(done and replace(describe(done, target), launches=(launch(done),)))
    return found


def _begun(tuner: Any, config: Any, options: Mapping[str, Any]) -> tuple[Any, Any]:
    """The kernel, which may still be compiling, and what makes its launch: both of the arguments as they are."""
    given = {**options, **config.all_kwargs()}
    values = {**tuner.nargs, **given}
    if config.pre_hook is not None and any(hasattr(value, "block_shape") for value in values.values()):
        config.pre_hook(values)  # it gives descriptors the shape of the configuration's blocks
    values = {**_defaults(tuner), **dict(_with_heuristics(tuner.fn, values))}
    named = {name: value for name, value in given.items() if name not in _LAUNCH_OPTIONS}
    grid: Any = options["grid"]
    grid = grid(values) if callable(grid) else grid
    reader = ArgumentReader(None)
    leaves = [leaf for name in tuner.arg_names for leaf in flatten(name, values.get(name))]
    read = {name: reader.read(value) for name, value in leaves}

    def launch(kernel: Any) -> Launch:
        constant = declared_constexprs(kernel.src)
        arguments = {name: value for name, value in read.items() if name.partition(".")[0] not in constant}
        x, y, z = (*map(int, grid), 1, 1)[:3]
        return Launch("launch0", 1, (x, y, z), arguments)

    return tuner.fn.warmup(*tuner.nargs.values(), grid=grid, **named), launch


def _defaults(tuner: Any) -> Mapping[str, Any]:
    function = tuner.fn
    while not hasattr(function, "params"):
        function = function.fn
    return {each.name: each.default for each in function.params if each.has_default}


def _with_heuristics(function: Any, values: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The values, with those that Triton's heuristics around the function work out."""
    while not hasattr(function, "params"):
        for name, heuristic in getattr(function, "values", {}).items():
            values[name] = heuristic(values)
        function = function.fn
    yield from values.items()
