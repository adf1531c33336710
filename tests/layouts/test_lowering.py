"""Lowering against Triton, basis by basis; and what that comparison taught, written down."""

import importlib.util
from dataclasses import fields, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gluon_inspect.errors import LayoutError
from gluon_inspect.layouts.gluon_syntax import read_layout, write_layout
from gluon_inspect.layouts.lowering import linear_layout
from gluon_inspect.model import encodings as e
from tests.layouts.generate import FAMILIES, cases
from tests.layouts.oracle import ABORTED, Oracle

needs_triton = pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="Triton is not installed")

CASES_A_FAMILY = 40


@pytest.fixture(scope="module")
def oracle():
    child = Oracle()
    yield child
    child.close()


def bases(text, shape):
    found = linear_layout(read_layout(text), shape)
    return {name: [list(v) for v in vectors] for name, vectors in found.bases.items()}


@needs_triton
@pytest.mark.parametrize("family", FAMILIES)
def test_every_basis_equals_tritons(oracle, family):
    compared = 0
    for _, encoding, shape in cases(seed=20240607, count=CASES_A_FAMILY, family=family):
        text = write_layout(encoding, shape)
        theirs = oracle.bases(text, shape)
        if theirs == ABORTED or "error" in theirs:
            continue
        ours = linear_layout(encoding, shape)
        assert {n: [list(v) for v in ours.bases[n]] for n in theirs} == theirs, (text, shape)
        compared += 1
    assert compared > CASES_A_FAMILY // 2


def test_the_child_survives_an_abort(oracle):
    oracle.bases("NVMMASharedLayout(128, 16, rank=2)", (2, 2))
    assert oracle.bases("BlockedLayout([1], [32], [4], [0])", (128,))["warp"] == [[32], [64]]


def test_blocked_registers_beyond_the_tensor_are_not_kept():
    assert bases("BlockedLayout([1, 8], [32, 1], [4, 1], [1, 0])", (128, 1)) == {
        "register": [],
        "lane": [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]],
        "warp": [[32, 0], [64, 0]],
        "block": [],
    }


def test_a_small_tensor_is_copied_over_lanes_and_warps():
    layout = linear_layout(read_layout("BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])"), (2, 8))
    assert (layout.copies("register"), layout.copies("lane"), layout.copies("warp")) == (1, 4, 2)


def test_the_tutorials_two_spellings_are_one_mapping():
    one = bases("BlockedLayout([1], [32], [4], [0])", (1024,))
    assert bases("SliceLayout(1, BlockedLayout([1, 1], [32, 1], [4, 1], [1, 0]))", (1024,)) == one


def test_swizzled_rows_start_at_their_phase():
    offsets = bases("SwizzledSharedLayout(4, 2, 4, [1, 0])", (8, 16))["offset"]
    assert offsets == [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 4], [4, 8]]


def test_the_128_byte_swizzle_of_half_precision():
    offsets = bases("NVMMASharedLayout(128, 16, rank=2)", (16, 64))["offset"]
    assert offsets[6:] == [[1, 8], [2, 16], [4, 32], [8, 0]]


def test_mma_operands_along_k_are_copied_by_the_warps():
    operand = "DotOperandLayout(0, NVMMADistributedLayout([2, 0], [2, 2], [16, 8]), 2)"
    assert bases(operand, (32, 16))["warp"] == [[0, 0], [16, 0]]


def test_mfma_operands_are_split_over_the_ctas_along_k():
    operand = "DotOperandLayout(1, AMDMFMALayout(3, [16, 16, 16], True, [1, 1], cga_layout=[[1, 0]]), 4)"
    assert bases(operand, (64, 16))["block"] == [[32, 0]]


def test_plain_transposed_tma_layouts_of_rank_three_mix_up_dimensions_as_triton_does():
    offsets = bases("NVMMASharedLayout(0, 16, rank=3, transposed=True)", (16, 8, 64))["offset"]
    assert offsets[:4] == [[0, 1, 0], [0, 2, 0], [0, 4, 0], [0, 0, 0]]


def test_padded_fp4_columns_of_tensor_memory_take_two_bytes():
    assert bases("TensorMemoryLayout((64, 64), 1, fp4_padded=True)", (64, 64))["col"][:2] == [[0, 0], [0, 1]]


def test_scales_fill_blocks_of_128_rows_before_k():
    columns = bases('TensorMemoryScalesLayout(block_rep_order="kThenMn")', (256, 8))["col"]
    assert columns == [[0, 1], [0, 2], [32, 0], [64, 0], [0, 4], [128, 0]]


def test_padded_layouts_give_their_offsets_before_padding():
    text = "PaddedSharedLayout([[8, 1]], [[0, 1], [0, 2], [2, 0], [4, 0], [1, 0]], [], [8, 4])"
    assert bases(text, (8, 4))["offset"] == [[0, 1], [0, 2], [2, 0], [4, 0], [1, 0]]


def test_generic_linear_layouts_are_cut_to_the_shape():
    encoding = e.LinearEncoding(((1, 0), (0, 1)), ((2, 0), (0, 2)), ((4, 8), (0, 8)), (), generic=True)
    assert linear_layout(encoding, (8, 1)).bases == {
        "register": ((1, 0),),
        "lane": ((2, 0), (0, 0)),
        "warp": ((4, 0), (0, 0)),
        "block": (),
    }


def test_rotating_phases_move_on_with_each_block_of_rows():
    encoding = e.AmdRotatingSharedEncoding(4, 1, 4, (1, 0))
    offsets = linear_layout(encoding, (16, 16)).bases["offset"]
    assert offsets == (
        *((0, 1), (0, 2), (0, 4), (0, 8)),
        *((1, 4), (2, 8)),
        *((4, 4), (8, 8)),
    )


@pytest.mark.parametrize(
    ("text", "shape", "message"),
    [
        ("BlockedLayout([1], [32], [4], [0])", (100,), "powers of two"),
        ("BlockedLayout([1], [32], [4], [0])", (64, 64), "rank 1 does not fit"),
        ("BlockedLayout([3], [32], [4], [0])", (128,), "powers of two"),
        ("AutoLayout()", (64,), "no linear layout"),
        ("NVMMADistributedLayout([5, 0], [4, 1], [16, 64, 16])", (64, 64), "no register layout"),
        ("NVMMASharedLayout(128, 16, rank=2)", (8, 32), "needs 64 elements"),
        ("NVMMASharedLayout(128, 16, rank=2)", (4, 64), "at least 8 x 64"),
        ("SharedLinearLayout([[0, 4]], [], 16)", (2, 2), "outside the shape"),
        ("DotOperandLayout(0, SwizzledSharedLayout(1, 1, 1, [1, 0]), 2)", (8, 8), "no dot takes"),
        ("SliceLayout(0, SwizzledSharedLayout(1, 1, 1, [1, 0]))", (8,), "only register layouts"),
        ("DotOperandLayout(0, BlockedLayout([1], [32], [4], [0]), 0)", (64,), "not on a vector"),
        ("NVMMASharedLayout(48, 16, rank=2)", (8, 64), "no 48-byte swizzle"),
        ("BlockedLayout([1, 1], [4, 8], [4, 1], [1, 0], cga_layout=[[1]])", (64, 64), "bases of the encoding"),
    ],
)
def test_what_has_no_layout_says_why(text, shape, message):
    with pytest.raises(LayoutError, match=message):
        linear_layout(read_layout(text), shape)


small = st.integers(-1, 5)
numbers = st.lists(small, max_size=3).map(tuple)
vectors = st.lists(numbers, max_size=2).map(tuple)
anything = st.recursive(
    st.one_of(
        st.builds(e.BlockedEncoding, numbers, numbers, numbers, numbers, vectors),
        st.builds(e.LinearEncoding, vectors, vectors, vectors, vectors),
        st.builds(e.NvidiaMmaEncoding, small, small, numbers, numbers, vectors),
        st.builds(e.AmdMfmaEncoding, small, numbers, numbers, st.booleans(), numbers, small, vectors),
        st.builds(e.AmdWmmaEncoding, small, st.booleans(), vectors, vectors, numbers, small, vectors),
        st.builds(e.SwizzledSharedEncoding, small, small, small, numbers, vectors),
        st.builds(e.AmdRotatingSharedEncoding, small, small, small, numbers, vectors),
        st.builds(e.NvmmaSharedEncoding, small, st.booleans(), small, st.booleans(), small, vectors),
        st.builds(e.NvmmaSharedEncoding, st.just(32), st.booleans(), st.just(16), st.booleans(), small),
        st.builds(e.PaddedSharedEncoding, st.just(((8, 1),)), vectors, vectors, numbers, numbers),
        st.builds(e.SharedLinearEncoding, vectors, vectors, small),
        st.builds(e.TensorMemoryEncoding, st.sampled_from((64, 128)), small, small, vectors, st.booleans()),
        st.builds(e.TensorMemoryScalesEncoding, vectors),
        st.builds(e.AutoEncoding, st.just("auto")),
        st.builds(e.OpaqueEncoding, st.just("#x.y")),
    ),
    lambda inner: st.one_of(
        st.builds(e.SliceEncoding, small, inner),
        st.builds(e.DotOperandEncoding, small, inner, small),
        st.builds(e.PartitionedSharedEncoding, small, small, small, inner),
    ),
    max_leaves=3,
)


@st.composite
def nearly(draw):
    """An encoding with a layout, one of its fields changed, as it is or as a dot's operand; and its shape."""
    _, encoding, shape = draw(st.sampled_from(VALID))
    outer = None
    if isinstance(encoding, e.DotOperandEncoding):
        outer, encoding = encoding, encoding.parent
    field = draw(st.sampled_from(fields(encoding)))
    value = getattr(encoding, field.name)
    if value == ():
        value = draw(basis if "Bases" in str(field.type) else numbers)
    encoding = replace(encoding, **{field.name: draw(changed(value))})
    if outer is not None or draw(st.booleans()):
        encoding = e.DotOperandEncoding(draw(small), encoding, draw(small))
    return encoding, draw(st.sampled_from((shape, shape[1:], (2, *shape))))


def changed(value):
    """Values of the same kind as a field's: longer, shorter, other numbers."""
    match value:
        case bool():
            return st.booleans()
        case int():
            return small
        case tuple() if value:
            return st.one_of(
                st.just(value[1:]),
                st.just((*value, value[-1])),
                changed(value[0]).map(lambda first: (first, *value[1:])),
            )
        case _:
            return st.just(value)


basis = st.sampled_from(((), ((1, 0),), ((0, 1, 0),)))
VALID = [case for family in FAMILIES for case in cases(seed=7, count=6, family=family)]


@settings(max_examples=600)
@given(anything, st.lists(st.sampled_from((1, 2, 4, 64)), max_size=3).map(tuple))
def test_nonsense_ends_in_a_layout_error_or_a_layout_of_the_shape(encoding, shape):
    try:
        found = linear_layout(encoding, shape)
    except LayoutError:
        return
    assert found.shape == shape


@settings(max_examples=1000)
@given(nearly())
def test_what_is_nearly_a_layout_ends_in_a_layout_error_or_a_layout_of_the_shape(case):
    encoding, shape = case
    try:
        found = linear_layout(encoding, shape)
    except LayoutError:
        return
    assert found.shape == shape
