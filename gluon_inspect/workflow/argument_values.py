"""Values of a kernel's parameters: from a file, given, or assumed."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from gluon_inspect.errors import CaptureError, UsageError
from gluon_inspect.loading.content import parse_json, read_text

Value = int | float | bool
_MOST_BYTES = 16 << 20
_FORM = 'JSON such as {"n": 4096}, or TOML (.toml) such as n = 4096'


def merged_values(
    file: str | Path | None, given: Mapping[str, Value], assumed: Mapping[str, Value]
) -> dict[str, Value]:
    """All values: what is given wins over the file's. UsageError for a name that is also assumed."""
    certain = {**(values_of(file) if file else {}), **given}
    if both := sorted(certain.keys() & assumed.keys()):
        raise UsageError(f"{', '.join(both)}: given and assumed at once", hint="leave one of the two out")
    return {**certain, **assumed}


def values_of(file: str | Path) -> dict[str, Value]:
    """Values from a file of names and numbers; by its suffix TOML, else JSON. UsageError for any other."""
    try:
        text = read_text(Path(file), _MOST_BYTES)
        found: object = tomllib.loads(text) if Path(file).suffix == ".toml" else parse_json(text)
    except (CaptureError, ValueError, RecursionError) as error:
        raise UsageError(f"--arg-file {file}: {error}", hint=_FORM) from None
    if not isinstance(found, dict):
        raise UsageError(f"--arg-file {file} is no table of names and values", hint=_FORM)
    return dict(_entry(file, name, value) for name, value in cast("dict[str, object]", found).items())


def _entry(file: str | Path, name: str, value: object) -> tuple[str, Value]:
    if not name.isidentifier() or not isinstance(value, int | float):
        raise UsageError(f"--arg-file {file}: {name!r} is not a name with a number", hint=_FORM)
    return name, value
