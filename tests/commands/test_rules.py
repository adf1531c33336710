"""The rules command: its forms, and the page that is made from it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gluon_inspect.cli import main
from gluon_inspect.commands.rules import markdown
from gluon_inspect.project.gate import known_rules
from gluon_inspect.wording import words

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "rules.md"
WORDS_PAGE = DOCS / "words.md"


def test_the_page_in_the_docs_is_what_the_command_prints():
    assert PAGE.read_text() == markdown(known_rules()), "run `make docs`"


def test_one_rule_by_code_or_name(capsys):
    assert main(["rules", "GI101"]) == 0
    by_code = capsys.readouterr().out
    assert main(["rules", "uncoalesced-access"]) == 0
    assert capsys.readouterr().out == by_code
    for title in ("What.", "Why it costs.", "How it is found.", "What is not modelled.", "Bad", "Good"):
        assert f"\n{title}\n" in by_code
    prose = [line for line in by_code.split("\n") if line.startswith("  ") and not line.startswith("    ")]
    assert max(map(len, prose)) <= 80


def test_json_has_every_text(capsys):
    assert main(["rules", "--format", "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [rule["code"] for rule in data] == [rule.code for rule in known_rules()]
    assert all(rule["bad"] and rule["not_modelled"] for rule in data)


@pytest.mark.parametrize("name", ["GI999", "no-such-rule"])
def test_an_unknown_rule_is_bad_usage(name, capsys):
    assert main(["rules", name]) == 2
    assert name in capsys.readouterr().err


def test_the_page_of_words_is_what_the_words_say_and_none_is_longer_than_a_line():
    assert WORDS_PAGE.read_text() == words.as_markdown(), "run `make docs`"
    assert list(words.WORDS) == sorted(words.WORDS, key=str.lower)
    assert max(map(len, words.WORDS.values())) <= 110


@pytest.mark.parametrize("word", ["wavefront", "Wavefronts", "vector-width", "bank conflict", "cta"])
def test_a_word_is_explained(word, capsys):
    assert main(["rules", word]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith(f"{word}: ")
    assert line.endswith(".")


def test_a_name_of_a_rule_is_the_rule_and_a_word_beside_a_rule_comes_first(capsys):
    assert main(["rules", "bank-conflict"]) == 0
    assert capsys.readouterr().out.startswith("GI201 bank-conflict")
    assert main(["rules", "sector", "GI101"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("sector: 32 bytes")
    assert "GI101 uncoalesced-access" in out
