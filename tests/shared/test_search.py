"""Layouts that are found: free for both sides where one is, never worse than the kernel's own."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from gluon_inspect.model.encodings import (
    BlockedEncoding,
    DotOperandEncoding,
    NvidiaMmaEncoding,
    SwizzledSharedEncoding,
)
from gluon_inspect.model.types import MemDescType, ScalarType, TensorType
from gluon_inspect.traffic.shared.conversion import MatrixSupport
from gluon_inspect.traffic.shared.search import Costed, Use, best_layout, cost, matrix_layout

SUPPORT = MatrixSupport(True, True)


def use(shape, element, layout, store):
    return Use(TensorType(shape, ScalarType(element, int(element[1:])), layout), store)


def blocked(per_thread, threads, warps, order):
    return BlockedEncoding(per_thread, threads, warps, order)


def buffer(shape, element, encoding):
    return MemDescType(shape, ScalarType(element, int(element[1:])), encoding, "shared")


PLAIN = SwizzledSharedEncoding(1, 1, 1, (1, 0))
ROWS = blocked((1, 1), (1, 32), (4, 1), (1, 0))
COLUMNS = blocked((1, 1), (32, 1), (1, 4), (0, 1))


def test_a_transpose_has_a_free_layout():
    uses = (use((64, 64), "f32", ROWS, True), use((64, 64), "f32", COLUMNS, False))
    of = buffer((64, 64), "f32", PLAIN)
    assert wavefronts(cost(of, PLAIN, uses, SUPPORT)) == (128 + 32 * 128, 256)
    best = best_layout(of, uses, SUPPORT)
    assert best.is_free
    assert best.wavefronts == 256
    assert cost(of, best.encoding, uses, SUPPORT) == best


def wavefronts(found):
    return found.wavefronts, found.ideal


def test_a_buffer_read_through_a_transposed_view():
    """Rows are stored 16 bytes a thread and columns are read: the swizzle keeps the 16 bytes together."""
    wide = blocked((1, 4), (4, 8), (4, 1), (1, 0))
    uses = (use((32, 32), "f32", wide, True), replace(use((32, 32), "f32", wide, False), order=(1, 0)))
    of = buffer((32, 32), "f32", PLAIN)
    assert wavefronts(cost(of, PLAIN, uses, SUPPORT)) == (32 + 8 * 32, 64)
    assert best_layout(of, uses, SUPPORT) == Costed(SwizzledSharedEncoding(4, 4, 8, (1, 0)), 64, 64, 8 + 32)
    sideways = replace(use((32, 64), "f32", wide, False), order=(1, 0))
    assert sideways.shape == (64, 32)
    assert sideways.layout.shape == (64, 32)


@st.composite
def thread_tiles(draw):
    order = draw(st.sampled_from([(0, 1), (1, 0)]))
    vector = draw(st.sampled_from([1, 2, 4, 8]))
    lanes = draw(st.sampled_from([(32, 1), (16, 2), (8, 4), (4, 8)]))
    per_thread, threads = ([1, 1], [0, 0])
    per_thread[order[0]] = vector
    threads[order[0]], threads[order[1]] = lanes
    return blocked(tuple(per_thread), tuple(threads), (2, 2), order)


@settings(max_examples=8, deadline=None)
@given(thread_tiles(), thread_tiles(), st.sampled_from(["f16", "f32"]))
def test_never_worse_than_no_swizzle(store, load, element):
    uses = (use((32, 64), element, store, True), use((32, 64), element, load, False))
    of = buffer((32, 64), element, PLAIN)
    now, best = cost(of, PLAIN, uses, SUPPORT), best_layout(of, uses, SUPPORT)
    assert best.wavefronts <= now.wavefronts
    assert best.ideal <= best.wavefronts


def test_an_operand_of_halves_has_a_swizzle_for_ldmatrix_and_one_of_doubles_has_none():
    mma = NvidiaMmaEncoding(2, 0, (2, 2), (16, 8))
    halves = use((64, 64), "f16", DotOperandEncoding(0, mma, 2), False)
    found = matrix_layout(buffer((64, 64), "f16", PLAIN), halves)
    assert isinstance(found, SwizzledSharedEncoding)
    assert found.vec == 8
    doubles = use((16, 16), "f64", DotOperandEncoding(0, mma, 1), False)
    assert matrix_layout(buffer((16, 16), "f64", PLAIN), doubles) is None
