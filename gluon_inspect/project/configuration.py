"""`gluon-inspect.toml`, or `[tool.gluon-inspect]` in pyproject.toml: the gate, the targets and the budgets."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from gluon_inspect.errors import ParseError, Position
from gluon_inspect.loading.content import read_content
from gluon_inspect.project.schemas import CONFIGURATION, contradiction
from gluon_inspect.wording.characters import shortened

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
_MOST_LIMIT = 1 << 63
_MOST_CHARACTERS = 24


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
    scripts: tuple[str, ...] = ()
    """Scripts and tests that may be run whenever a file of theirs is saved: paths, patterns, file.py::name."""
    folder: Path | None = field(default=None, compare=False)
    """Where the configuration stands, which its paths start from; None where there is none."""


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


def _configuration(path: Path, values: Any) -> Configuration:
    wrong = contradiction(values, CONFIGURATION)
    if wrong is not None:
        told = f"not a configuration by its schema: {wrong.told}"
        raise ParseError(told, position=Position(str(path)), hint=wrong.hint)
    target = values.get("target", [])
    return Configuration(
        fail_on=values.get("fail-on"),
        targets=(target,) if isinstance(target, str) else tuple(target),
        baseline=values.get("baseline"),
        budgets=tuple(_budget(path, budget) for budget in values.get("budget", [])),
        scripts=tuple(values.get("scripts", [])),
        folder=path.parent,
    )


def _budget(path: Path, table: Mapping[str, Any]) -> Budget:
    limits = {key: value for key, value in table.items() if key in LIMITS}
    for key, value in limits.items():
        if not 0 <= value <= _MOST_LIMIT:
            told = shortened(str(value), _MOST_CHARACTERS)
            raise ParseError(f"budget {key} of {told} is no limit", position=Position(str(path)))
    return Budget(table.get("kernel", "*"), table.get("target", "*"), limits)
