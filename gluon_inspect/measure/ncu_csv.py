"""Nsight Compute's CSV: the raw page (a row a launch) and the source page (a row an instruction)."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import replace

from gluon_inspect.errors import ParseError, Position
from gluon_inspect.measure.names import NCU
from gluon_inspect.measure.tables import number, read_table, triple
from gluon_inspect.model.measured import InstructionCounters, ProfiledLaunch

_NAME, _GRID, _DEVICE = "Kernel Name", "Grid Size", "device__attribute_display_name"
_ADDRESS, _SOURCE = "Address", "Source"
_COLUMNS: Mapping[str, str] = {
    "executed": "Instructions Executed",
    "lines": "L1 Tag Requests Global",
    "sectors": "L2 Theoretical Sectors Global",
    "sectors_ideal": "L2 Theoretical Sectors Global Ideal",
    "wavefronts": "L1 Wavefronts Shared",
    "wavefronts_ideal": "L1 Wavefronts Shared Ideal",
}


def read_ncu(raw: str, source: str, file: str = "") -> tuple[ProfiledLaunch, ...]:
    """Launches in order, with their instructions where the source page has them. ParseError for other text."""
    launches = read_raw_page(raw, file)
    instructions = read_source_page(source, file) if source.strip() else ()
    if instructions and len(instructions) != len(launches):
        raise ParseError(
            f"{len(launches)} launches in the raw page, {len(instructions)} in the source page",
            position=Position(file),
        )
    return tuple(
        replace(launch, instructions=instructions[index]) if instructions else launch
        for index, launch in enumerate(launches)
    )


def read_raw_page(text: str, file: str = "") -> tuple[ProfiledLaunch, ...]:
    """Launches of `ncu --csv --page raw`, in order."""
    return tuple(_launch(row) for _, row in read_table(text, (_NAME, _GRID), file) if row[_NAME])


def _launch(row: Mapping[str, str]) -> ProfiledLaunch:
    counters = {ours: value for ours, theirs in NCU.items() if (value := number(row.get(theirs, ""))) is not None}
    return ProfiledLaunch(row[_NAME], triple(row[_GRID]), counters, device=row.get(_DEVICE, ""))


def read_source_page(text: str, file: str = "") -> tuple[tuple[InstructionCounters, ...], ...]:
    """Instructions of `ncu --csv --page source --print-source sass`, launch by launch."""
    launches: list[list[InstructionCounters]] = []
    first, header = 0, list[str]()
    for row in csv.reader(text.splitlines()):
        if row[:1] == [_NAME]:
            launches.append([])
        elif _ADDRESS in row and _SOURCE in row:
            header = row
        elif launches and len(row) == len(header):
            cells = dict(zip(header, row, strict=True))
            address = int(cells[_ADDRESS], 0)
            first = first if launches[-1] else address
            launches[-1].append(InstructionCounters(address - first, cells[_SOURCE].strip(), dict(_counts(cells))))
    if not header:
        raise ParseError("no table of instructions", position=Position(file), hint="ncu --page source --csv")
    return tuple(tuple(each) for each in launches)


def _counts(cells: Mapping[str, str]) -> Iterator[tuple[str, float]]:
    for ours, column in _COLUMNS.items():
        value = number(cells.get(column, ""))
        if value:
            yield ours, value
