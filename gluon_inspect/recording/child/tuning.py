"""Autotuning without times: which configurations are launched, and which is then taken for the best.

All would be compiled for every new key, which a benchmark over thirty sizes makes hundreds. Unless all are asked
for, a kernel's first key has its first configurations, and later keys have the one that was chosen.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from gluon_inspect.recording.child.madeup import MadeUp
from gluon_inspect.recording.child.patches import Patches

CONFIGURATIONS = 24
"""Of all kernels together, as long as they last: enough to show what choices do, and few enough to wait for."""
FEWEST = 4
"""Of each further kernel."""
UNTIMED = "autotuned kernels: nothing was timed, so the first configuration that runs was chosen"


@dataclass(slots=True)
class _Progress:
    """Of one kernel: how many more configurations to launch for this key, and those that have run."""

    left: int = 0
    ran: list[Any] = field(default_factory=list[Any])
    skipped: int = 0


def spelled(value: Any) -> str:
    """A configuration's value as Python."""
    inner = getattr(value, "value", value)
    return repr(inner) if isinstance(inner, bool | int | float | str | None) else str(inner)


class Trials:
    """Whether a tuner is trying a configuration, and which: what is launched meanwhile is made by nothing else."""

    def __init__(self) -> None:
        self._depth = 0
        self.configuration: Mapping[str, str] = {}

    def __call__(self) -> bool:
        """Whether a launch made now is a trial."""
        return self._depth > 0

    def install(self, patches: Patches) -> None:
        """Wraps how the autotuner tries a configuration."""
        autotuner: Any = importlib.import_module("triton.runtime.autotuner").Autotuner
        bench = autotuner._bench

        def _bench(*arguments: Any, config: Any, **options: Any) -> Any:
            with self.trying({name: spelled(value) for name, value in config.all_kwargs().items()}):
                return bench(*arguments, config=config, **options)

        patches.set(autotuner, "_bench", _bench)

    @contextmanager
    def trying(self, configuration: Mapping[str, str]) -> Generator[None]:
        """Launches inside are trials of a configuration."""
        self._depth += 1
        try:
            with self.made_with(configuration):
                yield
        finally:
            self._depth -= 1

    @contextmanager
    def made_with(self, configuration: Mapping[str, str]) -> Generator[None]:
        """Kernels compiled inside have a configuration."""
        before, self.configuration = self.configuration, configuration
        try:
            yield
        finally:
            self.configuration = before


class Tuning:
    """Limits Triton's autotuner; `remarks` say of each kernel what was left out."""

    def __init__(self, made_up: MadeUp) -> None:
        self._made_up = made_up
        self._kernels: dict[Any, _Progress] = {}
        self._left = CONFIGURATIONS

    def install(self, patches: Patches) -> None:
        """Wraps how the autotuner picks configurations and how it tries one."""
        autotuner: Any = importlib.import_module("triton.runtime.autotuner").Autotuner
        patches.set(autotuner, "prune_configs", self._starting(autotuner.prune_configs))
        patches.set(autotuner, "_bench", self._trying(autotuner._bench))
        patches.on_exit(self._tell)

    def _starting(self, prune: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
        def prune_configs(tuner: Any, *arguments: Any, **options: Any) -> list[Any]:
            found = list(prune(tuner, *arguments, **options))
            kernel = self._kernels.setdefault(tuner, _Progress())
            kernel.left = 1 if kernel.ran else max(FEWEST, self._left)
            return sorted(found, key=lambda config: config not in kernel.ran)

        return prune_configs

    def _trying(self, bench: Callable[..., Any]) -> Callable[..., Any]:
        def _bench(tuner: Any, *arguments: Any, config: Any, **options: Any) -> Any:
            kernel = self._kernels.setdefault(tuner, _Progress(FEWEST))
            if not kernel.left:
                kernel.skipped += config not in kernel.ran
                return [math.inf] * 3
            times = bench(tuner, *arguments, config=config, **options)
            if times != [math.inf] * 3:
                kernel.left -= 1
                self._left -= 1
                kernel.ran += [config] if config not in kernel.ran else []
            return times

        return _bench

    def _tell(self) -> None:
        for tuner, kernel in self._kernels.items():
            if kernel.skipped:
                share = f"{len(kernel.ran)} of {len(tuner.configs)} configurations"
                name = tuner.base_fn.__name__
                self._made_up.remark(f"autotuned {name}: {share} are here (--all-configs for all)")
