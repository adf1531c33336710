"""`loc(…)` in all its forms to the author's file, line and column, through call sites."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import cast

from gluon_inspect.ir.text.checks import REFERENCE
from gluon_inspect.ir.text.grammar import UNREADABLE, read
from gluon_inspect.ir.text.literals import unquoted
from gluon_inspect.ir.text.places import Place
from gluon_inspect.ir.text.tokenizer import QUOTED, error
from gluon_inspect.model.location import Location
from gluon_inspect.source import SourceText, whole

_MAX_CALLERS = 64
"""Call sites kept of one location."""

_ALIAS = r"#(?:\d+|[A-Za-z_$-][\w$-]*)"
_ANY_FORM = re.compile(
    rf"loc\(\s*(?:({_ALIAS})|({QUOTED})\s*:\s*(\d+)\s*:\s*(\d+)|({QUOTED})\s*\(\s*({_ALIAS})\s*\)"
    rf"|callsite\(\s*({_ALIAS})\s+at\s+({_ALIAS})\s*\)|(unknown))\s*\)\Z"
)
_COLUMN_ZERO = re.compile(r'":[1-9][0-9]*:0(?![0-9])')

_UNKNOWN = Place("unknown")


class Locations:
    """Resolves the locations of one text. `aliases` maps `#loc1` to its text and offset.

    Columns come out 1-based: Triton up to 3.6 counts them from 0, which a text shows by having a column 0.
    """

    def __init__(self, source: SourceText, aliases: Mapping[str, tuple[str, int]] | None = None) -> None:
        self._source = source
        self._aliases = aliases or {}
        self._first_column = 1 if _COLUMN_ZERO.search(source.text) else 0
        self._known: dict[str, Location | None] = {}
        self._resolved: dict[str, Location | None] = {}

    def read(self, text: str, offset: int) -> Location | None:
        """The location of `loc(…)`; None where it names no file. Raises ParseError at the offset."""
        if text not in self._known:
            self._known[text] = self._location(self._place(text, offset), offset)
        return self._known[text]

    def _place(self, text: str, offset: int) -> Place:
        match = _ANY_FORM.match(text)
        if match:
            return _flat_place(match)
        place = read("location", text)
        if place is UNREADABLE:
            raise error(self._source, offset, "this location is not one MLIR writes")
        return cast(Place, place)

    def _location(self, place: Place, offset: int) -> Location | None:
        match place.kind:
            case "file":
                column = place.column + self._first_column if place.line else place.column
                return Location(place.text, place.line, column)
            case "name":
                return _named(self._location(place.parts[0], offset) if place.parts else None, place.text)
            case "call":
                callee, caller = (self._location(part, offset) for part in place.parts)
                return _called(callee, caller)
            case "fused":
                found = (self._location(part, offset) for part in place.parts)
                return next((one for one in found if one), None)
            case "alias":
                return self._alias(place.text, offset)
            case _:
                return None

    def _alias(self, name: str, offset: int) -> Location | None:
        """An alias's location; the chain of aliases is walked without recursion."""
        waiting, begun = [name], {name}
        while waiting:
            top = waiting[-1]
            if top in self._resolved:
                begun.discard(waiting.pop())
                continue
            missing = self._missing(top, offset)
            if any(one in begun for one in missing):
                raise error(self._source, offset, f"location {top} is defined by itself")
            if missing:
                waiting.append(missing[0])
                begun.add(missing[0])
            else:
                text, at = self._aliases[top]
                self._resolved[top] = self.read(text, at)
        return self._resolved[name]

    def _missing(self, name: str, offset: int) -> list[str]:
        """The locations that an alias stands on and that are not resolved yet; metadata of `fused<…>` is none."""
        if name not in self._aliases:
            raise error(self._source, offset, f"undefined alias {name}")
        if not self._is_location(name):
            raise error(self._source, offset, f"alias {name} is no location")
        found = (match[1] for match in REFERENCE.finditer(self._aliases[name][0]))
        return [one for one in found if one and one not in self._resolved and self._is_location(one)]

    def _is_location(self, name: str) -> bool:
        return name not in self._aliases or self._aliases[name][0].startswith("loc(")


def _flat_place(match: re.Match[str]) -> Place:
    alias, file, line, column, name, child, callee, caller, _ = match.groups()
    if alias:
        return Place("alias", alias)
    if file:
        return Place("file", unquoted(file), whole(line), whole(column))
    if name:
        return Place("name", unquoted(name), parts=(Place("alias", child),))
    if callee:
        return Place("call", parts=(Place("alias", callee), Place("alias", caller)))
    return _UNKNOWN


def _named(location: Location | None, name: str) -> Location | None:
    if location is None:
        return None
    return Location(location.file, location.line, location.column, name, location.callers)


def _called(callee: Location | None, caller: Location | None) -> Location | None:
    if callee is None or caller is None:
        return callee or caller
    place = Location(caller.file, caller.line, caller.column, caller.name)
    callers = (*callee.callers, place, *caller.callers)[:_MAX_CALLERS]
    return Location(callee.file, callee.line, callee.column, callee.name, callers)
