"""SARIF 2.1.0: the Python line as the primary location, stable fingerprints.

Related locations are the callees it was inlined from, and the lines of the IR and the assembly. Those texts are
not in the repository: their URIs name kernel, target and stage below a base of their own, and the line's text goes
along.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

from gluon_inspect.model.finding import Finding, Rule, Severity
from gluon_inspect.model.location import CodePlace, Location
from gluon_inspect.model.report import KernelReport, Report
from gluon_inspect.pipeline import all_rules
from gluon_inspect.report import PLAIN, Style
from gluon_inspect.version import tool_version
from gluon_inspect.wording.characters import visible
from gluon_inspect.wording.places import repository_path, source_line

NAME = "sarif"
_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "ROOT"
_COMPILED = "COMPILED"
MOST_RESULTS = 25_000
"""Of a run that GitHub code scanning takes (GitHub documentation, SARIF support for code scanning)."""
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}

Json = dict[str, Any]


def render(report: Report, style: Style = PLAIN) -> str:  # noqa: ARG001 - SARIF looks the same everywhere
    """One run; results in the report's order."""
    rules = _rules(report)
    run: Json = {
        "tool": {"driver": _driver(rules)},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {
            _ROOT: {"description": {"text": "the repository's root, or else the folder gluon-inspect was run in"}},
            _COMPILED: {
                "description": {"text": "what the kernels were compiled to; `gluon-inspect tui` shows it"}
            },
        },
        "invocations": [_invocation(report)],
        "results": list(islice(_results(report, list(rules)), MOST_RESULTS)),
    }
    log: Json = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2, ensure_ascii=True) + "\n"


def _driver(rules: dict[str, Finding]) -> Json:
    return {
        "name": "gluon-inspect",
        "semanticVersion": tool_version(),
        "rules": [_rule(finding) for finding in rules.values()],
    }


def _rules(report: Report) -> dict[str, Finding]:
    findings = (finding for kernel in report.kernels for finding in kernel.findings)
    first: dict[str, Finding] = {}
    for finding in findings:
        first.setdefault(finding.rule, finding)
    return dict(sorted(first.items()))


def _rule(finding: Finding) -> Json:
    rule = next((rule for rule in all_rules() if rule.code == finding.rule), Rule(finding.rule, finding.name, ""))
    texts = [text for text in (rule.what, rule.why, rule.how, rule.not_modelled) if text]
    descriptor: Json = {"id": visible(rule.code), "name": visible(rule.name)}
    if rule.summary:
        descriptor["shortDescription"] = {"text": rule.summary}
    if texts:
        descriptor["help"] = {"text": "\n\n".join(texts), "markdown": "\n\n".join(texts)}
    return descriptor


def _invocation(report: Report) -> Json:
    notifications = [_notification("error", text) for text in _failures(report)]
    return {
        "executionSuccessful": not notifications,
        "toolExecutionNotifications": notifications + [_notification("note", note) for note in report.notes],
    }


def _failures(report: Report) -> Iterator[str]:
    if report.error is not None:
        yield f"{report.error.file}:{report.error.line}: {report.error.told}"
    beyond = sum(len(kernel.findings) for kernel in report.kernels) - MOST_RESULTS
    if beyond > 0:
        yield f"{beyond:,} findings are left out: code scanning takes {MOST_RESULTS:,} results a run"
    for kernel in report.kernels:
        if kernel.kernel.error:
            yield f"{kernel.name} for {kernel.kernel.target} could not be compiled: {kernel.kernel.error}"
        elif kernel.unread:
            yield f"{kernel.name} could not be read: {kernel.unread}"


def _notification(level: str, text: str) -> Json:
    return {"level": level, "message": {"text": visible(text)}}


def _results(report: Report, rules: Sequence[str]) -> Iterator[Json]:
    seen: dict[str, int] = {}
    for kernel in report.kernels:
        for finding in kernel.findings:
            print_of = _fingerprint(report, kernel, finding)
            seen[print_of] = seen.get(print_of, 0) + 1
            result = _result(kernel, finding, rules.index(finding.rule))
            result["partialFingerprints"] = {"gluonInspect/v1": f"{print_of}:{seen[print_of]}"}
            yield result


def _result(kernel: KernelReport, finding: Finding, rule_index: int) -> Json:
    message = f"{kernel.name} for {kernel.kernel.target}: {finding.message}"
    advice = f" (help: {finding.help})" if finding.help else ""
    result: Json = {
        "ruleId": visible(finding.rule),
        "ruleIndex": rule_index,
        "level": _LEVELS[finding.severity],
        "message": {"text": visible(message + advice)},
        "properties": {
            "confidence": finding.confidence.value,
            "model": finding.model.value,
            "evidence": {visible(key): value for key, value in finding.evidence.items()},
        },
    }
    related = [_compiled(kernel, place) for place in finding.code]
    if finding.location is not None:
        author = finding.location.author
        result["locations"] = [_location(author)]
        related = [
            *(_location(place, "inlined from here") for place in finding.location.library),
            *(_location(place, "called from here") for place in author.callers),
            *related,
        ]
    result["relatedLocations"] = related
    return result


def _compiled(kernel: KernelReport, place: CodePlace) -> Json:
    name = quote(f"{kernel.name}.{kernel.kernel.target}.{place.stage}", errors="replace")
    region = {"startLine": place.line, "snippet": {"text": visible(place.text)}}
    physical = {"artifactLocation": {"uri": name, "uriBaseId": _COMPILED}, "region": region}
    return {"physicalLocation": physical, "message": {"text": f"in the {place.stage}: {visible(place.text)}"}}


def _location(place: Location, message: str = "") -> Json:
    region = {"startLine": max(place.line, 1)}
    if place.column:
        region["startColumn"] = place.column
    location: Json = {"physicalLocation": {"artifactLocation": _artifact(place.file), "region": region}}
    if message:
        location["message"] = {"text": message}
    return location


def _artifact(file: str) -> Json:
    path = PurePosixPath(Path(repository_path(file)).as_posix())
    if path.is_absolute():
        return {"uri": f"file://{quote(str(path), errors='replace')}"}
    return {"uri": quote(str(path), errors="replace"), "uriBaseId": _ROOT}


def _fingerprint(report: Report, kernel: KernelReport, finding: Finding) -> str:
    """Survives lines moving: rule, kernel, target and the text of the source line, not its number."""
    line = source_line(report.sources, finding.location.author if finding.location else None)
    parts = (finding.rule, kernel.name, kernel.kernel.target, line.text.strip() if line else finding.subject)
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:32]
