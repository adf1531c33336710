"""Whatever happens to a text, the parser returns a module or raises ParseError."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from gluon_inspect import parse_mlir
from gluon_inspect.errors import ParseError
from gluon_inspect.model.mlir import Module

from .modules import CONTROL, COPY, GENERIC

TEXTS = (COPY, CONTROL, GENERIC)
PIECES = [
    *("loc(", "{-#", "dense<", "#a = ", "%x = ", "^bb0:", "->", '"foo"(', "({", "})", "scf.for ", "tt.func @f"),
    *("module {", "array<i32: 1>", "<{", "callsite(", "fused[", "...", "::", "%0#1", "%0:3 = ", "\\", '"', "\n"),
    *("!t<", ">", "e"),
]
texts = st.sampled_from(TEXTS)
offsets = st.integers(0, max(len(text) for text in TEXTS))


def outcome(text: str) -> Module | ParseError:
    try:
        return parse_mlir(text)
    except ParseError as error:
        return error


def survives(text: str) -> None:
    module = outcome(text)
    if isinstance(module, ParseError):
        assert module.position is not None
        assert 1 <= module.position.line <= text.count("\n") + 1
        assert module.excerpt
        return
    assert sum(1 for _ in module.walk()) >= len(module.operations)


@given(texts, offsets)
def test_cut(text: str, at: int):
    survives(text[:at])


@given(texts, offsets, offsets)
def test_remove(text: str, start: int, end: int):
    survives(text[: min(start, end)] + text[max(start, end) :])


@given(texts, offsets, offsets)
def test_duplicate(text: str, start: int, end: int):
    survives(text[:end] + text[start:])


@given(texts, st.data())
def test_swap_lines(text: str, data: st.DataObject):
    lines = text.splitlines()
    first, second = (data.draw(st.integers(0, len(lines) - 1)) for _ in range(2))
    lines[first], lines[second] = lines[second], lines[first]
    survives("\n".join(lines))


@settings(max_examples=300)
@given(texts, st.lists(st.tuples(offsets, st.sampled_from(PIECES)), max_size=4))
def test_insert(text: str, pieces: list[tuple[int, str]]):
    for at, piece in pieces:
        text = text[:at] + piece + text[at:]
    survives(text)


@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join))
def test_nonsense(text: str):
    survives(text)


@given(st.text(max_size=200))
def test_any_text(text: str):
    survives(text)


@given(texts)
def test_whitespace_does_not_matter_where_lines_stay(text: str):
    spaced = "\n".join(f"   {line}  " for line in text.splitlines())
    names = [operation.name for operation in parse_mlir(text).walk()]
    assert [operation.name for operation in parse_mlir(spaced).walk()] == names


@given(texts, st.data())
def test_a_name_that_is_taken_away_is_missed(text: str, data: st.DataObject):
    lines = text.splitlines()
    defining = [
        at for at, line in enumerate(lines) if line.startswith("    %") and " = " in line and "{" not in line[-1:]
    ]
    at = data.draw(st.sampled_from(defining))
    name = lines[at].split(" = ")[0].strip().split(":")[0]
    if not any(f"{name}{end}" in line for line in lines[at + 1 :] for end in (",", " ", ")", "#")):
        return
    without = "\n".join(line for index, line in enumerate(lines) if index != at)
    error = outcome(without)
    assert isinstance(error, ParseError), f"{name} is used and nowhere defined"
    assert "never defined" in error.message
