"""What is said of a document: at the right line, in its own units, and nothing of lines that were edited."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lsprotocol.types import (
    CodeAction,
    CodeActionKind,
    DiagnosticSeverity,
    Position,
    PositionEncodingKind,
    Range,
    TextEdit,
)

from gluon_inspect.loading.defined import kernel_lines
from gluon_inspect.lsp import inspecting
from gluon_inspect.lsp.actions import actions
from gluon_inspect.lsp.diagnostics import diagnostics, uri_of
from gluon_inspect.lsp.hints import hints
from gluon_inspect.lsp.hovers import hover
from gluon_inspect.lsp.lenses import EXPLAIN, FIX, INSPECT, lenses
from gluon_inspect.lsp.lines import Lines, lines_of, statement, units
from gluon_inspect.lsp.rule_pages import write_rule_pages
from gluon_inspect.lsp.seen import Seen, real
from gluon_inspect.model.artifact import ScriptError
from gluon_inspect.model.request import Request, silent
from tests.lsp.conftest import CAPTURE, Known
from tests.report import samples

U16 = PositionEncodingKind.Utf16


def test_the_report_comes_first_and_its_fixes_after(known: Known):
    first, last = known.published
    assert not first.studied
    assert [len(each.fixes) for each in last.studied.values()][:1] != [0]
    assert first.report is last.report


def test_a_kernel_that_is_as_it_was_is_not_explained_again(known: Known, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(inspecting, "explain", None)
    monkeypatch.setattr(inspecting, "WhatIf", None)
    published: list[Seen] = []
    inspecting.inspect(Request((str(CAPTURE),)), silent, published.append, known.published[-1])
    assert published[-1].studied == known.published[-1].studied


def test_a_problem_stands_at_its_line(known: Known):
    (found,) = diagnostics(known.seen, known.file, known.text, U16, "file:///rules")
    line = known.line("gl.store")
    assert (found.code, found.source) == ("GI101", "gluon-inspect")
    assert found.range.start.line == line
    assert found.severity in (DiagnosticSeverity.Error, DiagnosticSeverity.Warning)
    assert found.code_description is not None
    assert found.code_description.href == "file:///rules/GI101.md"
    assert "Predicted to lose" in found.message
    assert "of one_layout" in found.message


def test_a_problem_moves_with_its_line_and_goes_with_it(known: Known):
    line = known.line("gl.store")
    (moved,) = diagnostics(known.seen, known.file, f"# new\n\n{known.text}", U16)
    assert moved.range.start.line == line + 2
    edited = known.text.replace("gl.store", "gl. store", 1)
    assert diagnostics(known.seen, known.file, edited, U16) == []
    assert diagnostics(known.seen, "/another.py", known.text, U16) == []


def test_what_failed_is_told_at_its_place(tmp_path: Path):
    broken = samples.broken()
    file = tmp_path / "bad.py"
    file.write_text("\n" * 20)
    report = type(broken)(
        broken.kernels, "bad.py", {"bad.py": "\n".join(f"line {n}" for n in range(20))}, error=broken.error
    )
    told = diagnostics([Seen("bad.py", report)], "bad.py", report.sources["bad.py"], U16)
    assert [(each.code, each.range.start.line, each.message) for each in told] == [
        ("script", 8, "In bad.py, the script raised ValueError: no"),
        ("compilation", 2, "bad does not compile for cuda:90: bad.py:4: no such layout more"),
    ]
    assert isinstance(report.error, ScriptError)


def test_hover_tells_the_access_and_draws_its_lanes(known: Known):
    found = hover(known.seen, known.file, known.text, known.line("gl.store"), 6)
    assert found is not None
    text = found.contents.value  # pyright: ignore
    assert text.startswith("**global store** in `one_layout` for cuda:90: ")
    assert "sectors" in text
    assert "of the kernel's" in text
    assert "first warp, first instruction: 32 lanes of 4 bytes" in text
    assert "GI101 uncoalesced-access" in text


def test_hover_on_a_conversion_and_on_a_layout(known: Known):
    found = hover(known.seen, known.file, known.text, known.line("convert_layout"), 20)
    assert found is not None
    assert "**conversion** by shared" in found.contents.value  # pyright: ignore
    line = known.line("BlockedLayout(")
    column = known.text.split("\n")[line].index("BlockedLayout")
    owners = hover(known.seen, known.file, known.text, line, column + 3)
    assert owners is not None
    assert "warp:lane" in owners.contents.value  # pyright: ignore
    assert hover(known.seen, known.file, known.text, 0, 0) is None


def test_hints_are_at_the_ends_of_lines(known: Known):
    last = len(known.text.split("\n"))
    found = hints(known.seen, known.file, known.text, 0, last, U16)
    at = known.line("gl.store")
    own = next(each for each in found if each.position.line == at)
    assert "× the sectors" in str(own.label)
    assert own.position.character == len(known.text.split("\n")[at])
    assert hints(known.seen, known.file, known.text, at + 1, at + 1, U16) == [
        each for each in found if each.position.line == at + 1
    ]


def test_a_lens_says_what_a_kernel_takes(known: Known):
    found = lenses(known.seen, known.file, "file:///kernels.py", known.text)
    first = found[0].command
    assert first is not None
    assert first.title.startswith("cuda:90: ")
    assert "µs" in first.title
    assert "1 error" in first.title or "1 warning" in first.title
    assert (first.command, first.arguments) == (EXPLAIN, ["file:///kernels.py", "one_layout"])
    assert found[0].range.start.line == known.line("def one_layout")


def test_a_file_that_nobody_looked_at_offers_to():
    text = "import x\n@triton.autotune(\n  configs)\n@triton.jit(\n)\ndef kernel(a\n"
    (found,) = lenses([], "/kernels.py", "file:///kernels.py", text)
    assert found.command is not None
    assert found.command.command == INSPECT
    assert found.range.start.line == 5
    assert kernel_lines("def plain(): pass") == {}
    assert lenses([], "/kernels.py", "file:///kernels.py", "def plain(): pass") == []


def offered(known: Known, text: str) -> list[CodeAction]:
    given = diagnostics(known.seen, known.file, text, U16)
    line = known.line("gl.store")
    place = Range(Position(line, 0), Position(line, 0))
    return actions(known.seen, known.file, {real(known.file): text}, place, given, U16)


def test_actions_are_the_checked_fix_the_fix_as_it_is_and_a_suppression(known: Known):
    checked, plain, *others = offered(known, known.text)
    assert checked.title.endswith("compile, inspect, and apply if better")
    assert checked.command is not None
    assert checked.command.command == FIX
    assert checked.command.arguments == [known.seen[0].script, 0, 0]
    assert (plain.kind, plain.command) == (CodeActionKind.Refactor, None)
    suppression = others[-1]
    assert suppression.title == "Ignore GI101 at this line, with a reason"
    assert (
        after(known.text, suppression, known.file)
        .split("\n")[known.line("gl.store")]
        .endswith("  # gluon-inspect: ignore[GI101] reason: ")
    )


def test_no_fix_is_offered_for_a_text_that_was_edited(known: Known):
    assert [each.title for each in offered(known, known.text + "# new\n")] == [
        "Ignore GI101 at this line, with a reason"
    ]


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("    gl.store(a, b)", "    gl.store(a, b)  # gluon-inspect: ignore[GI101] reason: "),
        ("    gl.store(  # why", "    # gluon-inspect: ignore[GI101] reason: \n    gl.store(  # why"),
        ("    gl.store(", "    # gluon-inspect: ignore[GI101] reason: \n    gl.store("),
        ("    x = '''", "    # gluon-inspect: ignore[GI101] reason: \n    x = '''"),
    ],
)
def test_a_suppression_keeps_the_code(known: Known, line: str, wanted: str):
    (given,) = diagnostics(known.seen, known.file, known.text, U16)
    given.range = Range(Position(0, 0), Position(0, 0))
    (action,) = actions([], known.file, {real(known.file): f"{line}\n)"}, given.range, [given], U16)
    assert after(f"{line}\n)", action, known.file) == f"{wanted}\n)"


def after(text: str, action: CodeAction, file: str) -> str:
    """The text with an action's edits made, as an editor makes them."""
    assert action.edit is not None
    assert action.edit.changes is not None
    lines = text.split("\n")
    for edit in reversed(list(action.edit.changes[uri_of(file)])):
        assert isinstance(edit, TextEdit)
        start, end = edit.range.start, edit.range.end
        assert start.line == end.line
        line = lines[start.line]
        lines[start.line] = line[: start.character] + edit.new_text + line[end.character :]
    return "\n".join(lines)


@settings(deadline=None)
@given(st.text("ab\n", max_size=30), st.text("ab\n", max_size=30))
def test_lines_that_are_told_to_be_the_same_are_the_same_and_in_order(before: str, now: str):
    lines = Lines(before, now)
    pairs = [(line, lines.now(line)) for line in range(1, len(lines_of(before)) + 1)]
    known = [(old, new) for old, new in pairs if new is not None]
    assert all(lines_of(before)[old - 1] == lines_of(now)[new] for old, new in known)
    assert [new for _, new in known] == sorted({new for _, new in known})
    assert all(lines.recorded(new) == old for old, new in known)
    assert Lines(before, before).is_same


def test_columns_count_in_the_editors_units():
    text = "é🦊x = 1"
    assert [units(text, each) for each in ("utf-8", "utf-16", "utf-32")] == [11, 8, 7]
    assert statement("    gl.store()  ", 3, 0, "utf-16") == Range(Position(3, 4), Position(3, 14))
    assert statement("🦊 gl", 0, 3, "utf-16") == Range(Position(0, 3), Position(0, 5))
    assert statement("short", 0, 99, "utf-8") == Range(Position(0, 0), Position(0, 5))


def test_every_rule_has_its_page(tmp_path: Path):
    uri = write_rule_pages(tmp_path / "rules")
    assert uri == (tmp_path / "rules").as_uri()
    assert (tmp_path / "rules" / "GI101.md").read_text().startswith("# GI101 uncoalesced-access\n\n")
    (tmp_path / "file").write_text("")
    assert write_rule_pages(tmp_path / "file") == ""


def test_a_thousand_edits_end_in_no_exception(known: Known):
    """Cut off, doubled, half-typed, in odd characters: whatever the text is, an answer comes."""
    chance, text = random.Random(28), known.text
    pieces = (
        "(",
        "gl.BlockedLayout([1",
        "@gluon.jit\n",
        "def ",
        "'''",
        "\\",
        "\r",
        "\t",
        "é",
        "🦊",
        "\x00",
        "\ud800",
        "#",
        "\n",
    )
    given = diagnostics(known.seen, known.file, known.text, U16)
    for number in range(1000):
        start = chance.randrange(len(text) + 1)
        end = min(len(text), start + chance.choice((0, 0, 1, 5, 40)))
        text = text[:start] + chance.choice(pieces) + text[end:]
        if number % 40 == 39:
            text = known.text
        line, column = chance.randrange(50), chance.randrange(90)
        diagnostics(known.seen, known.file, text, U16)
        hover(known.seen, known.file, text, line, column)
        hints(known.seen, known.file, text, 0, 99, U16)
        lenses(known.seen, known.file, "file:///kernels.py", text)
        place = Range(Position(line, 0), Position(line + 3, column))
        actions(known.seen, known.file, {real(known.file): text}, place, given, U16)
