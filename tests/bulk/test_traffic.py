"""Bulk copies: instructions, sectors of clipped boxes, against brute force and an H200's DRAM counter."""

# ruff: noqa: E501 (IR keeps its lines)

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gluon_inspect import targets
from gluon_inspect.ir.text import parse_module
from gluon_inspect.model.access import Direction, Space
from gluon_inspect.model.artifact import DescriptorArgument, Launch, TensorArgument
from gluon_inspect.model.confidence import Confidence
from gluon_inspect.model.encodings import NvmmaSharedEncoding
from gluon_inspect.traffic.bulk.box import boxes
from gluon_inspect.traffic.bulk.records import bulk_records
from gluon_inspect.traffic.bulk.tally import BulkTally
from gluon_inspect.traffic.launch import entry_function, evaluate_launch
from tests.bulk.samples import LOAD, load, module
from tests.truth.cases import TRUTH
from tests.truth.cases import load as truth

HOPPER = targets.find("cuda:90")


def records(text, grid, arguments, name="kernel", limit=None):
    found = parse_module(text)
    function = entry_function(found, name)
    run = evaluate_launch(found, function, Launch("0", 1, grid, arguments), HOPPER, 4, limit)
    return bulk_records(run)


def tensor(shape, strides, address=1 << 36, dtype="float16"):
    return DescriptorArgument(TensorArgument(dtype, shape, strides, address), (64, 128))


def brute(base, sizes, strides, corner, tile, box, size):
    """Sectors and bytes of every box, byte by byte."""
    sectors = moved = 0
    for top in range(0, tile[0], box[0]):
        for left in range(0, tile[1], box[1]):
            touched = set()
            for row in range(corner[0] + top, corner[0] + top + box[0]):
                for column in range(corner[1] + left, corner[1] + left + box[1]):
                    if 0 <= row < sizes[0] and 0 <= column < sizes[1]:
                        at = base + (row * strides[0] + column) * size
                        touched |= {at // 32, (at + size - 1) // 32}
                        moved += size
            sectors += len(touched)
    return sectors, moved


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 3),
    st.tuples(st.integers(1, 40), st.integers(1, 40)),
    st.integers(0, 3),
    st.lists(st.tuples(st.integers(-20, 40), st.integers(-20, 40)), min_size=1, max_size=4),
    st.sampled_from([1, 2, 4]),
)
def test_boxes_touch_what_brute_force_finds(offset, sizes, spare, corners, size):
    tile, box = (16, 16), (16, 8)
    base, strides = 4096 + 16 * offset, (sizes[1] + spare * 8, 1)
    tally = BulkTally(size)
    columns = [np.array(each) for each in zip(*corners, strict=True)]
    tally.add(base, sizes, strides, columns, tile, box, len(corners))
    wanted = [brute(base, sizes, strides, corner, tile, box, size) for corner in corners]
    assert (tally.traffic.sectors, tally.traffic.bytes) == tuple(map(sum, zip(*wanted, strict=True)))
    assert tally.traffic.sectors_ideal <= tally.traffic.sectors


def test_a_copy_is_two_records():
    found = records(load(), (4, 2, 1), {"src": tensor((256, 256), (256, 1))})
    assert [(each.space, each.direction) for each in found] == [
        (Space.GLOBAL, Direction.COPY),
        (Space.SHARED, Direction.COPY),
    ]
    moved = 256 * 256 * 2
    assert [each.transactions for each in found] == [16, 16]
    assert (found[0].sectors, found[0].bytes_requested, found[0].bytes_unique) == (moved // 32, moved, moved)
    assert found[0].requests is None
    assert found[1].wavefronts is None
    assert found[1].bytes_requested == moved


def test_what_lies_outside_the_tensor_is_written_but_not_read():
    found = records(load(), (4, 2, 1), {"src": tensor((200, 144), (256, 1))})
    assert found[0].bytes_requested == 200 * 144 * 2
    assert found[1].bytes_requested == 256 * 256 * 2


def test_without_the_descriptor_sectors_are_unknown_and_instructions_are_not():
    found = records(load(), (4, 2, 1), {})
    assert found[0].sectors is None
    assert found[0].confidence is Confidence.UNKNOWN
    assert "src" in found[0].reason
    assert found[0].transactions == 16


def test_without_a_grid_nothing_is_counted():
    found = records(load(), None, {"src": tensor((256, 256), (256, 1))})
    assert [each.transactions for each in found] == [None, None]
    assert [each.bytes_requested for each in found] == [None, None]


def test_a_false_predicate_copies_nothing():
    text = (
        load()
        .replace("%tile, %bar, %true", "%tile, %bar, %off")
        .replace("%c0 =", "%off = arith.cmpi eq, %n, %n : i32\n    %c0 =")
    )
    given_n = {"src": tensor((256, 256), (256, 1)), "n": 3}
    assert records(text, (4, 2, 1), given_n)[0].transactions == 16
    text = text.replace("cmpi eq", "cmpi ne")
    assert records(text, (4, 2, 1), given_n)[0].transactions == 0


def test_a_descriptor_made_in_the_kernel_is_followed_into_partitions():
    made = """
    %c1 = arith.constant 1 : i64
    %stride = arith.constant 256 : i64
    %size = arith.constant 256 : i32
    %made = tt.make_tensor_descriptor %p, [%size, %size], [%stride, %c1] : <f16>, <64x128xf16, #shared>
    ttg.warp_specialize(%made)
    default {
      ttg.warp_yield
    }
    partition0(%src: !tt.tensordesc<64x128xf16, #shared>) num_warps(1) {
BODY
      ttg.warp_return
    } : (!tt.tensordesc<64x128xf16, #shared>) -> ()
"""
    text = module(made.replace("BODY", LOAD.replace("{size}", "16384")), "%p: !tt.ptr<f16>")
    found = records(text, (4, 2, 1), {"p": TensorArgument("float16", (256, 256), (256, 1), 1 << 36)})
    assert found[0].sectors == 256 * 256 * 2 // 32
    assert found[0].confidence is Confidence.EXACT


def test_a_gather_reads_four_rows_an_instruction():
    body = """
    %true = arith.constant true
    %c0 = arith.constant 0 : i32
    %two = arith.constant dense<2> : tensor<32xi32, #slice>
    %range = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #slice>
    %every = arith.muli %range, %two : tensor<32xi32, #slice>
    %tile = ttg.local_alloc : () -> !ttg.memdesc<32x128xf16, #shared, #smem, mutable>
    %bar = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
    ttng.async_tma_gather %src[%every, %c0] %tile, %bar, %true : !tt.tensordesc<1x128xf16, #shared>, tensor<32xi32, #slice>, i32, !ttg.memdesc<1xi64, #bar, #smem, mutable>, !ttg.memdesc<32x128xf16, #shared, #smem, mutable>, i1
"""
    text = module(body, "%src: !tt.tensordesc<1x128xf16, #shared>")
    found = records(text, (1, 1, 1), {"src": tensor((40, 128), (128, 1))})
    # 32 rows in groups of four, two boxes of 64 columns; rows 0, 2, … 38 exist
    assert found[0].transactions == 16
    assert found[0].sectors == 20 * 128 * 2 // 32
    assert found[1].bytes_requested == 32 * 128 * 2


@pytest.mark.parametrize(
    ("tile", "swizzle", "cga", "box", "pieces", "copies"),
    [
        ((128, 64), 128, (), (128, 64), 1, 1),
        ((128, 64), 32, (), (128, 16), 4, 1),
        ((512, 64), 128, (), (256, 64), 2, 1),
        ((128, 128), 128, ((1, 0),), (64, 64), 4, 1),
        ((128, 128), 128, ((0, 0),), (128, 64), 2, 2),
    ],
)
def test_boxes(tile, swizzle, cga, box, pieces, copies):
    cut = boxes(tile, NvmmaSharedEncoding(swizzle, transposed=False, element_bits=16, cga=cga))
    assert (cut.box, cut.pieces, cut.copies) == (box, pieces, copies)


@pytest.mark.skipif(not TRUTH.is_dir(), reason="../shared/truth (recorded hardware counters) is absent")
def test_an_h200_read_the_bytes_that_are_predicted():
    cases = [case for case in truth("h200b") if case["kernel"] == "tma_copy"]
    assert len(cases) == 2
    for case in cases:
        given_ = {
            name: DescriptorArgument(TensorArgument(a[1], tuple(a[2]), tuple(a[3]), (i + 1) << 36), tuple(a[4]))
            for i, (name, a) in enumerate(zip(("src", "dst"), case["args"], strict=True))
        }
        found = records(case["ttgir"], (*case["grid"], 1), given_, "tma_copy")
        read = next(each for each in found if each.space is Space.GLOBAL and each.direction is Direction.COPY)
        # DRAM also reads the descriptors and the code
        assert 0 <= case["counters"]["dram_bytes_read"] - read.sectors * 32 < 4096
        assert read.bytes_requested == read.sectors * 32


def test_a_prefetch_reads_the_box_and_fills_no_shared_memory():
    copy = LOAD[LOAD.index("    ttng.async_tma") : LOAD.index("    ttng.wait_barrier")]
    prefetch = "    ttng.async_tma_prefetch %src[%row, %column], %true : !tt.tensordesc<64x128xf16, #shared>\n"
    where = (4, 2, 1), {"src": tensor((250, 256), (256, 1))}
    (hint,) = records(module(LOAD.replace(copy, prefetch).replace("{size}", "1")), *where)
    read, _ = records(load(), *where)
    assert (hint.sectors, hint.transactions, hint.bytes_requested) == (read.sectors, 16, 250 * 256 * 2)
    assert hint.confidence is Confidence.ASSUMED
