"""What the evaluation of a launch gives to the shared-memory model: widths, addresses, requests."""

from __future__ import annotations

import re

from gluon_inspect.traffic.launch import Evaluated
from gluon_inspect.traffic.shared.banks import Addresses
from gluon_inspect.traffic.shared.memory_layout import NEWEST, Version
from gluon_inspect.traffic.shared.records import GlobalSide

_VERSION = re.compile(r"(\d+)\.(\d+)")
_COLUMN_ZERO = re.compile(r'loc\("[^"\n]*":\d+:0\)')
_ZERO_BASED: Version = (3, 6)


def global_side(evaluated: Evaluated | None) -> GlobalSide:
    """The global side of a launch. Addresses are those of the first program that was evaluated."""
    vectors: dict[int, int] = {}
    addresses: dict[int, Addresses] = {}
    requests: dict[int, int] = {}
    for start, access in () if evaluated is None else evaluated.accesses.items():
        vectors[start] = access.vector
        sample = access.tally.sample
        if sample is not None:
            addresses[start] = (sample.row + sample.base).reshape(-1)
        if not access.tally.unknown:
            requests[start] = round(access.tally.traffic.requests * (evaluated.scale if evaluated else 1))
    return GlobalSide(vectors, addresses, requests)


def version_of(triton_version: str, ir: str = "") -> Version:
    """Triton's version as (major, minor), from what the capture says or else from the IR's habits.

    Triton 3.6 counts columns from 0, so a function at the start of a line gives it away.
    """
    found = _VERSION.match(triton_version)
    if found is not None:
        return int(found[1]), int(found[2])
    return _ZERO_BASED if _COLUMN_ZERO.search(ir) else NEWEST
