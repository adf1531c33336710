"""The accesses that share a layout, and how they would fare under candidates."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from gluon_inspect.errors import InspectError
from gluon_inspect.explaining.candidates import candidates
from gluon_inspect.explaining.costs import RegisterGuess
from gluon_inspect.explaining.counterfactual import Trial, WhatIf
from gluon_inspect.layouts.gluon_syntax import read_layout
from gluon_inspect.model.access import Direction
from gluon_inspect.model.encodings import Encoding
from gluon_inspect.traffic.global_memory.access import GlobalAccess
from gluon_inspect.traffic.global_memory.geometry import dim_strides

_MOST_CANDIDATES = 240
"""Of one access: a trial takes about a millisecond, and explaining shall take no more than two seconds."""


@dataclass(frozen=True, slots=True)
class Group:
    """The accesses that share one encoding."""

    encoding: Encoding
    accesses: tuple[GlobalAccess, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the first access's tensor."""
        tensor = self.accesses[0].tensor
        return tensor.shape if tensor is not None else ()

    def positions(self, direction: Direction) -> tuple[int, ...]:
        """Which of the accesses go that way."""
        return tuple(i for i, access in enumerate(self.accesses) if access.direction is direction)


@dataclass(frozen=True, slots=True)
class Trials:
    """Every candidate that all accesses of a group can have, one trial an access, and what they would cost."""

    group: Group
    table: Mapping[Encoding, tuple[Trial, ...]]
    guess: RegisterGuess

    def best(self, positions: tuple[int, ...], count: int) -> list[Encoding]:
        """The layouts in which the accesses at these positions alone take the least time, best first."""
        seconds = {
            layout: self.guess.seconds([row[i] for i in positions])
            for layout, row in self.table.items()
            if self.guess.occupancy([row[i] for i in positions]) is not None
        }
        return sorted(seconds, key=lambda layout: seconds[layout])[:count]


def groups(accesses: Iterable[GlobalAccess]) -> Iterator[Group]:
    """Accesses of known addresses by their encoding, in textual order."""
    found: dict[Encoding, list[GlobalAccess]] = defaultdict(list)
    for access in accesses:
        known = access.tally.sample is not None and not access.tally.unknown
        if access.tensor is not None and access.encoding is not None and known:
            found[access.encoding].append(access)
    return (Group(encoding, tuple(members)) for encoding, members in found.items())


def try_all(what_if: WhatIf, group: Group) -> Trials:
    """The group under its own layout and every candidate of its accesses."""
    table: dict[Encoding, tuple[Trial, ...]] = {}
    for layout in dict.fromkeys(_layouts(what_if, group)):
        row = tuple(trial for access in group.accesses if (trial := what_if.trial(access, layout)) is not None)
        if len(row) == len(group.accesses):
            table[layout] = row
    return Trials(group, table, RegisterGuess(what_if, table.get(group.encoding, ())))


def _layouts(what_if: WhatIf, group: Group) -> Iterator[Encoding]:
    yield group.encoding
    for access in group.accesses:
        sample, tensor = access.tally.sample, access.tensor
        if sample is None or tensor is None:
            continue
        found = candidates(
            tensor.shape,
            access.tally.element_bytes,
            dim_strides(sample),
            what_if.warps,
            what_if.target.warp_size,
        )
        yield from islice(found, _MOST_CANDIDATES)


def constexpr_of(what_if: WhatIf, encoding: Encoding) -> str | None:
    """The constexpr parameter that holds an encoding, if one does."""
    for name, text in what_if.report.kernel.constexprs.items():
        try:
            if read_layout(text) == encoding:
                return name
        except InspectError:
            continue
    return None


def named(group: Group, name: str | None) -> str:
    """How a text calls the group's layout: its parameter, and the lines that use it."""
    lines = sorted({a.op.location.author.line for a in group.accesses if a.op.location})
    places = f"line{'s' if len(lines) > 1 else ''} {', '.join(map(str, lines))}" if lines else "its accesses"
    return f"the constexpr `{name}` ({places})" if name else places
