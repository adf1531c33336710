"""Reports as JSON documents: reading one from a file, and matching kernels between two."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from gluon_inspect.errors import ParseError, Position
from gluon_inspect.loading.content import parse_json, read_content
from gluon_inspect.project.schemas import REPORT, contradiction
from gluon_inspect.wording.characters import shortened

Json = dict[str, Any]
_VERSION = 1
_MOST_BYTES = 256 << 20
_MOST_CHARACTERS = 200


def read_document(path: str) -> Json:
    """A JSON report. Raises CaptureError for a file that cannot be read, ParseError for one that is no report."""
    content = read_content(Path(path), _MOST_BYTES)
    try:
        document: object = parse_json(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ParseError("this is not a JSON report: not text", position=Position(path)) from error
    except ValueError as error:
        line, column = (error.lineno, error.colno) if isinstance(error, json.JSONDecodeError) else (0, 0)
        raise ParseError("this is not a JSON report", position=Position(path, line, column)) from error
    return _checked(path, document)


def _checked(path: str, document: object) -> Json:
    hint = "make one with `gluon-inspect report … --format json=FILE`"
    if not isinstance(document, dict) or "kernels" not in document:
        raise ParseError("this JSON is not a report of gluon-inspect", position=Position(path), hint=hint)
    known = cast("Json", document)
    if known.get("schema_version") != _VERSION:
        told = shortened(repr(known.get("schema_version")), _MOST_CHARACTERS)
        raise ParseError(f"schema version {told} is not {_VERSION}", position=Position(path))
    wrong = contradiction(known, REPORT)
    if wrong is not None:
        raise ParseError(f"not a report by its schema: {wrong.told}", position=Position(path), hint=hint)
    return known


def matched(before: Sequence[Json], after: Sequence[Json]) -> Iterator[tuple[Json | None, Json | None]]:
    """Kernels of `after` with theirs of `before`, in the order of `after`; then what is only in `before`.

    By name, target, constants and launch first; what is left without the constants, then by name and target
    in order, so that a changed layout or argument still finds its kernel.
    """
    partners = _partners(before, after)
    taken = set(partners.values())
    for index, kernel in enumerate(after):
        partner = partners.get(index)
        yield (None if partner is None else before[partner], kernel)
    for index, kernel in enumerate(before):
        if index not in taken:
            yield kernel, None


def _partners(before: Sequence[Json], after: Sequence[Json]) -> dict[int, int]:
    partners: dict[int, int] = {}
    for key in (_full_key, _launch_key, _name_key):
        waiting: defaultdict[str, list[int]] = defaultdict(list)
        for index, kernel in enumerate(before):
            if index not in partners.values():
                waiting[key(kernel)].append(index)
        for index, kernel in enumerate(after):
            if index not in partners and waiting[key(kernel)]:
                partners[index] = waiting[key(kernel)].pop(0)
    return partners


def _name_key(kernel: Json) -> str:
    return json.dumps([kernel["name"], kernel["target"]])


def _launch_key(kernel: Json) -> str:
    launch = kernel["launch"]
    arguments = {name: _argument(value) for name, value in launch.get("arguments", {}).items()}
    return json.dumps([kernel["name"], kernel["target"], launch.get("grid"), arguments], sort_keys=True)


def _full_key(kernel: Json) -> str:
    return _launch_key(kernel) + json.dumps(kernel.get("constexprs") or {}, sort_keys=True)


def _argument(value: Any) -> Any:
    """Addresses are not part of a launch's identity."""
    if isinstance(value, Mapping):
        parts = cast("Mapping[str, Any]", value)
        return {key: _argument(part) for key, part in parts.items() if key != "address"}
    return value
