"""The same through Nsight Compute's own Python module, `ncu_report`, where it can be imported."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from gluon_inspect.errors import CaptureError
from gluon_inspect.measure.names import NCU, NCU_SOURCE
from gluon_inspect.model.measured import InstructionCounters, ProfiledLaunch

_GRID = ("launch__grid_dim_x", "launch__grid_dim_y", "launch__grid_dim_z")


def find_module() -> ModuleType | None:
    """`ncu_report` if it is installed (package ncu-report, or Nsight Compute's extras/python on the path)."""
    try:
        return importlib.import_module("ncu_report")
    except ImportError:
        return None


def read_report(module: Any, path: Path) -> tuple[ProfiledLaunch, ...]:
    """Every launch of a .ncu-rep file, range by range. CaptureError where it cannot be read."""
    try:
        report = module.load_report(str(path))
    except (RuntimeError, OSError) as error:
        raise CaptureError(f"{path} is no report of Nsight Compute: {error}") from None
    ranges = (report.range_by_idx(index) for index in range(report.num_ranges()))
    return tuple(_launch(each.action_by_idx(index)) for each in ranges for index in range(each.num_actions()))


def _launch(action: Any) -> ProfiledLaunch:
    counters = {ours: value for ours, theirs in NCU.items() if (value := _total(action, theirs)) is not None}
    sizes = [_total(action, name) for name in _GRID]
    grid = None if None in sizes else (int(sizes[0] or 0), int(sizes[1] or 0), int(sizes[2] or 0))
    device = action.metric_by_name("device__attribute_display_name")
    return ProfiledLaunch(
        str(action.name()),
        grid,
        counters,
        tuple(_instructions(action)),
        str(device.as_string()) if device is not None else "",
    )


def _total(action: Any, name: str) -> float | None:
    metric = action.metric_by_name(name)
    return None if metric is None else float(metric.as_double())


def _instructions(action: Any) -> Iterator[InstructionCounters]:
    values = {ours: dict(_by_address(action, theirs)) for ours, theirs in NCU_SOURCE.items()}
    addresses = sorted(values["executed"])
    for address in addresses:
        counts = {name: found[address] for name, found in values.items() if found.get(address)}
        yield InstructionCounters(address - addresses[0], str(action.sass_by_pc(address)).strip(), counts)


def _by_address(action: Any, name: str) -> Iterator[tuple[int, float]]:
    metric = action.metric_by_name(name)
    if metric is None or not metric.has_correlation_ids():
        return
    ids = metric.correlation_ids()
    for index in range(metric.num_instances()):
        yield int(ids.as_uint64(index)), float(metric.as_double(index))
