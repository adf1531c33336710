import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gluon_inspect.errors import LayoutError
from gluon_inspect.layouts import algebra
from gluon_inspect.layouts.linear import LinearLayout
from tests.layouts.strategies import SHAPES, every_input, layouts, onto

surjective = st.sampled_from(SHAPES).flatmap(onto)
surjective_pairs = st.sampled_from(SHAPES).flatmap(lambda s: st.tuples(onto(s), onto(s)))


def by_name(names, values):
    return dict(zip(names, values, strict=True))


@given(layouts(), layouts())
def test_product_tiles_the_outer_layout_with_the_inner(inner, outer):
    whole = algebra.product(inner, outer)
    for low in every_input(inner):
        for name in ("register", "warp"):
            if not outer.bits(name):
                continue
            high = outer.size(name) - 1
            at = whole.apply(**{**low, name: low[name] + (high << inner.bits(name))})
            first = by_name(inner.outputs, inner.apply(**low))
            second = by_name(outer.outputs, outer.apply(**{name: high}))
            sizes = by_name(inner.outputs, inner.shape)
            expected = [first.get(o, 0) + sizes.get(o, 1) * second.get(o, 0) for o in whole.outputs]
            assert list(at) == expected


@given(layouts(), layouts())
def test_division_undoes_the_product(inner, outer):
    assume(set(outer.outputs) >= set(inner.outputs))
    rest = algebra.divide_left(algebra.product(inner, outer), inner)
    assert rest is not None
    assert rest.bases == outer.bases
    assert by_name(rest.outputs, rest.shape) == by_name(outer.outputs, outer.shape)


@given(layouts(), layouts())
def test_division_answers_only_with_a_true_factor(layout, divisor):
    rest = algebra.divide_left(layout, divisor)
    if rest is not None:
        again = algebra.product(divisor, rest)
        assert dict(again.bases) == dict(layout.bases)
        assert by_name(again.outputs, again.shape) == by_name(layout.outputs, layout.shape)


@given(surjective)
def test_inversion_leads_back_to_every_element(layout):
    inverse = algebra.invert(layout)
    for element in every_input(inverse):
        place = by_name(inverse.outputs, inverse.apply(**element))
        assert by_name(layout.outputs, layout.apply(**place)) == element


def test_a_layout_that_misses_elements_has_no_inverse():
    with pytest.raises(LayoutError, match="misses elements"):
        algebra.invert(LinearLayout({"register": ((1,),)}, (4,)))


@given(surjective_pairs)
def test_invert_and_compose_finds_the_same_element_in_the_other_layout(pair):
    layout, outer = pair
    both = algebra.invert_and_compose(layout, outer)
    for values in every_input(layout):
        assert outer.apply(**by_name(both.outputs, both.apply(**values))) == layout.apply(**values)


@given(surjective)
def test_a_layout_converts_to_itself_by_the_identity(layout):
    same = algebra.invert_and_compose(layout, layout)
    for values in every_input(layout):
        assert by_name(same.outputs, same.apply(**values)) == values


@given(surjective_pairs)
def test_composition_applies_one_after_the_other(pair):
    layout, other = pair
    step = algebra.invert_and_compose(layout, other)
    whole = algebra.compose(step, other)
    assert all(whole.apply(**values) == layout.apply(**values) for values in every_input(layout))


def test_composition_needs_matching_dimensions():
    with pytest.raises(LayoutError, match="cannot feed"):
        algebra.compose(algebra.identity("lane", 4, "row"), algebra.identity("column", 4, "dim0"))


@given(layouts())
def test_the_kernel_leads_from_copy_to_copy(layout):
    vectors = algebra.kernel(layout)
    copies = layout.coordinates().size // len(np.unique(layout.coordinates()))
    assert 1 << len(vectors) == copies
    for values in every_input(layout):
        for vector in vectors:
            moved = {name: values[name] ^ vector[name] for name in values}
            assert layout.apply(**moved) == layout.apply(**values)


@given(layouts())
def test_the_image_spans_what_is_held(layout):
    reached = {layout.apply(**values) for values in every_input(layout)}
    vectors = algebra.image(layout)
    spanned = LinearLayout({"i": vectors}, layout.shape)
    assert {spanned.apply(**values) for values in every_input(spanned)} == reached


@given(layouts())
def test_without_copies_keeps_every_element_of_every_thread(layout):
    kept = algebra.without_copies(layout)
    whole, fewer = layout.coordinates(), kept.coordinates()
    for lane in range(layout.size("lane")):
        for warp in range(layout.size("warp")):
            assert set(whole[:, lane, warp]) == set(fewer[:, lane, warp])
            assert len(set(fewer[:, lane, warp])) == len(fewer[:, lane, warp])


@given(surjective_pairs)
def test_the_same_mapping_means_the_same_elements_in_the_same_places(pair):
    one, other = pair
    if algebra.same_mapping(one, other):
        a, b = (algebra.without_copies(x).coordinates() for x in pair)
        assert np.array_equal(a, b)
    assert algebra.same_mapping(one, one)


@given(layouts())
def test_a_quotient_drops_only_what_maps_to_itself(layout):
    step = algebra.product(
        algebra.identity("lane", 4, "lane"), LinearLayout({"register": ((1,),)}, (2,), ("register",))
    )
    rest = algebra.quotient(step, "lane")
    assert rest is not None
    assert rest.inputs == rest.outputs == ("register",)
    assert algebra.quotient(layout, "lane") is None
