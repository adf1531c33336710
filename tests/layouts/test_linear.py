import copy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gluon_inspect.errors import LayoutError
from gluon_inspect.layouts.linear import LinearLayout
from tests.layouts.strategies import every_input, layouts


def xor_by_hand(layout, values):
    result = [0] * len(layout.shape)
    for name, value in values.items():
        for bit, vector in enumerate(layout.bases[name]):
            if value >> bit & 1:
                result = [a ^ b for a, b in zip(result, vector, strict=True)]
    return tuple(result)


@given(layouts())
def test_apply_is_the_xor_of_the_selected_bases(layout):
    for values in every_input(layout):
        assert layout.apply(**values) == xor_by_hand(layout, values)


@given(layouts())
def test_coordinates_hold_the_row_major_index_of_every_input(layout):
    indices = layout.coordinates()
    assert indices.shape == tuple(layout.size(name) for name in layout.inputs)
    for values in every_input(layout):
        expected = np.ravel_multi_index(xor_by_hand(layout, values), layout.shape)
        assert indices[tuple(values.values())] == expected


@given(layouts(), st.data())
def test_flatten_and_unflatten_are_inverse(layout, data):
    index = data.draw(st.integers(0, layout.elements - 1))
    assert layout.flatten(layout.unflatten(index)) == index


@given(layouts())
def test_free_variables_are_the_bits_that_add_no_element(layout):
    for name in layout.inputs:
        before = [n for n in layout.inputs if layout.inputs.index(n) < layout.inputs.index(name)]
        mask = layout.free_variables(name)
        for bit in range(layout.bits(name)):
            shorter = {n: layout.bases[n] for n in before} | {name: layout.bases[name][:bit]}
            longer = shorter | {name: layout.bases[name][: bit + 1]}
            reached = [len(np.unique(LinearLayout(b, layout.shape).coordinates())) for b in (shorter, longer)]
            assert bool(mask >> bit & 1) == (reached[0] == reached[1])


@given(layouts())
def test_surjective_and_injective_by_counting(layout):
    indices = layout.coordinates()
    distinct = len(np.unique(indices))
    assert layout.is_surjective == (distinct == layout.elements)
    assert layout.is_injective == (distinct == indices.size)


@given(layouts())
def test_equal_layouts_hash_and_copy_alike(layout):
    again = copy.deepcopy(layout)
    assert again == layout
    assert hash(again) == hash(layout)


def test_sizes_must_be_powers_of_two():
    with pytest.raises(LayoutError, match="powers of two"):
        LinearLayout({"register": ()}, (3,))


def test_bases_must_lie_inside_the_shape():
    with pytest.raises(LayoutError, match="outside the shape"):
        LinearLayout({"register": ((4,),)}, (4,))
