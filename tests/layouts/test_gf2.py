from hypothesis import given
from hypothesis import strategies as st

from gluon_inspect.layouts import gf2

columns = st.lists(st.integers(0, 31), max_size=6)


def sums(vectors):
    """Every coefficient vector with its sum, by brute force."""
    return {c: gf2.apply(vectors, c) for c in range(1 << len(vectors))}


@given(columns)
def test_rank_is_the_log_of_the_number_of_sums(vectors):
    assert len(set(sums(vectors).values())) == 1 << gf2.rank(vectors)


@given(columns)
def test_the_kernel_spans_exactly_the_zero_sums(vectors):
    basis = gf2.kernel(vectors)
    spanned = {gf2.apply(basis, c) for c in range(1 << len(basis))}
    assert spanned == {c for c, total in sums(vectors).items() if total == 0}
    assert len(spanned) == 1 << len(basis)


@given(columns)
def test_the_image_spans_the_same_sums_whatever_the_order(vectors):
    basis = gf2.image(vectors)
    assert {gf2.apply(basis, c) for c in range(1 << len(basis))} == set(sums(vectors).values())
    assert gf2.image(list(reversed(vectors))) == basis


@given(columns, st.integers(0, 31))
def test_solve_finds_a_solution_just_where_there_is_one(vectors, target):
    found = gf2.solve(vectors, target)
    if found is None:
        assert target not in sums(vectors).values()
    else:
        assert gf2.apply(vectors, found) == target
        assert found & gf2.dependent(vectors) == 0


@given(columns)
def test_dependent_columns_are_the_ones_that_add_nothing(vectors):
    mask = gf2.dependent(vectors)
    for index, column in enumerate(vectors):
        earlier = set(sums(vectors[:index]).values())
        assert bool(mask >> index & 1) == (column in earlier)


@given(columns)
def test_the_inverse_undoes_the_matrix_where_it_is_onto(vectors):
    found = gf2.inverse(vectors, 5)
    if found is None:
        assert gf2.rank(vectors) < 5
    else:
        assert gf2.multiply(vectors, found) == (1, 2, 4, 8, 16)
