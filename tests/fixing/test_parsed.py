"""Nodes stand at the bytes that they are told to stand at, whatever the file's ends, marks and characters."""

from __future__ import annotations

import libcst as cst
import pytest

from gluon_inspect.fixing.edits import Refused, applied
from gluon_inspect.fixing.parsed import Parsed, nodes


@pytest.mark.parametrize(
    "text",
    [
        "x = 1\ny = x\n",
        "\ufeffx = 1\ny = x\n",
        "x = 1\r\ny = x",
        "x = 1\ry = x\r",
        "x = 'é🦊'; y = x  # ü\n",
        "if x:\n\ty = x\n\x0c\nz = y",
        "# -*- coding: latin-1 -*-\nx = 'é'\ny = x\n",
        "x = 1 + \\\n  y\n",
    ],
)
def test_a_name_is_changed_and_nothing_else(text: str):
    parsed = Parsed("a.py", text)
    names = list(nodes(parsed.module, cst.Name))
    assert [parsed.code(each) for each in names] == [each.value for each in names]
    edits = [parsed.replaced(each, "other") for each in names if each.value == "x"]
    kept = applied(text, edits)
    assert kept.replace("other", "x") == text
    assert kept.count("other") == len(edits) > 0


@pytest.mark.parametrize(
    "text", ["x = (", "def f(:\n", "\tindented\n", "x = 1\n  y = 2\n", "\x00", "x = '\ud800'\n"]
)
def test_what_is_no_python_is_refused(text: str):
    with pytest.raises(Refused, match=r"^a\.py cannot be read as Python$"):
        Parsed("a.py", text)


@pytest.mark.parametrize("nested", ["x = ({}1{})", "x = [{}1{}]", "x = {}1{}", "x = a{}{}"])
def test_what_is_nested_too_deeply_is_refused(nested: str):
    before, after = {"x = ({}1{})": ("(", ")"), "x = [{}1{}]": ("[", "]"), "x = {}1{}": ("-", "")}.get(
        nested, (".b", "")
    )
    Parsed("a.py", nested.format(before * 40, after * 40))
    for depth in (500, 5_000, 200_000):
        with pytest.raises(Refused):
            Parsed("a.py", nested.format(before * depth, after * depth))
