"""Whatever instructions are chosen, together they move every element once, at its place."""

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from gluon_inspect.layouts.flat import FlatLayout
from gluon_inspect.traffic.placement import span
from gluon_inspect.traffic.shared.conversion import MatrixSupport, through_scratch
from gluon_inspect.traffic.shared.transfer import Padding, choose_transfer, vector_transfer
from gluon_inspect.traffic.shared.vectorise import largest_vector

ELEMENTS = st.sampled_from([8, 16, 32, 64])


@st.composite
def permuted(draw, bits=10):
    """Distributed layouts: each basis is one bit (the IR allows no others)."""
    bases = draw(st.permutations([1 << bit for bit in range(bits)]))
    return FlatLayout(tuple(bases[6:]), tuple(bases[:5]), tuple(bases[5:6]), (), bits)


@st.composite
def whole_maps(draw, lanes=5, warps=1):
    """Bijective maps from registers, lanes and warps to offsets; some with the runs that vectors need."""
    bits = lanes + warps + draw(st.integers(0, 4))
    units = [1 << bit for bit in range(bits)]
    run = draw(st.integers(0, min(4, bits - lanes - warps)))
    rest = draw(st.permutations(units[run:]))
    mixed = [basis ^ (draw(st.integers(0, (1 << bits) - 1)) & (basis - 1) & -(1 << run)) for basis in rest]
    register = (*units[:run], *mixed[lanes + warps :])
    return FlatLayout(
        tuple(draw(st.permutations(register))), tuple(mixed[:lanes]), tuple(mixed[lanes : lanes + warps]), (), bits
    )


def moved(transfer, element_bits):
    """Offsets that the instructions touch, in elements, with repeats."""
    width = 128 if transfer.matrices else transfer.bits
    run = np.arange(width // element_bits)
    return np.sort((transfer.addresses.reshape(-1, 1) * 8 // element_bits + run).reshape(-1))


def held(layout):
    columns = (*layout.register, *layout.lane, *layout.warp)
    return np.sort(span(columns))


@given(whole_maps(), ELEMENTS, st.booleans(), st.booleans())
def test_every_element_once(layout, element_bits, store, matrices):
    transfer = choose_transfer(layout, element_bits, store, matrices)
    assert (moved(transfer, element_bits) == held(layout)).all()
    assert transfer.misaligned == 0


@given(whole_maps(), ELEMENTS)
def test_the_vector_is_the_widest(layout, element_bits):
    found = largest_vector(layout, element_bits)
    wider = found.elements * 2
    assert found.elements * element_bits <= 128
    if wider * element_bits > 128:
        return
    runs = all(1 << bit in layout.register for bit in range(wider.bit_length() - 1))
    others = [basis for basis in (*layout.register, *layout.others) if basis >= wider or basis & (basis - 1)]
    lanes_keep = not any(basis & (wider - 1) for basis in layout.others)
    assert not (runs and lanes_keep and not any(basis & (wider - 1) for basis in others))


@given(whole_maps(), ELEMENTS, st.integers(4, 6), st.integers(0, 3), st.booleans())
def test_padding_moves_places_but_drops_none(layout, element_bits, interval, pad, store):
    padding = Padding(((1 << interval, 1 << pad),))
    transfer = vector_transfer(layout, element_bits, store, padding)
    assume(transfer.misaligned == 0)
    wanted = np.sort(padding.apply(held(layout)))
    assert (moved(transfer, element_bits) == wanted).all()


@given(permuted(), permuted(), ELEMENTS, st.booleans())
def test_what_a_conversion_stores_it_loads(source, target, element_bits, matrices):
    found = through_scratch(source, target, element_bits, MatrixSupport(matrices, matrices))
    stored, loaded = (set(moved(side, element_bits).tolist()) for side in (found.store, found.load))
    assert loaded == stored
    assert len(stored) == found.scratch.elements
    assert found.scratch_bytes == found.scratch.elements * element_bits // 8
    assert found.scratch.elements * found.repetitions == 1 << source.bits
