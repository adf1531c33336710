"""Whether the author's text says assert_trivial=True at a conversion: the IR does not keep it."""

from __future__ import annotations

import re

from gluon_inspect.facts.launched import Facts
from gluon_inspect.model.access import Conversion
from gluon_inspect.model.location import Location

_ASSERTED = re.compile(r"assert_trivial\s*=\s*True")
_MOST_LINES = 12
"""Of one call, in the author's text."""


def is_asserted(conversion: Conversion, facts: Facts) -> bool:
    """Whether the call says assert_trivial=True already, at its line or where it is inlined from."""
    places = conversion.location.chain if conversion.location else ()
    return any(_ASSERTED.search(_call_at(facts.sources.get(place.file, ""), place)) for place in places)


def _call_at(text: str, place: Location) -> str:
    """From a place to the end of the bracket that opens there; a line where columns are unknown."""
    lines = text.splitlines()[place.line - 1 : place.line - 1 + _MOST_LINES]
    begun = "\n".join(lines)[max(0, place.column - 1) :] if lines else ""
    depth = 0
    for at, letter in enumerate(begun):
        depth += (letter in "([{") - (letter in ")]}")
        if depth <= 0 and letter in ")]}\n":
            return begun[:at]
    return begun
