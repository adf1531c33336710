"""CSV as profilers write it: remarks before the header, numbers with separators, a row of units."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from math import isfinite

from gluon_inspect.errors import ParseError, Position


def read_table(text: str, needed: Sequence[str], file: str = "") -> Iterator[tuple[int, Mapping[str, str]]]:
    """Rows below each header that has the `needed` columns, with their line numbers; raises ParseError for none.

    A new header (of the same columns) may follow, as when several kernels stand in one file.
    """
    header: list[str] = []
    reader = csv.reader(text.splitlines())
    for row in reader:
        if all(name in row for name in needed):
            header = row
        elif header and len(row) == len(header):
            yield reader.line_num, dict(zip(header, row, strict=True))
    if not header:
        raise ParseError(
            f"no table with the columns {', '.join(needed)}",
            position=Position(file),
            hint="export the profiler's report as CSV",
        )


def number(text: str) -> float | None:
    """A finite number with or without thousands separators; None for anything else."""
    try:
        found = float(text.replace(",", ""))
    except ValueError:
        return None
    return found if isfinite(found) else None


def triple(text: str) -> tuple[int, int, int] | None:
    """A grid written "(256, 256, 1)" or "256, 256, 1"; None for anything else."""
    parts = text.strip("() ").split(",")
    if len(parts) != 3 or not all(part.strip().isdecimal() for part in parts):
        return None
    x, y, z = (int(part) for part in parts)
    return x, y, z
