"""The worked cases in docs/explain.md are what the command prints."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gluon_inspect.cli import main

ROOT = Path(__file__).parents[2]
CASES = re.findall(
    r"^    gluon-inspect (explain examples/[^\n]*)\n\n```text\n(.*?)\n```$",
    (ROOT / "docs" / "explain.md").read_text(),
    re.MULTILINE | re.DOTALL,
)


PREDICTED = re.compile(r"[\d.]+ µs|\d+% of the kernel's|[\d.]+x shorter")


def words(text):
    """The text without its line breaks and without times, which follow the cost model's constants."""
    return PREDICTED.sub("…", " ".join(text.split()))


def test_there_are_two_cases():
    assert len(CASES) == 2


@pytest.mark.parametrize(("command", "shown"), CASES, ids=lambda text: text.split()[1])
def test_a_worked_case_is_what_the_command_prints(command, shown, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    assert main(command.split()) == 0
    assert words(capsys.readouterr().out) == words(shown)
