import pytest
from hypothesis import given
from hypothesis import strategies as st

from gluon_inspect.errors import UsageError
from gluon_inspect.tune.space import configurations


def test_every_combination_the_last_name_changing_fastest():
    found = configurations("BLOCK_M=64,128 num_stages=2:4")
    assert [tuple(each.items()) for each in found[:4]] == [
        (("BLOCK_M", "64"), ("num_stages", "2")),
        (("BLOCK_M", "64"), ("num_stages", "3")),
        (("BLOCK_M", "64"), ("num_stages", "4")),
        (("BLOCK_M", "128"), ("num_stages", "2")),
    ]
    assert len(found) == 6


def test_layouts_words_and_switches_are_values():
    text = "layout=BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0]),BlockedLayout([1, 4], [1, 32], [4, 1], [1, 0])"
    found = configurations(f"{text} MODE='a b',\"c\" FAST=True,None X=-1,1.5")
    assert [len({each[name] for each in found}) for name in ("layout", "MODE", "FAST", "X")] == [2, 2, 2, 2]
    assert found[0]["layout"] == "BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])"


@given(
    st.dictionaries(
        st.sampled_from("ABCDEF"), st.lists(st.integers(0, 99), min_size=1, max_size=4, unique=True), min_size=1
    )
)
def test_as_many_as_the_lists_lengths_multiplied_and_none_twice(lists):
    if (count := __import__("math").prod(map(len, lists.values()))) > 1024:
        return
    found = configurations(" ".join(f"{name}={','.join(map(str, own))}" for name, own in lists.items()))
    assert len(found) == len({tuple(each.items()) for each in found}) == count


def test_nothing_is_no_configuration():
    assert configurations("  ") == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("BLOCK", "'BLOCK' is not NAME=VALUES"),
        ("B-M=3", "'B-M=3' is not NAME=VALUES"),
        ("A=1 A=2", "--space gives A twice"),
        ("A=x", "A=x is a name"),
        ("A=4:2", "A=4:2 is no range"),
        ("A=1:99999999", "is no range"),
        ("A=f(", "is no value"),
        ("A=__import__('os').system('x')", "is no value"),
        ("A=[1,2", "is no value"),
        ("A=0:99 B=0:99", "--space has 10,000 configurations"),
    ],
)
def test_what_is_wrong_is_said(text, message):
    with pytest.raises(UsageError) as error:
        configurations(text)
    assert message in error.value.message
