"""Nsight Compute's CSV: the raw page (a row a launch) and the source page (a row an instruction)."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import prod

from gluon_inspect.errors import ParseError, Position
from gluon_inspect.measure.names import NCU, NCU_SHARED
from gluon_inspect.measure.tables import number, read_table, triple
from gluon_inspect.model.measured import InstructionCounters, ProfiledLaunch

_NAME, _GRID, _DEVICE = "Kernel Name", "Grid Size", "device__attribute_display_name"
_BLOCK, _CAPABILITY = "Block Size", "CC"
_ADDRESS, _SOURCE = "Address", "Source"
_SCALED = re.compile(r"[KMGT]byte|[um]?s(?:econd)?\Z")
"""Units that `--print-units base` does not use; nanoseconds are a base unit."""
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
    """Launches of `ncu --csv --page raw`, in order. Numbers that ncu rounded to a larger unit are left out."""
    launches: list[ProfiledLaunch] = []
    scaled: frozenset[str] = frozenset()
    for _, row in read_table(text, (_NAME, _GRID), file):
        if row[_NAME]:
            launches.append(_launch({name: cell for name, cell in row.items() if name not in scaled}))
        else:
            scaled = frozenset(name for name, unit in row.items() if _SCALED.match(unit))
    return tuple(launches)


def _launch(row: Mapping[str, str]) -> ProfiledLaunch:
    counters = {ours: value for ours, theirs in NCU.items() if (value := number(row.get(theirs, ""))) is not None}
    block = triple(row.get(_BLOCK, ""))
    shared = [number(row.get(name, "")) for name in NCU_SHARED]
    return ProfiledLaunch(
        row[_NAME],
        triple(row[_GRID]),
        counters,
        device=row.get(_DEVICE, ""),
        threads=prod(block) if block else None,
        shared_bytes=None if None in shared else int(sum(filter(None, shared))),
        target=f"cuda:{row[_CAPABILITY].replace('.', '')}" if row.get(_CAPABILITY) else "",
    )


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
