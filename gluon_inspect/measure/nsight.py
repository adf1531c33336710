"""What an .ncu-rep file holds, under this project's names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod

from gluon_inspect.measure.names import NCU, NCU_SHARED, NCU_SOURCE, NCU_STALLS
from gluon_inspect.measure.nsight_file import parse_nsight
from gluon_inspect.model.measured import InstructionCounters, NsightLaunch, ProfiledLaunch

_DEVICE = "device__attribute_display_name"
_WANTED = frozenset({_DEVICE, *NCU_SHARED, *NCU.values(), *NCU_SOURCE.values(), *NCU_STALLS.values()})


def read_report(data: bytes, file: str = "") -> tuple[ProfiledLaunch, ...]:
    """The launches of a report's bytes, in order. ParseError where they cannot be read."""
    return tuple(_launch(each) for each in parse_nsight(data, _WANTED, file))


def _launch(found: NsightLaunch) -> ProfiledLaunch:
    numbers = {name: value for name, value in found.metrics.items() if not isinstance(value, str)}
    shared = [numbers[name] for name in NCU_SHARED if name in numbers]
    return ProfiledLaunch(
        found.symbol,
        found.grid,
        {ours: float(numbers[theirs]) for ours, theirs in NCU.items() if theirs in numbers},
        tuple(_instructions(found.instances)),
        str(found.metrics.get(_DEVICE, "")),
        threads=prod(found.block),
        shared_bytes=int(sum(shared)) if len(shared) == len(NCU_SHARED) else None,
        target=found.target,
        binary=found.binary,
    )


def _instructions(instances: Mapping[str, Mapping[int, float]]) -> Iterator[InstructionCounters]:
    """By offset from the first instruction; their text stands in the binary."""
    values, stalls = (
        {ours: instances.get(theirs, {}) for ours, theirs in names.items()} for names in (NCU_SOURCE, NCU_STALLS)
    )
    addresses = sorted(values["executed"])
    for address in addresses:
        counts, stood = (
            {name: found[address] for name, found in each.items() if found.get(address)}
            for each in (values, stalls)
        )
        yield InstructionCounters(address - addresses[0], "", counts, stood)
