"""The layout by every way of giving it, the compiler's own text among them."""

import importlib.util
import re

import pytest

import gluon_inspect
from gluon_inspect.errors import ParseError
from gluon_inspect.layouts.gluon_syntax import write_layout
from gluon_inspect.layouts.lowering import linear_layout as lower
from gluon_inspect.model import encodings as e
from tests.layouts.generate import FAMILIES, cases
from tests.layouts.oracle import Oracle

needs_triton = pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="Triton is not installed")

BLOCKED = e.BlockedEncoding((1, 4), (8, 4), (4, 1), (1, 0))


@pytest.mark.parametrize(
    "given",
    [
        BLOCKED,
        "BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])",
        "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>",
    ],
)
def test_text_of_both_kinds_and_encodings_mean_the_same(given):
    assert gluon_inspect.linear_layout(given, [64, 64]) == lower(BLOCKED, (64, 64))


def test_bases_compare_with_plain_dictionaries():
    bases = gluon_inspect.linear_layout("BlockedLayout([2], [32], [1], [0])", (64,)).bases
    assert bases == {"register": ((1,),), "lane": ((2,), (4,), (8,), (16,), (32,)), "warp": (), "block": ()}


@pytest.mark.parametrize("text", ["#ttg.blocked<{", "blocked", ""])
def test_broken_text_is_a_parse_error(text):
    with pytest.raises(ParseError):
        gluon_inspect.linear_layout(text, (64,))


def attribute(module: str) -> str:
    """The encoding of the first argument of a printed module, its alias expanded."""
    text = re.search(r"tensor<[^#]*(#.*)>\):$", module, re.MULTILINE)[1]
    aliases = dict(re.findall(r"^(#\w+) = (.*)$", module, re.MULTILINE))
    while (used := re.search(r"#\w+\b(?!\.)", text)) and used[0] in aliases:
        text = text.replace(used[0], aliases[used[0]])
    return text


@needs_triton
@pytest.mark.parametrize("family", FAMILIES)
def test_the_compilers_own_text_lowers_to_the_same_layout(family):
    oracle, read = Oracle(), 0
    for _, encoding, shape in cases(seed=3, count=25, family=family):
        module = oracle.text(write_layout(encoding, shape), shape)
        if not isinstance(module, str) or "#" not in module:
            continue
        found = gluon_inspect.linear_layout(attribute(module), shape)
        assert found == lower(encoding, shape), module
        read += 1
    oracle.close()
    assert read > 12
