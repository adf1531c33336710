"""Even and odd accesses made one: where they stand, in their order, and nothing that may lie between them."""

from __future__ import annotations

import pytest

from gluon_inspect.fixing.edits import Refused, applied
from gluon_inspect.fixing.pairs import joined_pairs
from gluon_inspect.fixing.parsed import Parsed
from gluon_inspect.model.access import Access, Direction, Space
from gluon_inspect.model.location import Location

LOADS = """\
def kernel(x, o, n):
    i = tl.arange(0, 64)
    even = tl.load(x + 2 * i, mask=i < n).to(tl.float32)  # even ones
    odd = tl.load(x + 2 * i + 1, mask=i < n).to(tl.float32)
"""
STORES = """\
def kernel(x, o, n):
    tl.store(o + 2 * i, even, i < n)
    both = even + odd
    tl.store(o + 2 * i + 1, both, i < n)  # last
"""


def paired(text: str, direction: Direction, *, swapped: bool = False) -> str:
    parsed = Parsed("kernels.py", text)
    places = [
        (number, line.index(f"tl.{direction}(", at) + 1)
        for number, line in enumerate(text.splitlines(), 1)
        for at in [found for found in range(len(line)) if line.startswith(f"tl.{direction}(", found)]
    ]
    first, second = (
        Access(f"g{at}", "tt", Space.GLOBAL, direction, Location("kernels.py", *place))
        for at, place in enumerate(places)
    )
    pair = (second, first) if swapped else (first, second)
    return applied(text, joined_pairs(parsed, parsed.functions[0], [pair]))


WIDE_LOAD = "tl.split(tl.load(tl.expand_dims(x + 2 * i, -1) + tl.arange(0, 2), mask=tl.expand_dims(i < n, -1)))"
WIDE_STORE = (
    "tl.store(tl.expand_dims(o + 2 * i, -1) + tl.arange(0, 2), tl.join({}), mask=tl.expand_dims(i < n, -1))"
)


def test_two_loads_are_one_and_a_split():
    assert paired(LOADS, Direction.LOAD).splitlines()[2:] == [
        f"    even_loaded, odd_loaded = {WIDE_LOAD}",
        "    even = even_loaded.to(tl.float32)  # even ones",
        "    odd = odd_loaded.to(tl.float32)",
    ]


def test_two_loads_of_one_statement():
    text = "def kernel(x, o, n):\n    a, b = tl.load(x + 2 * i, i < n), tl.load(x + 2 * i + 1, i < n)\n"
    assert paired(text, Direction.LOAD).splitlines()[1:] == [
        f"    first_loaded, second_loaded = {WIDE_LOAD}",
        "    a, b = first_loaded, second_loaded",
    ]


def test_the_lower_address_is_the_first_whichever_is_loaded_first():
    text = LOADS.replace("2 * i, mask", "2 * i + 2, mask")
    after = paired(text, Direction.LOAD, swapped=True).splitlines()
    assert after[2].startswith("    odd_loaded, even_loaded = tl.split(tl.load(tl.expand_dims(x + 2 * i + 1, -1)")


def test_two_stores_are_one_of_both_at_the_later_place():
    assert paired(STORES, Direction.STORE).splitlines()[1:] == [
        "    both = even + odd",
        f"    {WIDE_STORE.format('even, both')}  # last",
    ]


@pytest.mark.parametrize(
    ("text", "old", "new", "why"),
    [
        (
            LOADS,
            "    odd",
            "    x += 64\n    odd",
            "x is assigned at kernels.py:4, between two accesses",
        ),
        (
            LOADS,
            "    odd",
            "    tl.store(x, 1)\n    odd",
            "memory may change at kernels.py:4, between two accesses that are to become one",
        ),
        (
            LOADS,
            "1, mask=i < n",
            "1, mask=i <= n",
            "kernels.py:3 and kernels.py:4 differ in more than their pointers",
        ),
        (
            LOADS,
            "    odd",
            "    if n:\n        odd",
            "kernels.py:3 and kernels.py:5 stand in different blocks",
        ),
        (LOADS, "1, mask=i < n", "1, **rest", "the arguments of kernels.py:4 are not plain"),
        (
            STORES,
            "    both",
            "    even = 2\n    both",
            "even is assigned at kernels.py:3, between two accesses",
        ),
        (
            STORES,
            "    both",
            "    seen = tl.load(o)\n    both",
            "memory may change at kernels.py:3, between two accesses that are to become one",
        ),
        (
            STORES,
            "    tl.store(o + 2 * i, even",
            "    done = tl.store(o + 2 * i, even",
            "kernels.py:2 is no statement of its own in kernel",
        ),
    ],
)
def test_what_may_mean_something_else_is_refused(text: str, old: str, new: str, why: str):
    assert old in text
    with pytest.raises(Refused) as raised:
        paired(text.replace(old, new, 1), Direction.LOAD if text is LOADS else Direction.STORE)
    assert raised.value.message == why
