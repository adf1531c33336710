"""The algebra of linear layouts: product, composition, inversion, division, kernel and image.

Conventions of Triton's LinearLayout (include/triton/Tools/LinearLayout.h): of all solutions the one that
leaves dependent inputs at zero is taken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from gluon_inspect.errors import LayoutError
from gluon_inspect.layouts import gf2
from gluon_inspect.layouts.linear import LinearLayout
from gluon_inspect.model.encodings import Bases


def identity(name: str, size: int, out: str) -> LinearLayout:
    """`size` inputs (a power of two) onto as many outputs."""
    bits = size.bit_length() - 1
    return LinearLayout({name: tuple((1 << bit,) for bit in range(bits))}, (size,), (out,))


def product(inner: LinearLayout, outer: LinearLayout) -> LinearLayout:
    """`outer` tiles of `inner`: the new bits of each input move by whole tiles.

    Dimensions that only one of them has are taken as they are.
    """
    outs = tuple(dict.fromkeys((*inner.outputs, *outer.outputs)))
    sizes = dict(zip(inner.outputs, inner.shape, strict=True))
    outer_sizes = dict(zip(outer.outputs, outer.shape, strict=True))
    names = tuple(dict.fromkeys((*inner.inputs, *outer.inputs)))
    bases = {name: _spread(inner, name, outs) + _spread(outer, name, outs, sizes) for name in names}
    return LinearLayout(bases, tuple(sizes.get(o, 1) * outer_sizes.get(o, 1) for o in outs), outs)


def _spread(layout: LinearLayout, name: str, outs: Sequence[str], scale: Mapping[str, int] | None = None) -> Bases:
    """The bases of `name` over more outputs, each coordinate times its scale."""
    scale = scale or {}
    place = {out: i for i, out in enumerate(layout.outputs)}
    return tuple(
        tuple(vector[place[out]] * scale.get(out, 1) if out in place else 0 for out in outs)
        for vector in layout.bases.get(name, ())
    )


def sublayout(layout: LinearLayout, inputs: Sequence[str]) -> LinearLayout:
    """Only these inputs, in this order, the others at zero."""
    return LinearLayout({name: layout.bases[name] for name in inputs}, layout.shape, layout.outs)


def compose(inner: LinearLayout, outer: LinearLayout) -> LinearLayout:
    """`outer` after `inner`: the outputs of `inner` are the inputs of `outer`."""
    if set(inner.outputs) != set(outer.inputs):
        raise LayoutError(f"cannot feed {list(inner.outputs)} into {list(outer.inputs)}")
    for out, size in zip(inner.outputs, inner.shape, strict=True):
        if size > outer.size(out):
            raise LayoutError(f"{out} has {size} values in one layout and {outer.size(out)} in the other")

    def image_of(vector: Sequence[int]) -> tuple[int, ...]:
        return outer.apply(**dict(zip(inner.outputs, vector, strict=True)))

    bases = {name: tuple(map(image_of, vectors)) for name, vectors in inner.bases.items()}
    return LinearLayout(bases, outer.shape, outer.outs)


def invert(layout: LinearLayout) -> LinearLayout:
    """From outputs to inputs; where an element is held by several inputs, the first bases hold it.

    Raises LayoutError for a layout that does not reach every element.
    """
    columns = gf2.inverse(layout.columns(), (prod(layout.shape) - 1).bit_length())
    if columns is None:
        raise LayoutError("a layout that misses elements has no inverse")
    sizes = tuple(layout.size(name) for name in layout.inputs)
    bases, at = dict[str, Bases](), len(columns)
    for out, size in zip(layout.outputs, layout.shape, strict=True):
        bits = size.bit_length() - 1
        # Row-major: the first output holds the highest bits of the flat index.
        at -= bits
        bases[out] = tuple(_deal(column, sizes) for column in columns[at : at + bits])
    return LinearLayout(bases, sizes, layout.inputs)


def _deal(coefficients: int, sizes: Sequence[int]) -> tuple[int, ...]:
    """Coefficients over all bases, as one value for each input; the first input has the lowest bits."""
    found = list[int]()
    for size in sizes:
        found.append(coefficients % size)
        coefficients //= size
    return tuple(found)


def invert_and_compose(layout: LinearLayout, outer: LinearLayout) -> LinearLayout:
    """From inputs of `layout` to inputs of `outer` that hold the same element: outer(result(x)) = layout(x).

    Inputs with the same bases in both map to themselves. Raises LayoutError where `outer` lacks an element.
    """
    if layout.shape != outer.shape:
        raise LayoutError(f"layouts of different shapes: {list(layout.shape)} and {list(outer.shape)}")
    same = [n for n in outer.inputs if n in layout.bases and layout.bases[n] == outer.bases[n]]
    try:
        return _matched(layout, outer, same)
    except LayoutError:
        return _matched(layout, outer, [])


def _matched(layout: LinearLayout, outer: LinearLayout, same: Sequence[str]) -> LinearLayout:
    rest = tuple(name for name in outer.inputs if name not in same)
    sizes = tuple(outer.size(name) for name in rest)
    form = gf2.echelon(sublayout(outer, rest).columns())
    place = {name: i for i, name in enumerate(outer.inputs)}

    def holder(column: int) -> tuple[int, ...]:
        remainder, coefficients = form.reduce(column)
        if remainder:
            raise LayoutError("an element of one layout is missing in the other")
        values = dict(zip(rest, _deal(coefficients, sizes), strict=True))
        return tuple(values.get(name, 0) for name in outer.inputs)

    bases = dict[str, Bases]()
    for name in layout.inputs:
        if name in same:
            bits = range(layout.bits(name))
            bases[name] = tuple(_unit(len(place), place[name], 1 << bit) for bit in bits)
        else:
            bases[name] = tuple(map(holder, layout.flat_bases(name)))
    return LinearLayout(bases, tuple(outer.size(name) for name in outer.inputs), outer.inputs)


def _unit(rank: int, place: int, value: int) -> tuple[int, ...]:
    return (0,) * place + (value,) + (0,) * (rank - place - 1)


def divide_left(layout: LinearLayout, divisor: LinearLayout) -> LinearLayout | None:
    """The layout `rest` with `product(divisor, rest) == layout`, or None where there is none.

    Says, for example, whether a tile of registers and lanes fits an instruction.
    """
    sizes = dict(zip(divisor.outputs, divisor.shape, strict=True))
    if any(sizes.get(out, 1) > size for out, size in zip(layout.outputs, layout.shape, strict=True)):
        return None
    if not set(divisor.outputs) <= set(layout.outputs):
        return None
    bases = dict[str, Bases]()
    for name in tuple(dict.fromkeys((*layout.inputs, *divisor.inputs))):
        wanted, have = _spread(divisor, name, layout.outputs), layout.bases.get(name, ())
        if have[: len(wanted)] != wanted:
            return None
        bases[name] = have[len(wanted) :]
    scale = [sizes.get(out, 1) for out in layout.outputs]
    if any(x % s for vectors in bases.values() for v in vectors for x, s in zip(v, scale, strict=True)):
        return None
    rest = {
        name: tuple(tuple(x // s for x, s in zip(v, scale, strict=True)) for v in vectors)
        for name, vectors in bases.items()
        if name in layout.bases
    }
    shape = tuple(size // s for size, s in zip(layout.shape, scale, strict=True))
    return LinearLayout(rest, shape, layout.outs)


def quotient(layout: LinearLayout, name: str) -> LinearLayout | None:
    """The layout without `name`, where `name` only maps to itself as the identity; else None."""
    if name not in layout.bases or name not in layout.outputs:
        return None
    place, rank = layout.outputs.index(name), len(layout.outputs)
    own = tuple(_unit(rank, place, 1 << bit) for bit in range(layout.bits(name)))
    if layout.bases[name] != own or layout.size(name) != layout.shape[place]:
        return None
    others = {n: vectors for n, vectors in layout.bases.items() if n != name}
    if any(vector[place] for vectors in others.values() for vector in vectors):
        return None
    without = {n: tuple((*v[:place], *v[place + 1 :]) for v in vectors) for n, vectors in others.items()}
    outs = (*layout.outputs[:place], *layout.outputs[place + 1 :])
    return LinearLayout(without, (*layout.shape[:place], *layout.shape[place + 1 :]), outs)


def kernel(layout: LinearLayout) -> tuple[Mapping[str, int], ...]:
    """A basis of the inputs that reach element 0: XORing one in leads to another copy of an element."""
    sizes = tuple(layout.size(name) for name in layout.inputs)
    return tuple(
        dict(zip(layout.inputs, _deal(vector, sizes), strict=True)) for vector in gf2.kernel(layout.columns())
    )


def image(layout: LinearLayout) -> tuple[tuple[int, ...], ...]:
    """A basis of the coordinates that are reached; equal for layouts that hold the same elements."""
    return tuple(map(layout.unflatten, gf2.image(layout.columns())))


def without_copies(layout: LinearLayout, name: str = "register") -> LinearLayout:
    """Without the bases of `name` that add nothing, as compiled code keeps one of equal registers."""
    free = layout.free_variables(name)
    kept = tuple(v for i, v in enumerate(layout.bases.get(name, ())) if not free >> i & 1)
    return LinearLayout({**layout.bases, name: kept}, layout.shape, layout.outs)


def same_mapping(one: LinearLayout, other: LinearLayout) -> bool:
    """Every register, lane, warp and block holds the same elements, copies in registers aside."""
    return one.shape == other.shape and _significant(one) == _significant(other)


def _significant(layout: LinearLayout) -> dict[str, Bases]:
    kept = without_copies(layout).bases if "register" in layout.bases else layout.bases
    return {name: vectors for name, vectors in kept.items() if vectors}
