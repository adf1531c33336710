from __future__ import annotations

import time

import pytest

from gluon_inspect import parse_mlir
from gluon_inspect.errors import ParseError
from gluon_inspect.ir.text import parse_encoding, parse_type


def error_of(text: str) -> ParseError:
    with pytest.raises(ParseError) as caught:
        parse_mlir(text, "k.ttgir")
    return caught.value


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("module {\n  my.op $ %a\n}", 2, 9, "unexpected character '$'"),
        ("module {\n", 1, 8, "'{' is never closed"),
        ("module {\n}}", 2, 2, "'}' closes nothing"),
        ("module {\n  my.op (]\n}", 2, 10, "']' closes '('"),
        ("my.op {a = [1, 2}", 1, 17, "'}' has no partner"),
        ('my.op "abc', 1, 7, "string is never closed"),
        ("my.op : tensor<4xf32", 1, 15, "'<' is never closed"),
        ("my.op : tensor<(4xf32>", 1, 22, "'>' has no partner"),
        ("my.op {-# x", 1, 7, "'{-#' is never closed"),
        ("%0 = my.op\nmy.two %1, %0 : i32, i32", 2, 8, "%1 is never defined"),
        ("%0 = my.op\n%0 = my.op", 2, 1, "%0 is defined twice"),
        ("%0:2 = my.op\nmy.two %0#2 : i32", 2, 8, "%0 has no result 2"),
        ("%0#1 = my.op", 1, 1, "cannot be named %0#1"),
        ("tt.func @f(%a: i32, %a: i32) {\n}", 1, 21, "%a is defined twice"),
        ("tt.func @f(%a: i32) {\n  %a = my.op\n}", 2, 3, "%a is defined twice"),
        ("tt.func @f() {\n  scf.if %c {\n  }\n}", 2, 10, "%c is never defined"),
        ("tt.func @f() {\n  cf.br ^a\n}", 2, 9, "^a is never defined"),
        ("tt.func @f() {\n^a:\n  my.op\n^a:\n  my.op\n}", 4, 1, "^a is defined twice"),
        ("cf.br ^a", 1, 7, "^a is never defined"),
        ("#a = 1\n#a = 2", 2, 1, "alias #a is defined twice"),
        ("my.op : tensor<4xf32, #a>", 1, 23, "undefined alias #a"),
        ("my.op : tensor<4xf32, #a>\n#a = #my.enc", 1, 23, "used before its definition"),
        ("my.op {a = #missing}", 1, 12, "undefined alias #missing"),
        ("#a = [#b]\n#b = [#a]\n", 1, 7, "used before its definition"),
        ("#a =\nmodule {}", 1, 1, ""),
        ("my.op {a = 1, a = 2}", 1, 15, "given twice"),
        ("my.op {a = 1, b c}", 1, 15, "expected a name"),
        ("banana", 1, 1, "expected an operation, found 'banana'"),
        ("%0 = ", 1, 5, "expected an operation's name"),
        ("%0, = my.op", 1, 5, "expected"),
        ('"my.op" : i32', 1, 9, "expected '('"),
        ('"my.op"() ({\n}, my.two', 2, 4, ""),
        ("my.op : tensor<4\\xf32>", 1, 17, "unexpected character"),
        ("\x7fELF\x02\x01\x01\x00", 1, 1, "unexpected character"),
        ("%r = my.op : tensor<4xf32> }", 1, 28, "closes nothing"),
    ],
)
def test_the_error_says_what_and_where(text: str, line: int, column: int, words: str):
    error = error_of(text)
    assert error.position is not None
    assert words in error.message
    if words:
        assert (error.position.line, error.position.column) == (line, column)
    assert error.position.file == "k.ttgir"
    assert error.excerpt.rstrip().endswith("^")


def test_the_caret_stands_below_the_place():
    shown = error_of("module {\n  my.op $ %a\n}").excerpt.splitlines()
    assert shown[0][shown[1].index("^")] == "$"


@pytest.mark.parametrize(
    "text",
    [
        "<" * 200_000,
        "my.op : " + "<" * 200_000,
        "tensor<" * 60_000,
        "my.op : " + "tensor<" * 60_000 + "f32" + ">" * 60_000,
        "%0 = my.op : " + "!a<" * 60_000 + ">" * 60_000,
        "#a = " + "[" * 60_000 + "]" * 60_000,
        "my.op {a = " + "[" * 60_000 + "]" * 60_000 + "}",
        "my.op {a = " + "{a = " * 60_000 + "1" + "}" * 60_000 + "}",
        "my.op loc(" + "callsite(" * 60_000 + ")" * 60_000 + ")",
        'my.op loc("x"(' * 30_000,
        "(" * 200_000,
        "{" * 200_000,
        "{a=" * 60_000,
        "{-#" * 60_000,
        '"' * 99_999,
        "my.op " + '"\\' * 60_000,
        "%a, " * 60_000,
        "my.op %a, " * 30_000,
        "->" * 60_000 + "<",
        "x<a" * 60_000,
        'x<"' * 60_000,
        "%0 = " * 60_000,
        "^a:" * 30_000,
        "#a = #a" * 20_000,
        "// <" * 60_000 + "\n<",
        " " * 300_000 + "\\",
        "#a0 = [1]\n" + "".join(f"#a{n + 1} = [#a{n}, #a{n}]\n" for n in range(60)) + "my.op {a = #a60}",
    ],
    ids=range(27),
)
def test_hostile_text_ends_in_a_parse_error_within_a_second(text: str):
    start = time.process_time()
    with pytest.raises(ParseError):
        parse_mlir(text)
    assert time.process_time() - start < 1.0


def test_deeply_nested_regions_are_read_without_recursion():
    depth = 60_000
    text = "tt.func @f(%c: i1) {\n" + "scf.if %c {\n" * depth + "}\n" * depth + "tt.return\n}"
    start = time.process_time()
    count = sum(operation.name == "scf.if" for operation in parse_mlir(text).walk())
    assert count == depth
    assert time.process_time() - start < 5.0


@pytest.mark.parametrize("text", ["tensor<4xf32", "tensor<[4>", "#a", "tensor<" * 100 + ">" * 100])
def test_a_single_type_can_be_wrong_too(text: str):
    with pytest.raises(ParseError):
        parse_type(text)
    with pytest.raises(ParseError):
        parse_encoding(text)
