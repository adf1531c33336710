"""The published schemas, and where a document does not fit one."""

from __future__ import annotations

import json
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.resources import files
from typing import Any

from gluon_inspect.wording.characters import shortened

REPORT = ("gluon_inspect.report.schema", "report-v1.schema.json")
CONFIGURATION = ("gluon_inspect.project", "configuration-v1.schema.json")
"""Packages and files."""
_MOST_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class Contradiction:
    """The first place that does not fit, and how; what to write instead, where that can be guessed."""

    told: str
    hint: str = ""


def contradiction(document: object, schema: tuple[str, str]) -> Contradiction | None:
    """Where a document does not fit a schema; None where it does."""
    # imported where there is a document alone
    from jsonschema import Draft202012Validator

    package, name = schema
    text = files(package).joinpath(name).read_text("utf-8")
    validator: Any = Draft202012Validator(json.loads(text))
    try:
        errors = sorted(validator.iter_errors(document), key=lambda error: error.json_path)
    except RecursionError:
        return Contradiction("it is nested too deeply")
    return _told(errors[0]) if errors else None


def _told(error: Any) -> Contradiction:
    if error.validator == "additionalProperties":
        known = list(error.schema["properties"])
        unknown = next(key for key in error.instance if key not in known)
        where = "" if error.json_path == "$" else f" in {error.json_path[2:]}"
        near = get_close_matches(unknown, known, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"one of {', '.join(known)}"
        return Contradiction(f"unknown key {shortened(repr(unknown), _MOST_CHARACTERS)}{where}", hint)
    return Contradiction(f"{error.json_path}: {shortened(str(error.message), _MOST_CHARACTERS)}")
