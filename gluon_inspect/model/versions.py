"""Triton's version, as far as what it makes of a kernel differs."""

from __future__ import annotations

import re

Version = tuple[int, int]
"""(major, minor)."""

NEWEST: Version = (3, 9)

_NUMBERS = re.compile(r"(\d+)\.(\d+)")
_COLUMN_ZERO = re.compile(r'loc\("[^"\n]*":\d+:0\)')
_ZERO_BASED: Version = (3, 6)


def version_of(triton_version: str, ir: str = "") -> Version:
    """Triton's version from what the capture says or else from the IR's habits.

    Triton 3.6 counts columns from 0, so a function at the start of a line gives it away.
    """
    found = _NUMBERS.match(triton_version)
    if found is not None:
        return int(found[1]), int(found[2])
    return _ZERO_BASED if _COLUMN_ZERO.search(ir) else NEWEST
