"""Golden bytes of every format; UPDATE_GOLDEN=1 writes them anew: read the diff before committing."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from gluon_inspect.report import Style, format_names, load_format
from gluon_inspect.version import tool_version
from tests.report import samples

GOLDEN = Path(__file__).parent / "golden"
REPORTS = {
    "ordinary": samples.ordinary,
    "empty": samples.empty,
    "broken": samples.broken,
    "compared": samples.compared,
}


@pytest.mark.parametrize("report", REPORTS)
@pytest.mark.parametrize("name", format_names())
def test_bytes(name: str, report: str):
    fmt = load_format(name)
    text = fmt.render(REPORTS[report](), Style(100)).replace(tool_version(), "VERSION")
    golden = GOLDEN / f"{report}.{name}"
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(_without_rule_texts(text), "utf-8")
    assert _without_rule_texts(text) == golden.read_text("utf-8")


def _without_rule_texts(text: str) -> str:
    """The rules' own words stand beside their analyses and are not the formats' business."""
    text = re.sub(r'("shortDescription": \{\s*"text": )"[^\n]*"', r'\1"RULE"', text)
    return re.sub(r'"(text|markdown)": "[^"]*\\n\\n[^"]*"', r'"\1": "RULE"', text)


def test_every_format_is_found_and_offers_what_the_walk_expects():
    drawings = {"roofchart", "roofline"}
    assert (
        set(format_names())
        == {"concise", "github", "html", "json", "junit", "markdown", "sarif", "text"} | drawings
    )
    for name in format_names():
        fmt = load_format(name)
        assert name == fmt.NAME
