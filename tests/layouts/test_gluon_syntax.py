from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gluon_inspect.errors import InspectError, LayoutError, ParseError
from gluon_inspect.layouts.gluon_fields import encoding_of_object
from gluon_inspect.layouts.gluon_syntax import read_layout, write_layout
from gluon_inspect.model import encodings as e
from tests.layouts.generate import cases


def test_what_is_written_reads_back():
    for _, encoding, shape in cases(seed=11, count=390):
        text = write_layout(encoding, shape, module="gl.")
        again = read_layout(text)
        assert write_layout(again, shape, module="gl.") == text
        if not isinstance(encoding, e.AmdWmmaEncoding | e.DotOperandEncoding | e.SliceEncoding):
            assert again == encoding


def test_keywords_tuples_and_modules_are_understood():
    text = (
        "ttgl.BlockedLayout(size_per_thread=(1, 4), threads_per_warp=[8, 4], warps_per_cta=[4, 1], order=[1, 0])"
    )
    assert read_layout(text) == e.BlockedEncoding((1, 4), (8, 4), (4, 1), (1, 0))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("BlockedLayout([1, 4], [8, 4], [4, 1]", "not a layout in Gluon's syntax"),
        ("__import__('os').system('true')", "unknown layout system"),
        ("[1, 2]", "a value, not a layout"),
        ("BlockedLayout([1], [32], [4], [0], [], 5)", "at most 5 arguments"),
        ("BlockedLayout([1], [32], [4], [0], order=[0])", "twice"),
        ("BlockedLayout([1], [32], [4])", "lacks order"),
        ("BlockedLayout([1], [32], [4], [1])", "each dimension once"),
        ("BlockedLayout([1], [32], [4, 2], [0])", "one length"),
        ("BlockedLayout('a', [32], [4], [0])", "must be a list of integers"),
        ("SliceLayout(1, 2)", "must be a layout"),
        ("SliceLayout(x, y)", "only layouts, lists and numbers"),
        ("Sliced(1)", "unknown layout Sliced"),
        ("BlockedLayout([1], [32], [4], [0], speed=3)", "no field speed"),
        ("", "not a layout in Gluon's syntax"),
    ],
)
def test_what_is_not_a_layout_says_why(text, message):
    with pytest.raises(InspectError, match=message):
        read_layout(text)


def test_errors_carry_a_position_and_a_hint():
    with pytest.raises(ParseError) as caught:
        read_layout("BlockedLayout([1], oops, [4], [0])")
    assert caught.value.position is not None
    assert caught.value.position.column == 20
    assert "BlockedLayout(" in caught.value.hint


@given(st.text(max_size=40))
def test_no_text_ends_in_anything_but_an_error_of_ours(text):
    try:
        read_layout(text)
    except InspectError:
        return
    assert text.strip()


@given(st.integers(1, 20_000))
def test_deep_nesting_ends_in_an_error(depth):
    with pytest.raises(InspectError):
        read_layout("[" * depth)


@dataclass(frozen=True)
class BlockedLayout:
    """As Gluon's class, by name."""

    size_per_thread: list
    threads_per_warp: list
    warps_per_cta: list
    order: list
    cga_layout: list = field(default_factory=list)


@dataclass(frozen=True)
class SliceLayout:
    dim: int
    parent: object


class MBarrierLayout(BlockedLayout):
    pass


@dataclass
class constexpr:
    value: object


def test_objects_are_known_by_their_class():
    blocked = BlockedLayout([1, 1], [32, 1], [4, 1], [1, 0])
    expected = e.BlockedEncoding((1, 1), (32, 1), (4, 1), (1, 0))
    assert encoding_of_object(blocked) == expected
    assert encoding_of_object(SliceLayout(1, blocked)) == e.SliceEncoding(1, expected)
    assert encoding_of_object(MBarrierLayout([1, 1], [32, 1], [4, 1], [1, 0])) == expected


def test_constexpr_wrappers_are_opened():
    wrapped = constexpr(BlockedLayout(constexpr([1]), [constexpr(32)], [4], [0]))
    assert encoding_of_object(wrapped) == e.BlockedEncoding((1,), (32,), (4,), (0,))


def test_other_objects_are_refused():
    with pytest.raises(LayoutError, match="not a Gluon layout"):
        encoding_of_object(object())
