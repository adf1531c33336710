"""Rebuilt memory, on the CPU: sizes, overlaps, alignment, contents."""

from __future__ import annotations

from itertools import pairwise

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gluon_inspect.errors import CaptureError
from gluon_inspect.measure.memory import ALIGNMENT_BYTES, RebuiltMemory, extent, fill_all, merged, total_bytes
from gluon_inspect.model.artifact import TensorArgument

_BASE = 0x7F0000000000
_RANGES = st.lists(
    st.tuples(st.integers(0, 300), st.integers(0, 60)).map(lambda pair: (pair[0], pair[0] + pair[1])), max_size=12
)


def _memory(*tensors):
    return RebuiltMemory(torch, [extent(torch, tensor) for tensor in tensors], device="cpu")


def _content(memory, tensor):
    return memory._elements(tensor)


@given(_RANGES)
def test_merged_ranges_hold_the_same_bytes_once(ranges):
    found = merged(ranges)
    assert {byte for low, high in found for byte in range(low, high)} == {
        byte for low, high in ranges for byte in range(low, high)
    }
    assert all(one[1] <= two[0] for one, two in pairwise(found))
    assert total_bytes(ranges) == len({byte for low, high in ranges for byte in range(low, high)})


def test_the_extent_ends_behind_the_last_element():
    transposed = TensorArgument("float16", (3, 5), (1, 100), _BASE)
    assert extent(torch, transposed) == (_BASE, _BASE + 2 * (2 + 4 * 100 + 1))
    assert total_bytes([extent(torch, TensorArgument("float32", (0, 4), (4, 1), _BASE))]) == 0


@pytest.mark.parametrize("shift", [0, 4, 12, 16, 260])
def test_alignment_is_that_of_the_recorded_address(shift):
    tensor = TensorArgument("float32", (64,), (1,), _BASE + shift)
    assert _memory(tensor).address(tensor.address) % ALIGNMENT_BYTES == shift


def test_a_view_lies_in_what_it_views():
    whole = TensorArgument("float32", (64,), (1,), _BASE)
    view = TensorArgument("float32", (32,), (1,), _BASE + 128)
    memory = _memory(view, whole)
    assert memory.address(view.address) - memory.address(whole.address) == 128


def test_floats_are_random_and_small():
    tensors = [
        TensorArgument(dtype, (1000,), (1,), _BASE + 8192 * index)
        for index, dtype in enumerate(("float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"))
    ]
    memory = _memory(*tensors)
    assert fill_all(memory, tensors)
    for tensor in tensors:
        values = _content(memory, tensor).float()
        assert values.isfinite().all()
        assert len(values.unique()) > 10
        assert 0 <= values.min() <= values.max() <= 2


def test_recorded_indices_come_back_through_their_strides():
    index = TensorArgument("int32", (2, 3), (8, 2), _BASE, (5, 4, 3, 2, 1, 0))
    memory = _memory(index)
    assert fill_all(memory, [index])
    found = _content(memory, index).as_strided(index.shape, index.strides)
    assert found.tolist() == [[5, 4, 3], [2, 1, 0]]


def test_recorded_indices_that_were_expanded_come_back():
    index = TensorArgument("int64", (3, 2), (0, 1), _BASE, (7, 8, 7, 8, 7, 8))
    memory = _memory(index)
    assert fill_all(memory, [index])
    assert _content(memory, index).tolist() == [7, 8]


def test_indices_that_were_not_recorded_are_in_every_range():
    index = TensorArgument("int64", (100,), (1,), _BASE)
    memory = _memory(index)
    assert not fill_all(memory, [index])
    assert not _content(memory, index).any()


def test_recorded_contents_win_over_an_argument_that_shares_their_memory():
    index = TensorArgument("int32", (4,), (1,), _BASE, (3, 2, 1, 0))
    floats = TensorArgument("float32", (4,), (1,), _BASE)
    memory = _memory(index, floats)
    fill_all(memory, [index, floats])
    assert _content(memory, index).tolist() == [3, 2, 1, 0]


def test_an_address_that_nothing_was_recorded_at_is_refused():
    with pytest.raises(CaptureError, match="no tensor that was recorded"):
        _memory(TensorArgument("float32", (4,), (1,), _BASE)).address(_BASE + 16)
