from math import prod

from hypothesis import given
from hypothesis import strategies as st

from gluon_inspect.layouts.fitting import blocked_without_copies
from gluon_inspect.layouts.lowering import linear_layout

POWERS = st.sampled_from([1 << bit for bit in range(9)])


@given(st.lists(POWERS, min_size=1, max_size=3), st.data(), st.sampled_from((8, 16, 32)),
       st.sampled_from((1, 2, 4, 8)), st.sampled_from((32, 64)))  # fmt: skip
def test_every_element_is_held_once(shape, data, bits, warps, lanes):
    fastest = data.draw(st.integers(0, len(shape) - 1))
    found = blocked_without_copies(shape, fastest, bits, warps, lanes)
    if prod(shape) < warps * lanes:
        assert found is None
        return
    layout = linear_layout(found, tuple(shape))
    assert layout.copies("lane") == layout.copies("warp") == 1
    assert (prod(found.threads_per_warp), prod(found.warps_per_cta)) == (lanes, warps)
    assert found.order[0] == fastest


def test_sizes_that_are_no_powers_of_two_have_none():
    assert blocked_without_copies((96, 4), 1, 32, 1, 32) is None
