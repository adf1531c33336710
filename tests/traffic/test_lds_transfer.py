"""Transfers of AMD waves: transposed reads, conversions for 64 banks."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gluon_inspect import targets
from gluon_inspect.layouts.flat import FlatLayout, flat
from gluon_inspect.layouts.lowering import linear_layout
from gluon_inspect.model.encodings import BlockedEncoding
from gluon_inspect.traffic.shared.amd.transfer import lds_transfer, transposed_read
from gluon_inspect.traffic.shared.conversion import MatrixSupport, through_scratch
from gluon_inspect.traffic.shared.swizzle import NVIDIA, Banks
from gluon_inspect.traffic.shared.transfer import Padding

MI300, MI350 = targets.find("gfx942"), targets.find("gfx950")
ROWS = FlatLayout((64, 128, 16, 32, 256), (1, 2, 4, 8, 512, 1024), (2048, 4096), (), 13)
"""16-bit elements, rows of 64: 16 lanes along a row, registers down the rows."""


@pytest.mark.parametrize(("banks", "bits", "bases"), [
    (NVIDIA, 64, 1), (Banks(64, 32), 64, 2), (Banks(64, 64), 64, 1),
])  # fmt: skip
def test_lane_bases_that_the_swizzle_drops(banks, bits, bases):
    """The table of Triton pull request 9662: sm_90, gfx942 and gfx950 at 64 bits."""
    assert banks.serialised(bits) == bases


def test_a_transposed_read_takes_rows_as_the_isa_says():
    """CDNA 4: each of 16 lanes reads four neighbours; lanes 0-3 the first row, 4-7 the second, and so on."""
    found = transposed_read(ROWS, 16, MI350)
    assert (found.mnemonic, found.bits, found.instructions) == ("ds_read_tr", 64, 8)
    first = (found.addresses[0, 0, :16] // 2).tolist()
    assert first == [row * 64 + 4 * chunk for row in range(4) for chunk in range(4)]
    assert sorted(set(found.addresses.reshape(-1) // 8)) == list(range(8192 // 4))


def test_a_transposed_read_needs_its_target_and_its_layout():
    assert transposed_read(ROWS, 16, MI300) is None
    assert transposed_read(FlatLayout((1, 2, 4), (8, 16, 32, 64), (), (), 7), 16, MI350) is None
    assert transposed_read(ROWS, 16, MI350, Padding(((64, 4),))) is not None
    assert transposed_read(ROWS, 16, MI350, Padding(((64, 2),))) is None


def power(most):
    return st.sampled_from([1 << bit for bit in range(most + 1)])


@st.composite
def blocked(draw):
    lanes, warps = draw(power(6)), draw(st.sampled_from((1, 2, 4)))
    own = (draw(power(2)), draw(power(2)))
    return BlockedEncoding(own, (lanes, 64 // lanes), (warps, 4 // warps), draw(st.sampled_from(((0, 1), (1, 0)))))


@settings(max_examples=60, deadline=None)
@given(blocked(), blocked(), st.sampled_from((MI300, MI350)))
def test_scratch_of_conversions_costs_at_most_twice_the_ideal(source, target, chip):
    """Triton's swizzle is meant to be free of conflicts on both sides; 128-bit reads are grouped otherwise.

    It counts 64 banks on MI350, whose stores conflict as with 32.
    """
    layouts = [flat(linear_layout(each, (128, 128))) for each in (source, target)]
    plan = through_scratch(*layouts, 32, MatrixSupport(False, False, chip.name))
    store = lds_transfer(plan.store, chip, store=True).cost()
    load = lds_transfer(plan.load, chip, store=False).cost()
    assert store.total == store.total_ideal or (chip is MI350 and store.total <= 2 * store.total_ideal)
    assert load.total <= 2 * load.total_ideal
