"""IR as it reads when names do not count: locations gone, aliases expanded, SSA values renumbered."""

import re
from functools import lru_cache
from hashlib import blake2b

from gluon_inspect.model.dump import Level
from gluon_inspect.passes.states import State
from gluon_inspect.wording.layouts import short_layout

_ALIAS = re.compile(r"^([#!][A-Za-z_][\w$.]*)\s*=\s*(.*)$", re.MULTILINE)
_LOCATION_LINE = re.compile(r"^#loc\d*\s*=.*\n?", re.MULTILINE)
_PLACE_LINE = re.compile(r"^(#loc\d*)\s*=\s*(.*)$", re.MULTILINE)
_LOCATION = re.compile(r'\s*loc\((?:[^()"]|"[^"]*"|\((?:[^()"]|"[^"]*"|\([^()]*\))*\))*\)')
_USE = re.compile(r"[#!][A-Za-z_][\w$]*(?![\w.])")
_ATTRIBUTE = re.compile(r"#\w+\.\w+(?:<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>)?")
VALUE = re.compile(r"%[\w$.-]+(?:#\d+)?")


def bare(text: str) -> str:
    """The text without locations and with aliases expanded; values keep their names."""
    text = _LOCATION.sub("", _LOCATION_LINE.sub("", text))
    definitions = {name: value.strip() for name, value in _ALIAS.findall(text)}
    return _USE.sub(lambda use: _expanded(use[0], definitions, 8), _ALIAS.sub("", text)).strip() + "\n"


def bare_lines(text: str) -> list[tuple[str, str]]:
    """The lines of the bare text, each with the place that stands at its end (empty where there is none)."""
    places = dict(_PLACE_LINE.findall(text))
    body = _LOCATION_LINE.sub("", text)
    definitions = {name: _LOCATION.sub("", value).strip() for name, value in _ALIAS.findall(body)}
    lines: list[tuple[str, str]] = []
    for line in _ALIAS.sub("", body).strip().split("\n"):
        found = _LOCATION.findall(line)
        place = _USE.sub(lambda use: _expanded(use[0], places, 8), found[-1]) if found else ""
        shown = _USE.sub(lambda use: _expanded(use[0], definitions, 8), _LOCATION.sub("", line))
        lines.append((shown, place.strip()))
    return lines


def normalised(text: str) -> str:
    """The bare text with SSA values numbered in order of appearance."""
    numbers: dict[str, str] = {}

    def renumber(match: re.Match[str]) -> str:
        name, _, part = match[0].partition("#")
        return numbers.setdefault(name, f"%{len(numbers)}") + (f"#{part}" if part else "")

    return VALUE.sub(renumber, bare(text))


def readable(text: str, module: str) -> str:
    """An excerpt of `module` without locations, its layout aliases expanded and then written short."""
    definitions = _definitions(module)
    expanded = _USE.sub(lambda use: _expanded(use[0], definitions, 8), _LOCATION.sub("", text))
    return shown_layouts(expanded).strip()


def shown_layouts(text: str) -> str:
    """The text with every expanded layout attribute in its short form."""
    return _ATTRIBUTE.sub(lambda attribute: short_layout(attribute[0]), text)


@lru_cache(maxsize=64)
def _definitions(module: str) -> dict[str, str]:
    bare = _LOCATION_LINE.sub("", module)
    return {name: value.strip() for name, value in _ALIAS.findall(bare)}


def _expanded(name: str, definitions: dict[str, str], depth: int) -> str:
    value = definitions.get(name)
    if value is None or not depth:
        return name
    return _USE.sub(lambda use: _expanded(use[0], definitions, depth - 1), value)


def fingerprint(state: State) -> bytes:
    """Equal for states that differ only in names and locations; at the LLVM level for equal texts only."""
    text = state.ir if state.level is Level.LLVM else normalised(state.ir)
    return blake2b(text.encode(errors="backslashreplace"), digest_size=16).digest()
