"""The part of SARIF 2.1.0 that we write, as a schema of our own: no key beyond it, the required ones there.

The whole output was also checked against the official schema when the format was written.
"""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]


def _closed(required: tuple[str, ...] = (), **properties: Json) -> Json:
    return {"type": "object", "additionalProperties": False, "required": list(required), "properties": properties}


def _list(items: Json) -> Json:
    return {"type": "array", "items": items}


TEXT: Json = {"type": "string"}
LEVEL: Json = {"enum": ["none", "note", "warning", "error"]}
MESSAGE = _closed(("text",), text=TEXT)
REGION = _closed(
    ("startLine",), startLine={"type": "integer", "minimum": 1}, startColumn={"type": "integer", "minimum": 1}
)
ARTIFACT = _closed(("uri",), uri={"type": "string", "format": "uri-reference"}, uriBaseId=TEXT)
PLACE = _closed(("artifactLocation",), artifactLocation=ARTIFACT, region=REGION)
LOCATION = _closed(("physicalLocation",), physicalLocation=PLACE, message=MESSAGE)
RULE = _closed(
    ("id",), id=TEXT, name=TEXT, shortDescription=MESSAGE, help=_closed(("text",), text=TEXT, markdown=TEXT)
)
RESULT = _closed(
    ("message", "ruleId", "ruleIndex", "level", "partialFingerprints"),
    ruleId={"type": "string", "pattern": "^GI[0-9]{3}$"},
    ruleIndex={"type": "integer", "minimum": 0},
    level=LEVEL,
    message=MESSAGE,
    locations=_list(LOCATION),
    relatedLocations=_list(LOCATION),
    partialFingerprints={"type": "object", "additionalProperties": TEXT},
    properties={"type": "object"},
)
NOTIFICATION = _closed(("message",), level=LEVEL, message=MESSAGE)
INVOCATION = _closed(
    ("executionSuccessful",),
    executionSuccessful={"type": "boolean"},
    toolExecutionNotifications=_list(NOTIFICATION),
)
DRIVER = _closed(("name",), name=TEXT, semanticVersion=TEXT, rules=_list(RULE))
RUN = _closed(
    ("tool",),
    tool=_closed(("driver",), driver=DRIVER),
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    originalUriBaseIds={"type": "object", "additionalProperties": _closed(uri=TEXT, description=MESSAGE)},
    invocations=_list(INVOCATION),
    results=_list(RESULT),
)
LOG = _closed(("version", "runs"), **{"$schema": TEXT, "version": {"const": "2.1.0"}, "runs": _list(RUN)})
