"""Counters from whatever file a profiler left: .ncu-rep, Nsight Compute's CSV, rocprofv3's CSV."""

from __future__ import annotations

from pathlib import Path

from gluon_inspect.errors import CaptureError
from gluon_inspect.measure.ncu import as_csv, find_ncu
from gluon_inspect.measure.ncu_csv import read_ncu, read_raw_page
from gluon_inspect.measure.ncu_module import find_module, read_report
from gluon_inspect.measure.rocprof import read_rocprof
from gluon_inspect.model.measured import ProfiledLaunch

_REPORT_SUFFIX = ".ncu-rep"


def read_counters(path: Path) -> tuple[ProfiledLaunch, ...]:
    """Profiled launches of a file, in launch order.

    Raises CaptureError when there is no way to read a .ncu-rep here, ParseError for CSV of another kind.
    """
    if not path.is_file():
        raise CaptureError(f"no such file: {path}")
    if path.suffix == _REPORT_SUFFIX:
        return _from_report(path)
    text = path.read_text(encoding="utf-8", errors="replace")
    return read_rocprof(text, str(path)) if "Counter_Name" in text else read_raw_page(text, str(path))


def _from_report(path: Path) -> tuple[ProfiledLaunch, ...]:
    module = find_module()
    if module is not None:
        return read_report(module, path)
    ncu = find_ncu()
    if ncu is None:
        raise CaptureError(
            f"{path}: neither the ncu_report module nor the ncu program is here",
            hint="pip install ncu-report, or put Nsight Compute's extras/python on PYTHONPATH",
        )
    return read_ncu(as_csv(ncu, path, "raw"), as_csv(ncu, path, "source"), str(path))
