"""For Triton's own autotuner, in the user's process: the configurations that are worth timing.

`@triton.autotune(..., prune_configs_by={"early_config_prune": gluon_inspect.early_config_prune(keep=5)})` compiles
every configuration, as the tuner would, and launches none; the five with the least expected time are left. What
the model cannot judge stays, and on a card that it does not know everything does.
"""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gluon_inspect import targets
from gluon_inspect.bulkheads import contained
from gluon_inspect.cost.launch import launch_cost
from gluon_inspect.errors import InspectError, UsageError
from gluon_inspect.facts.kernel import KernelFacts, facts_of
from gluon_inspect.loading.disassemble import with_sass
from gluon_inspect.model.artifact import Capture, CompiledKernel
from gluon_inspect.model.target import Target
from gluon_inspect.recording.in_place import compile_all, device
from gluon_inspect.targets.clocks import clocks_of

Prune = Callable[..., list[Any]]
_CALLER = "prune_configs"
"""The autotuner's method that calls both functions: neither is given the tuner, and it has the kernel."""
_MOST_FRAMES = 8


def early_config_prune(keep: int = 5) -> Prune:
    """A value for Triton's `prune_configs_by={"early_config_prune": …}`: keeps what is expected to be fastest.

    `keep` configurations stay, and those whose time the model cannot say; those that need more shared memory than
    there is go. All stay on a card that is not known, in a recording, and (with a warning) where anything goes
    wrong. UsageError for a `keep` that is not positive.
    """
    if keep < 1:
        raise UsageError(f"early_config_prune(keep={keep}): at least one configuration is kept")

    def prune(configs: Sequence[Any], _: Mapping[str, Any], **options: Any) -> list[Any]:
        seconds = _expected(configs, options)
        ranked = sorted(time for time in seconds if time is not None and time < math.inf)
        if not ranked:
            return list(configs)
        most = ranked[min(keep, len(ranked)) - 1]
        return [each for each, time in zip(configs, seconds, strict=True) if time is None or time <= most]

    return prune


class _PerfModel:
    """Times of the last call's configurations: Triton asks for them one by one."""

    def __init__(self) -> None:
        self._arguments: Any = None
        self._seconds: list[tuple[Mapping[str, Any], float]] = []

    def __call__(self, **values: Any) -> float:
        """Expected seconds of the configuration among the values; 0 where they are not known: it comes first."""
        tuner = _tuner()
        if tuner is not None and tuner.nargs is not self._arguments:
            options = {name: value for name, value in values.items() if name not in tuner.nargs}
            chosen = {name for config in tuner.configs for name in config.all_kwargs()}
            given = {name: value for name, value in options.items() if name not in chosen}
            times = _expected(tuner.configs, given)
            pairs = zip(tuner.configs, times, strict=True)
            self._seconds = [(config.all_kwargs(), time or 0.0) for config, time in pairs]
            self._arguments = tuner.nargs
        for config, seconds in self._seconds:
            if all(name in values and values[name] == value for name, value in config.items()):
                return seconds
        return 0.0


perf_model = _PerfModel()
"""A value for Triton's `prune_configs_by={"perf_model": …, "top_k": …}`."""


def _expected(configs: Sequence[Any], options: Mapping[str, Any]) -> list[float | None]:
    """Seconds of each configuration, infinite where it cannot be launched, None where that is not known."""
    unknown: list[float | None] = [None] * len(configs)
    tuner = _tuner()
    if tuner is None or len(configs) < 2:
        return unknown
    try:
        found = contained("early_config_prune", lambda: expected_seconds(tuner, configs, options))
    except InspectError as error:
        found = error
    if isinstance(found, list):
        return found
    warnings.warn(f"gluon_inspect: all are timed, since {found}", stacklevel=2)
    return unknown


def _tuner() -> Any:
    """The autotuner on whose behalf we are called; None where nobody is one."""
    frame = inspect.currentframe()
    for _ in range(_MOST_FRAMES):
        frame = frame and frame.f_back
        if frame is not None and frame.f_code.co_name == _CALLER:
            tuner = frame.f_locals.get("self")
            return tuner if hasattr(tuner, "nargs") else None
    return None


def expected_seconds(tuner: Any, configs: Sequence[Any], options: Mapping[str, Any]) -> list[float | None]:
    """Of each configuration of Triton's `tuner`, whose `nargs` hold the launch's arguments by position.

    `options`: those by name, the grid among them. None: not known; infinite: it cannot be launched.
    """
    here = device()
    target = targets.find(here.target)
    if here.is_recorder or clocks_of(target) is None or here.sms != target.sms:
        return [None] * len(configs)
    kernels = compile_all(tuner, configs, options)
    done = [kernel for kernel in kernels if kernel is not None]
    listed = iter(with_sass(Capture("", tuple(done))).kernels)
    return [None if kernel is None else _seconds(next(listed), target) for kernel in kernels]


def _seconds(kernel: CompiledKernel, target: Target) -> float | None:
    shared = kernel.metadata.get("shared")
    if isinstance(shared, int) and shared > target.shared_bytes_per_cta:
        return math.inf
    cost = launch_cost(facts_of(KernelFacts(kernel, target), kernel.launches[0], None))
    return cost.seconds if cost is not None and cost.is_whole else None
