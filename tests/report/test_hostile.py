"""Names, messages and sources are other people's: none may become markup, escapes or commands."""

from __future__ import annotations

import json
import re
import unicodedata
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gluon_inspect.report import Style, format_names, load_format
from tests.report import samples

LONG = "n" * 10_000


def rendered(name: str, text: str = samples.HOSTILE) -> str:
    return load_format(name).render(samples.hostile(text), Style(100, details=True, everything=True))


@pytest.mark.parametrize("name", format_names())
def test_no_control_or_direction_character_gets_through(name: str):
    bad = {c for c in rendered(name) if unicodedata.category(c) in ("Cc", "Cf")} - {"\n"}
    assert not bad


@pytest.mark.parametrize("name", format_names())
def test_ten_thousand_characters_are_survived(name: str):
    assert rendered(name, LONG)


@settings(max_examples=25, deadline=None)
@given(st.text(min_size=1, max_size=40))
def test_any_name_gives_well_formed_documents(text: str):
    ElementTree.fromstring(rendered("junit", text))
    json.loads(rendered("sarif", text))
    json.loads(rendered("json", text))
    assert _tags(rendered("html", text)) == _tags(rendered("html", "name"))
    assert len(rendered("github", text).splitlines()) == len(rendered("github", "name").splitlines())


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(f"{tag} {sorted(name for name, _ in attrs if not name.startswith('data-'))}")


def _tags(page: str) -> list[str]:
    parser = _Tags()
    parser.feed(page)
    return parser.seen


def test_html_has_one_script_and_asks_the_network_for_nothing():
    page = rendered("html")
    assert page.count("<script") == 1
    assert "alert(1)&lt;/script&gt;" in page
    assert not re.search(r"""(src|href)\s*=\s*["']?(https?:)?//""", page)
    assert "default-src 'none'" in page.replace("&#x27;", "'")


def test_markdown_shows_markup_instead_of_obeying_it():
    text = rendered("markdown")
    assert "<script" not in text
    assert "</td>" not in text
    tags = set(re.findall(r"</?([a-z]+)", text))
    assert tags == {"code", "details", "summary", "pre"}
    for block in text.split("\n\n"):
        rows = [line for line in block.split("\n") if line.startswith("|")]
        assert len({row.count("|") for row in rows}) <= 1, rows


def test_markdown_mentions_nobody_and_links_nothing():
    text = rendered("markdown", "@someone #1 [x](http://y) https://z `a` **b** ![i](j)")
    for meaning in ("@", "#1", "](", "http:", "https:", "`", "**b**"):
        assert meaning not in text.replace("&#", "&"), meaning


def test_workflow_commands_are_ours_only():
    lines = rendered("github").splitlines()
    assert all(line.startswith("::error ") for line in lines)
    assert not any("::" in line.removeprefix("::error ").partition("::")[0] for line in lines)
    assert "%250A" in lines[0]


def test_a_long_report_fits_a_comment_and_says_what_it_left_out():
    text = load_format("markdown").render(samples.many(500))
    assert len(text) < 65_536
    assert "more kernels are left out" in text
    assert "440 more rows" in text


@pytest.mark.parametrize("name", format_names())
def test_five_hundred_kernels(name: str):
    assert "kernel_000" in load_format(name).render(samples.many(500)).replace("&#95;", "_")
