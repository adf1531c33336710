"""A kernel that a compiler above Triton wrote says in each format which operations it was made from."""

from __future__ import annotations

import json
from dataclasses import replace
from types import ModuleType

import pytest
from jsonschema import Draft202012Validator

from gluon_inspect.model.report import Report
from gluon_inspect.report import html, markdown, text
from gluon_inspect.report import json as as_json
from tests.report import samples
from tests.report.test_json import SCHEMA


def _report(operations: str) -> Report:
    report = samples.ordinary()
    first, *others = report.kernels
    metadata = {**first.kernel.metadata, "original_operations": operations}
    return replace(report, kernels=(replace(first, kernel=replace(first.kernel, metadata=metadata)), *others))


def test_json_has_the_operations_where_there_are_some():
    document = json.loads(as_json.render(_report("aten.mul, aten.sum")))
    Draft202012Validator(SCHEMA).validate(document)
    first, *others = document["kernels"]
    assert first["made_from"] == "aten.mul, aten.sum"
    assert others
    assert not any("made_from" in kernel for kernel in others)


@pytest.mark.parametrize("form", [text, markdown, html])
def test_people_read_them_once(form: ModuleType):
    assert form.render(_report("fused sum")).lower().count("made from fused sum") == 1
    assert "made from fused" not in form.render(samples.ordinary()).lower()


@pytest.mark.parametrize("form", [markdown, html])
def test_they_are_escaped(form: ModuleType):
    assert "<script>alert" not in form.render(_report("<script>alert(1)</script>"))
