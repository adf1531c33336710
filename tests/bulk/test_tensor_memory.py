"""Tensor memory: instructions and columns as Triton 3.9 compiles them (tcgen05 in the PTX, tmem_size)."""

import pytest

from gluon_inspect.ir.text import parse_module
from gluon_inspect.layouts.lowering import linear_layout
from gluon_inspect.model.access import Direction, Space
from gluon_inspect.model.artifact import Capture, CompiledKernel, Launch
from gluon_inspect.model.encodings import (
    LinearEncoding,
    NvmmaSharedEncoding,
    TensorMemoryEncoding,
    TensorMemoryScalesEncoding,
)
from gluon_inspect.model.types import MemDescType, ScalarType
from gluon_inspect.pipeline import inspect
from gluon_inspect.traffic.tensor.allocation import tensor_memory
from gluon_inspect.traffic.tensor.copies import tensor_copy
from gluon_inspect.traffic.tensor.messages import messages
from gluon_inspect.traffic.tensor.records import tensor_accesses
from tests.bulk.samples import module

ACC = "!ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>"
TILE = "!ttg.memdesc<128x128xf16, #shared, #smem, mutable>"
BODY = f"""
    %true = arith.constant true
    %c0 = arith.constant 0 : i32
    %a = ttg.local_alloc : () -> {TILE}
    %b = ttg.local_alloc : () -> {TILE}
    %acc = ttng.tmem_alloc : () -> {ACC}
    %token = ttng.tc_gen5_mma %a, %b, %acc[], %true, %true : {TILE}, {TILE}, {ACC}
    %value = ttng.tmem_load %acc : {ACC} -> tensor<128x128xf32, #rows>
    ttng.tmem_store %value, %acc, %true : tensor<128x128xf32, #rows> -> {ACC}
"""


def test_records_of_an_mma_and_its_accumulator():
    found = tensor_accesses(parse_module(module(BODY)), lambda _: 10)
    assert [(each.op, each.space, each.direction) for each in found] == [
        ("ttng.tc_gen5_mma", Space.SHARED, Direction.LOAD),
        ("ttng.tmem_load", Space.TENSOR, Direction.LOAD),
        ("ttng.tmem_store", Space.TENSOR, Direction.STORE),
    ]
    mma, read, _ = found
    # K = 128 halves in steps of 32 bytes; A and B once each
    assert (mma.transactions, mma.bytes_requested) == (80, 10 * 2 * 128 * 128 * 2)
    assert mma.wavefronts is None
    # 32x32b.x128: one instruction in each of four warps
    assert (read.requests, read.bytes_requested, read.sectors) == (40, 10 * 128 * 128 * 4, None)


def mma_under(predicate, arguments=None):
    text = module(predicate + BODY.replace("%true, %true :", "%true, %p :", 1), "%n: i1")
    kernel = CompiledKernel(
        "kernel", "cuda:100", "3.9.0", {"ttgir": text}, launches=(Launch("0", 1, (8, 1, 1), arguments or {}),)
    )
    found = inspect(Capture("test", (kernel,))).kernels[0].accesses
    return next(each for each in found if each.op == "ttng.tc_gen5_mma")


def test_an_unknown_predicate_leaves_the_counts_unknown():
    mma = mma_under("    %one = arith.constant true\n    %p = arith.andi %one, %n : i1\n")
    assert (mma.transactions, mma.bytes_requested, mma.executions) == (None, None, None)
    assert mma.reason


def test_an_mma_counts_where_its_predicate_holds():
    mma = mma_under("""
    %limit = arith.constant 3 : i32
    %x = tt.get_program_id x : i32
    %p = arith.cmpi slt, %x, %limit : i32
""")
    # programs 0, 1 and 2 of 8; K is 128 halves, 32 bytes an instruction
    assert (mma.executions, mma.transactions) == (3, 3 * 8)


def test_columns_are_shared_by_buffers_that_do_not_live_together():
    alloc = (
        f"%N = ttng.tmem_alloc : () -> {ACC}\n    %vN = ttng.tmem_load %N : {ACC} -> tensor<128x128xf32, #rows>\n"
    )
    apart = parse_module(module("".join("    " + alloc.replace("N", str(n)) for n in "xyz")))
    assert tensor_memory(apart).allocated_columns == 128
    lines = [line for n in "xyz" for line in alloc.replace("N", n).strip().split("\n")]
    together = parse_module(module("\n".join(lines[::2] + lines[1::2])))
    memory = tensor_memory(together)
    assert [buffer.column for buffer in memory.buffers] == [0, 128, 256]
    assert (memory.used_columns, memory.allocated_columns) == (384, 512)


@pytest.mark.parametrize(
    ("columns", "warps", "limit", "name", "instructions"),
    [
        (128, 4, 256, "32x32b.x128", 1),
        (256, 4, 256, "32x32b.x64", 4),
        (128, 8, 256, "32x32b.x64", 1),
        (128, 4, 168, "32x32b.x64", 2),
        (128, 4, 24, "32x32b.x8", 16),
    ],
)
def test_the_instruction_a_load_becomes(columns, warps, limit, name, instructions):
    bits = [1 << bit for bit in range((columns // (warps // 4)).bit_length() - 1)]
    split = ((0, columns // 2),) if warps == 8 else ()
    layout = LinearEncoding(
        register=tuple((0, bit) for bit in bits),
        lane=tuple((1 << bit, 0) for bit in range(5)),
        warp=((32, 0), (64, 0), *split),
        block=(),
    )
    shape = (128, columns)
    memory = linear_layout(TensorMemoryEncoding(128, columns, 1), shape)
    found = messages(linear_layout(layout, shape), memory, 32, limit)
    assert (found.name, found.instructions) == (name, instructions)


def test_halves_are_loaded_in_pairs():
    shape = (128, 128)
    layout = LinearEncoding(
        tuple((0, 1 << bit) for bit in range(7)),
        tuple((1 << bit, 0) for bit in range(5)),
        ((32, 0), (64, 0)),
        (),
    )
    packed = linear_layout(TensorMemoryEncoding(128, 128, 1), shape)
    assert messages(linear_layout(layout, shape), packed, 16).name == "32x32b.x64"


@pytest.mark.parametrize(
    ("shape", "bits", "memory", "name", "instructions"),
    [
        ((128, 8), 8, TensorMemoryScalesEncoding(), "warpx4.32x128b", 2),
        ((256, 8), 8, TensorMemoryScalesEncoding(), "warpx4.32x128b", 4),
        ((128, 64), 32, TensorMemoryEncoding(128, 64, 1), "128x256b", 8),
        ((128, 16), 16, TensorMemoryEncoding(128, 16, 1), "128x256b", 1),
        ((128, 256), 8, TensorMemoryEncoding(128, 256, 1), "128x256b", 8),
    ],
)
def test_the_instructions_a_copy_to_tensor_memory_becomes(shape, bits, memory, name, instructions):
    element = ScalarType(f"i{bits}", bits)
    source = MemDescType(shape, element, NvmmaSharedEncoding(0, transposed=False, element_bits=bits), "shared")
    found = tensor_copy(source, MemDescType(shape, element, memory, "tensor"))
    assert (found.name, found.instructions) == (name, instructions)
    # what several warps' rows get is read once
    assert found.read_bytes == shape[0] * shape[1] * bits // 8
    assert found.written_bytes == found.read_bytes * 128 // found.rows
