"""`gluon-inspect.toml`, or `[tool.gluon-inspect]` in pyproject.toml: the gate, the targets and the budgets."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from gluon_inspect.errors import ParseError, Position
from gluon_inspect.loading.content import read_content

_OWN_FILE = "gluon-inspect.toml"
_PROJECT_FILE = "pyproject.toml"
TIME_RATIO = "time-ratio"
LIMITS: Mapping[str, str] = {
    "sectors-per-request": "most sectors of an average request of any global access",
    "registers": "most registers a thread",
    "spill-bytes": "most spilled bytes a thread",
    "shared-bytes": "most shared memory a CTA",
    "occupancy": "least occupancy, 0 to 1",
    "scalar-loads": "most scalar loads in the IR",
    TIME_RATIO: "most predicted time over the baseline's",
}
_MOST_BYTES = 4 << 20
_KEYS = frozenset({"fail-on", "target", "baseline", "budget"})


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits for the kernels and targets that fit two patterns."""

    kernel: str
    target: str
    limits: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Configuration:
    """What a project has settled on; the command line overrides it."""

    fail_on: str | None = None
    targets: tuple[str, ...] = ()
    baseline: str | None = None
    budgets: tuple[Budget, ...] = ()


def load_configuration(folder: Path) -> Configuration:
    """The nearest configuration in a folder or above it, empty if there is none; ParseError if it is bad."""
    for place in (folder, *folder.parents):
        own, project = place / _OWN_FILE, place / _PROJECT_FILE
        if own.is_file():
            return _configuration(own, _read(own))
        if project.is_file():
            tools = _read(project).get("tool", {})
            table = cast("dict[str, Any]", tools).get("gluon-inspect") if isinstance(tools, dict) else None
            if table is not None:
                return _configuration(project, table)
    return Configuration()


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_content(path, _MOST_BYTES).decode("utf-8"))
    except RecursionError as error:
        raise ParseError("not TOML: nested too deeply", position=Position(str(path))) from error
    except ValueError as error:
        raise ParseError(f"not TOML: {error}", position=Position(str(path))) from error


def _configuration(path: Path, table: Any) -> Configuration:
    values = _table(path, table, "the configuration")
    _refuse_unknown(path, values, _KEYS)
    target: Any = values.get("target", [])
    targets = cast("list[Any]", target if isinstance(target, list) else [target])
    return Configuration(
        fail_on=_text(path, values, "fail-on"),
        targets=tuple(_texts(path, targets)),
        baseline=_text(path, values, "baseline"),
        budgets=tuple(_budget(path, budget) for budget in _list(path, values.get("budget", []))),
    )


def _budget(path: Path, table: Any) -> Budget:
    values = _table(path, table, "a budget")
    _refuse_unknown(path, values, frozenset({"kernel", "target", *LIMITS}))
    limits = {key: value for key, value in values.items() if key in LIMITS}
    for key, value in limits.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ParseError(f"budget {key} is no number: {value!r}", position=Position(str(path)))
    return Budget(_text(path, values, "kernel") or "*", _text(path, values, "target") or "*", limits)


def _table(path: Path, value: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ParseError(f"{what} is not a table", position=Position(str(path)))
    return cast("dict[str, Any]", value)


def _list(path: Path, value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ParseError("budgets are written [[budget]]", position=Position(str(path)))
    return cast("list[Any]", value)


def _text(path: Path, values: Mapping[str, Any], key: str) -> str | None:
    value = values.get(key)
    if value is not None and not isinstance(value, str):
        raise ParseError(f"{key} is no text: {value!r}", position=Position(str(path)))
    return value


def _texts(path: Path, values: list[Any]) -> Iterator[str]:
    for value in values:
        if not isinstance(value, str):
            raise ParseError(f"target is no text: {value!r}", position=Position(str(path)))
        yield value


def _refuse_unknown(path: Path, values: Mapping[str, Any], known: frozenset[str]) -> None:
    unknown = [key for key in values if key not in known]
    if unknown:
        raise ParseError(
            f"unknown key {unknown[0]!r}", position=Position(str(path)), hint=f"one of {sorted(known)}"
        )
