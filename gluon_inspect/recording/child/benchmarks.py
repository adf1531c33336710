"""Benchmarks run their function once: there is nothing to time, and each launch need be recorded once."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from gluon_inspect.recording.child.madeup import MadeUp
from gluon_inspect.recording.child.patches import Patches
from gluon_inspect.recording.child.tuning import UNTIMED

_TIME_MS = 1.0
_NAMES = ("do_bench", "do_bench_cudagraph", "do_bench_proton", "do_bench_cudagraph_proton")


def _bench(function: Callable[[], Any], *_: Any, **options: Any) -> Any:
    """The same time for everything, in the shape that was asked for."""
    function()
    quantiles = options.get("quantiles")
    if quantiles:
        return [_TIME_MS] * len(quantiles)
    return [_TIME_MS] if options.get("return_mode") == "all" else _TIME_MS


def for_autotuning(made_up: MadeUp) -> Callable[..., Any]:
    """The benchmarker that the driver offers the autotuner, which then takes the first configuration."""

    def bench(function: Callable[[], Any], *arguments: Any, **options: Any) -> Any:
        made_up.remark(UNTIMED)
        return _bench(function, *arguments, **options)

    return bench


def install(patches: Patches) -> None:
    """Replaces Triton's benchmarkers."""
    testing: Any = importlib.import_module("triton.testing")
    for name in _NAMES:
        if hasattr(testing, name):
            patches.set(testing, name, _bench)
