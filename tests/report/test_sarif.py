from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft4Validator

from gluon_inspect.model.location import CodePlace, Location
from gluon_inspect.model.report import Report
from gluon_inspect.report.sarif import render
from tests.report import samples

SCHEMA = Path(__file__).parent / "data" / "sarif-2.1.0-rtm.5.json"


def run_of(report: Report) -> dict[str, Any]:
    return json.loads(render(report))["runs"][0]


@pytest.mark.parametrize("name", ["ordinary", "empty", "broken", "compared", "hostile"])
def test_the_log_has_the_standards_shape(name: str):
    Draft4Validator(json.loads(SCHEMA.read_text())).validate(json.loads(render(getattr(samples, name)())))


def test_results_point_at_their_rule():
    run = run_of(samples.ordinary())
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    assert "sectors" in run["tool"]["driver"]["rules"][0]["help"]["text"]


def moved(report: Report, lines: int) -> Report:
    sources = {file: "\n" * lines + text for file, text in report.sources.items()}

    def lower(place: Location | None) -> Location | None:
        return None if place is None else replace(place, line=place.line + lines)

    kernels = tuple(
        replace(kernel, findings=tuple(replace(f, location=lower(f.location)) for f in kernel.findings))
        for kernel in report.kernels
    )
    return replace(report, kernels=kernels, sources=sources)


def test_fingerprints_stay_when_lines_move_and_differ_between_lines():
    before, after = (
        [result["partialFingerprints"] for result in run_of(report)["results"]]
        for report in (samples.ordinary(), moved(samples.ordinary(), 40))
    )
    assert before == after
    assert before[0] != before[1]


def test_the_users_line_is_primary_and_the_library_line_related():
    report = samples.ordinary()
    kernel = report.kernels[0]
    inlined = Location("/triton/language/standard.py", 3, 1, callers=(Location("copy_2d.py", 7, 13),))
    finding = replace(kernel.findings[0], location=inlined)
    result = run_of(replace(report, kernels=(replace(kernel, findings=(finding,)),)))["results"][0]
    places = [result[key][0]["physicalLocation"] for key in ("locations", "relatedLocations")]
    assert [place["artifactLocation"]["uri"] for place in places] == [
        "copy_2d.py",
        "file:///triton/language/standard.py",
    ]


def test_what_failed_is_an_unsuccessful_invocation():
    assert run_of(samples.broken())["invocations"][0]["executionSuccessful"] is False
    assert run_of(samples.ordinary())["invocations"][0]["executionSuccessful"] is True


def test_ir_and_assembly_are_related_with_their_lines_and_texts():
    report = samples.ordinary()
    kernel = report.kernels[0]
    code = (CodePlace("ttgir", 46, "tt.store %p, %v"), CodePlace("sass", 370, "STG.E desc[UR4][R44.64], R5"))
    finding = replace(kernel.findings[0], code=code)
    result = run_of(replace(report, kernels=(replace(kernel, findings=(finding,)),)))["results"][0]
    places = [related["physicalLocation"] for related in result["relatedLocations"]]
    assert [place["artifactLocation"]["uri"] for place in places] == [
        "copy_2d.cuda%3A90.ttgir",
        "copy_2d.cuda%3A90.sass",
    ]
    assert [(place["region"]["startLine"], place["region"]["snippet"]["text"]) for place in places] == [
        (46, "tt.store %p, %v"),
        (370, "STG.E desc[UR4][R44.64], R5"),
    ]
