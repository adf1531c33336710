"""Counters from whatever file a profiler left: .ncu-rep, Nsight Compute's CSV, rocprofv3's CSV."""

from __future__ import annotations

from pathlib import Path

from gluon_inspect.errors import CaptureError, ParseError
from gluon_inspect.loading.content import read_content, read_head
from gluon_inspect.measure.ncu import as_csv, find_ncu
from gluon_inspect.measure.ncu_csv import read_ncu, read_raw_page
from gluon_inspect.measure.nsight import read_report
from gluon_inspect.measure.rocprof import read_rocprof
from gluon_inspect.model.measured import ProfiledLaunch

_REPORT, _PACKED_REPORT = b"NVR\0", b"\x28\xb5\x2f\xfd"
"""Nsight Compute's reports, and such in a zstd container (.ncu-repz)."""
_REPORT_SUFFIXES = (".ncu-rep", ".ncu-repz")
_ROCPROF = "Counter_Name"
_TABLES = ('"Kernel Name"', "Kernel Name,", _ROCPROF)
_HEAD_BYTES = 1 << 16


def is_profile(path: Path) -> bool:
    """Whether a file is a profiler's, by its name or its first bytes."""
    if path.suffix in _REPORT_SUFFIXES:
        return True
    try:
        head = read_head(path)[:_HEAD_BYTES]
    except CaptureError:
        # whoever reads it as something else says why it cannot be read
        return False
    is_table = path.suffix == ".csv" and any(each in head.decode("utf-8", errors="replace") for each in _TABLES)
    return head.startswith((_REPORT, _PACKED_REPORT)) or is_table


def read_counters(path: Path) -> tuple[ProfiledLaunch, ...]:
    """Profiled launches of a file, in launch order.

    Raises CaptureError for a file that is not there, and for a report that nothing here can read, ParseError
    for a damaged one and for CSV of another kind.
    """
    data = read_content(path)
    if path.suffix in _REPORT_SUFFIXES or data.startswith((_REPORT, _PACKED_REPORT)):
        return _from_report(path, data)
    text = data.decode("utf-8", errors="replace")
    return read_rocprof(text, str(path)) if _ROCPROF in text else read_raw_page(text, str(path))


_BY_HAND = "where ncu is: ncu --import FILE --csv --page raw --print-units base > counters.csv, and give that"


def _from_report(path: Path, data: bytes) -> tuple[ProfiledLaunch, ...]:
    """Read here; what is packed, of another version or without any known counter by ncu, where it is installed."""
    ncu = find_ncu()
    try:
        found = read_report(data, str(path))
        if ncu is None or any(launch.counters for launch in found):
            return found
    except ParseError as error:
        if ncu is None and data.startswith(_PACKED_REPORT):
            raise CaptureError(
                f"{path} is packed (zstd), and the ncu program is not here", hint=_BY_HAND
            ) from error
        if ncu is None:
            raise
    return read_ncu(as_csv(ncu, path, "raw"), as_csv(ncu, path, "source"), str(path))
