"""Benchmarks run their function once: there is nothing to time, and each launch need be recorded once."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Sequence
from typing import Any, cast

from gluon_inspect.recording.child.madeup import MadeUp
from gluon_inspect.recording.child.patches import Patches
from gluon_inspect.recording.child.tuning import UNTIMED

_TIME_MS = 1.0
_DRAWING = ("pandas", "matplotlib")
_DRAWN = ("save_path", "show_plots", "print_data", "diff_col", "save_precision")
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


def _sizes(names: Sequence[str], values: Any) -> dict[str, Any]:
    """One value for all names, or one each."""
    each: Sequence[Any] = (
        cast(Sequence[Any], values) if isinstance(values, list | tuple) else [values] * len(names)
    )
    return dict(zip(names, each, strict=True))


def _undrawn(made_up: MadeUp, lacking: str) -> Callable[..., None]:
    """A report's calls without its table."""

    def _run(mark: Any, bench: Any, *_: Any, **options: Any) -> None:
        made_up.remark(f"perf_report made its launches and drew nothing: {lacking} is not installed")
        given = {name: value for name, value in options.items() if name not in _DRAWN}
        for x in bench.x_vals:
            sizes = _sizes(bench.x_names, x)
            for line in bench.line_vals:
                mark.fn(**sizes, **{bench.line_arg: line}, **bench.args, **given)

    return _run


def install(patches: Patches, made_up: MadeUp) -> None:
    """Replaces Triton's benchmarkers, and its reports where they cannot be drawn."""
    testing: Any = importlib.import_module("triton.testing")
    if lacking := [name for name in _DRAWING if importlib.util.find_spec(name) is None]:
        patches.set(testing.Mark, "_run", _undrawn(made_up, " and ".join(lacking)))
    for name in _NAMES:
        if hasattr(testing, name):
            patches.set(testing, name, _bench)
