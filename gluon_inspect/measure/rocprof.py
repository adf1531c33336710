"""rocprofv3's counter_collection.csv: one row a dispatch and counter.

Columns as ROCm's documentation of rocprofv3 gives them ("Using rocprofv3", counter collection output). Tested on
that form; it was never run on a card.
"""

from __future__ import annotations

from collections.abc import Mapping

from gluon_inspect.errors import ParseError, Position
from gluon_inspect.measure.names import ROCPROF
from gluon_inspect.measure.tables import number, read_table
from gluon_inspect.model.measured import ProfiledLaunch

_NEEDED = ("Dispatch_Id", "Kernel_Name", "Counter_Name", "Counter_Value")
_RESOURCES = ("VGPR_Count", "Accum_VGPR_Count", "SGPR_Count", "LDS_Block_Size", "Scratch_Size")


def read_rocprof(text: str, file: str = "") -> tuple[ProfiledLaunch, ...]:
    """Dispatches in order of their ids; counters that this project has no name for keep theirs.

    Grid sizes there are in work items, so the grid stays unknown. ParseError for anything else.
    """
    names: dict[int, str] = {}
    counters: dict[int, dict[str, float]] = {}
    for line, row in read_table(text, _NEEDED, file):
        value, dispatch = number(row["Counter_Value"]), number(row["Dispatch_Id"])
        if value is None or dispatch is None:
            raise ParseError(f"not a number: {row['Counter_Value']!r}", position=Position(file, line))
        found = counters.setdefault(int(dispatch), _resources(row))
        names.setdefault(int(dispatch), row["Kernel_Name"])
        name = ROCPROF.get(row["Counter_Name"], row["Counter_Name"])
        found[name] = found.get(name, 0.0) + value
    return tuple(ProfiledLaunch(names[each], None, counters[each]) for each in sorted(names))


def _resources(row: Mapping[str, str]) -> dict[str, float]:
    given = {ROCPROF[column]: number(row.get(column, "")) for column in _RESOURCES}
    return {name: value for name, value in given.items() if value is not None}
