from __future__ import annotations

import json
from pathlib import Path

import pytest

from gluon_inspect.errors import CaptureError, ParseError
from gluon_inspect.project.documents import read_document
from gluon_inspect.report.json import document, render
from tests.report import samples


def test_a_report_is_read_as_it_was_written(tmp_path: Path):
    file = tmp_path / "r.json"
    file.write_text(render(samples.ordinary()))
    assert read_document(str(file)) == document(samples.ordinary())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "r.json:1:2: this is not a JSON report"),
        (b"\xff\xfe", "not text"),
        (b"[" * 100_000, "this is not a JSON report"),
        (b"{}", "not a report of gluon-inspect"),
        (json.dumps({"schema_version": 9, "kernels": []}).encode(), "schema version 9 is not 1"),
        (
            json.dumps({"schema_version": 1, "kernels": [{"name": "x"}]}).encode(),
            r"not a report by its schema: \$: 'tool' is a required property",
        ),
    ],
)
def test_what_is_no_report_is_refused_in_one_line(tmp_path: Path, content: bytes, message: str):
    file = tmp_path / "r.json"
    file.write_bytes(content)
    with pytest.raises(ParseError, match=message):
        read_document(str(file))


def test_a_missing_report(tmp_path: Path):
    with pytest.raises(CaptureError, match="No such file"):
        read_document(str(tmp_path / "r.json"))
