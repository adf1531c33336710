from __future__ import annotations

import json
from importlib.resources import files

import pytest
from jsonschema import Draft202012Validator

from gluon_inspect.model.report import Report
from gluon_inspect.report.json import render
from tests.report import samples

SCHEMA = json.loads(files("gluon_inspect.report").joinpath("schema/report-v1.schema.json").read_text("utf-8"))
SAMPLES = {
    "ordinary": samples.ordinary(),
    "empty": samples.empty(),
    "broken": samples.broken(),
    "many": samples.many(500),
}


def test_the_schema_is_a_schema():
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", SAMPLES)
def test_documents_fit_the_schema(name: str):
    Draft202012Validator(SCHEMA).validate(json.loads(render(SAMPLES[name])))


def test_the_schema_refuses_a_missing_count_and_an_unknown_key():
    document = json.loads(render(samples.ordinary()))
    del document["kernels"][0]["accesses"][0]["sectors"]
    document["kernels"][0]["launch"]["invented"] = 1
    messages = {error.message for error in Draft202012Validator(SCHEMA).iter_errors(document)}
    assert any("'sectors' is a required property" in message for message in messages)
    assert any("invented" in message for message in messages)


def test_unknown_is_null_and_zero_stays_zero():
    kernel = json.loads(render(samples.ordinary()))["kernels"][0]
    assert kernel["accesses"][1]["sectors"] is None
    assert kernel["registers"]["spill_bytes"] == 0
    assert kernel["passes"][1]["changed"] is None
    assert kernel["tensor_memory_columns"] is None


def test_the_numbers_of_an_access_stand_where_the_design_puts_them():
    kernel = json.loads(render(samples.ordinary()))["kernels"][0]
    access = kernel["accesses"][0]
    assert access["location"] == {"file": "copy_2d.py", "line": 7, "column": 13}
    assert (access["requests"], access["sectors"], access["sectors_ideal"], access["lines"]) == (
        4096,
        131072,
        16384,
        16384,
    )
    assert access["widths"] == [{"bits": 128, "instructions": 4}]
    assert kernel["launch"]["grid"] == [8, 32, 1]
    assert kernel["launch"]["programs"] == {"evaluated": 256, "total": 256}
    assert kernel["launch"]["arguments"]["src"]["strides"] == [1, 1024]
    assert kernel["conversions"][0]["from"] == samples.BLOCKED


def test_hostile_names_survive_as_ascii():
    report = samples.hostile()
    document = render(report).encode("ascii")
    assert json.loads(document)["kernels"][0]["name"] == samples.HOSTILE


def test_same_report_same_bytes():
    def once(report: Report) -> str:
        return render(report)

    assert once(samples.ordinary()) == once(samples.ordinary())
