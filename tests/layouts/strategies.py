"""Small linear layouts for hypothesis: any vectors, any copies, few enough inputs to try them all."""

from __future__ import annotations

from itertools import product

from hypothesis import strategies as st

from gluon_inspect.layouts.linear import LinearLayout

SHAPES = ((1,), (2,), (8,), (4, 2), (2, 8), (2, 2, 2), (1, 4, 2))


def layouts(shape: tuple[int, ...] | None = None, inputs: tuple[str, ...] = ("register", "lane", "warp")):
    """Layouts of at most 4 + 4 + 4 input bits over one of SHAPES, or over `shape`."""
    shapes = st.just(shape) if shape else st.sampled_from(SHAPES)
    return shapes.flatmap(lambda s: _over(s, inputs))


def _over(shape: tuple[int, ...], inputs: tuple[str, ...]):
    vector = st.tuples(*(st.integers(0, size - 1) for size in shape))
    groups = st.tuples(*(st.lists(vector, max_size=3).map(tuple) for _ in inputs))
    return groups.map(lambda g: LinearLayout(dict(zip(inputs, g, strict=True)), shape))


def onto(shape: tuple[int, ...], inputs: tuple[str, ...] = ("register", "lane", "warp")):
    """Layouts that reach every element: all unit vectors, shuffled, dealt to the inputs, copies between."""
    units = [
        tuple(1 << bit if d == dim else 0 for d in range(len(shape)))
        for dim, size in enumerate(shape)
        for bit in range(size.bit_length() - 1)
    ]
    vector = st.tuples(*(st.integers(0, size - 1) for size in shape))
    vectors = st.lists(vector, max_size=3).flatmap(lambda more: st.permutations([*units, *more]))
    owners = st.lists(st.sampled_from(inputs), min_size=len(units) + 3, max_size=len(units) + 3)
    return st.tuples(vectors, owners).map(lambda pair: _deal(*pair, inputs, shape))


def _deal(vectors, owners, inputs, shape) -> LinearLayout:
    groups = {name: [] for name in inputs}
    for vector, owner in zip(vectors, owners, strict=False):
        groups[owner].append(vector)
    return LinearLayout({name: tuple(group) for name, group in groups.items()}, shape)


def every_input(layout: LinearLayout):
    """All inputs, as dictionaries."""
    for values in product(*(range(layout.size(name)) for name in layout.inputs)):
        yield dict(zip(layout.inputs, values, strict=True))
