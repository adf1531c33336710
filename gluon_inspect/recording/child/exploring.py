"""Every launch of a kernel made with each of its configurations, or with those of a space that was asked for."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from gluon_inspect.loading.identity import identity
from gluon_inspect.recording.child.arguments import ArgumentReader, flatten
from gluon_inspect.recording.child.blame import attempt
from gluon_inspect.recording.child.patches import Patches
from gluon_inspect.recording.child.pending import SkippedKernel
from gluon_inspect.recording.child.substituting import layout_object
from gluon_inspect.recording.child.tuning import Trials, spelled
from gluon_inspect.recording.exploration import Configuration, Exploration

_OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg")
"""Of a launch: every other name is a parameter of the kernel."""
_Run = Callable[..., Any]


class Exploring:
    """Stands before `run` of Triton's kernels; a launch with the same arguments as an earlier one is left out."""

    def __init__(self, exploration: Exploration, trials: Trials) -> None:
        self._asked, self._trials = exploration, trials
        self._reader = ArgumentReader(None)
        self._seen: set[Any] = set()
        self._inside = False
        self._space = [{name: layout_object(text) for name, text in each.items()} for each in exploration.space]

    def install(self, patches: Patches) -> None:
        """Wraps the tuner, heuristics and the function itself; the outermost of them is explored."""
        for module, name in (("autotuner", "Autotuner"), ("autotuner", "Heuristics"), ("jit", "JITFunction")):
            owner: Any = getattr(importlib.import_module(f"triton.runtime.{module}"), name)
            patches.set(owner, "run", self._wrapped(owner.run))

    def _wrapped(self, original: _Run) -> _Run:
        def run(function: Any, *arguments: Any, **options: Any) -> Any:
            tuner = _tuner(function)
            is_ours = not self._inside and not options.get("warmup") and self._asked.fits(_name(function))
            if not is_ours or (tuner is not None and tuner is not function):
                return original(function, *arguments, **options)
            with self._alone():
                return self._explored(original, function, tuner, arguments, options)

        return run

    @contextmanager
    def _alone(self) -> Generator[None]:
        self._inside = True
        try:
            yield
        finally:
            self._inside = False

    def _explored(
        self, original: _Run, function: Any, tuner: Any, arguments: Sequence[Any], options: Mapping[str, Any]
    ) -> Any:
        given = {**dict(zip(function.arg_names, arguments, strict=False)), **options}
        leaves = [leaf for name, value in given.items() for leaf in flatten(name, value) if not callable(value)]
        key = (_name(function), identity({name: self._reader.read(value) for name, value in leaves}))
        if key in self._seen:
            return SkippedKernel(_name(function), "")
        self._seen.add(key)
        if tuner is not None:
            return self._tuned(tuner, arguments, options)
        if not self._space or not self._asked.part:
            with self._trials.made_with({name: spelled(given.get(name)) for name in _names(self._space, given)}):
                original(function, *arguments, **options)
        for configuration, told in self._asked.own(list(zip(self._space, self._asked.space, strict=True))):
            changed = [configuration.get(name, value) for name, value in zip(function.arg_names, arguments)]  # noqa: B905
            named = {n: v for n, v in configuration.items() if n not in function.arg_names[: len(arguments)]}
            with self._trials.trying(told):
                attempt(lambda c=changed, n=named: original(function, *c, **{**options, **n}))
        return SkippedKernel(_name(function), "")

    def _tuned(self, tuner: Any, arguments: Sequence[Any], options: Mapping[str, Any]) -> Any:
        tuner.nargs = dict(zip(tuner.arg_names, arguments, strict=False))
        configs = [_config(each) for each in self._space] or list(tuner.prune_configs(dict(options)))
        tuner.best_config = configs[0]
        for config in self._asked.own(configs):
            attempt(lambda c=config: tuner._bench(*arguments, config=c, **options))
        tuner.nargs = None
        return SkippedKernel(_name(tuner), "")


def _config(values: Mapping[str, Any]) -> Any:
    """Triton's own."""
    chosen: Any = importlib.import_module("triton").Config
    options = {name: value for name, value in values.items() if name in _OPTIONS}
    return chosen({name: value for name, value in values.items() if name not in _OPTIONS}, **options)


def _names(space: Sequence[Configuration], given: Mapping[str, Any]) -> Iterator[str]:
    """What the configurations of a space say, as far as the launch says it too."""
    yield from (name for name in dict.fromkeys(name for each in space for name in each) if name in given)


def _tuner(function: Any) -> Any:
    """Triton's autotuner around a function; None where it has none."""
    while not inspect.isfunction(function):
        if hasattr(function, "prune_configs"):
            return function
        function = function.fn
    return None


def _name(function: Any) -> str:
    while not inspect.isfunction(function):
        function = function.fn
    return str(function.__name__)
