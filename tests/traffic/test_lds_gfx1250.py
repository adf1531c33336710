"""Counters of ten GEMM tiles on gfx1250 (Triton pull request 9741): LDS instructions, and no bank conflict.

Each kernel is one work-group with K = 1024; A is loaded by ds_load_b128 (fp16) or ds_load_2addr_b64 (fp8),
B, whose N is contiguous, by ds_load_tr*. Operands are padded as the pull request pads them.
"""

import pytest

from gluon_inspect import targets
from gluon_inspect.model.encodings import AmdWmmaEncoding, DotOperandEncoding, PaddedSharedEncoding
from gluon_inspect.model.types import MemDescType, ScalarType, TensorType
from gluon_inspect.traffic.shared.amd.transfer import lds_transfer, transposed_read
from gluon_inspect.traffic.shared.memory_layout import memory_layout, offsets_of
from gluon_inspect.traffic.shared.transfer import choose_transfer

TARGET = targets.find("gfx1250")
WARPS = {1: (), 2: ((0, 1),), 4: ((0, 1), (1, 0)), 8: ((0, 1), (0, 2), (1, 0))}
TYPES = {"fp16": (ScalarType("f16", 16), 32, 8), "fp8": (ScalarType("f8E4M3FN", 8), 64, 8)}
_ROW_BYTES = 256
"""All banks once: the smallest interval between paddings."""

COUNTERS = [
    ("fp16", 1, (16, 32, 64), 192), ("fp16", 1, (16, 64, 64), 320), ("fp16", 2, (32, 32, 64), 384),
    ("fp16", 4, (64, 64, 64), 1024), ("fp16", 8, (128, 128, 64), 3072), ("fp8", 1, (16, 32, 64), 160),
    ("fp8", 1, (16, 64, 64), 288), ("fp8", 2, (32, 32, 64), 256), ("fp8", 4, (64, 64, 64), 768),
    ("fp8", 8, (128, 128, 64), 2048),
]  # fmt: skip


def read(kind, warps, operand, shape, pad):
    """How an operand of `shape` is read from its padded buffer by one iteration."""
    element, depth, width = TYPES[kind]
    parent = AmdWmmaEncoding(3, True, (), WARPS[warps], (16, 16, depth))
    tensor = TensorType(shape, element, DotOperandEncoding(operand, parent, width))
    interval = max(shape[1], _ROW_BYTES * 8 // element.bits)
    padded = PaddedSharedEncoding(((interval, pad),), (), order=(1, 0), shape=shape)
    memory = memory_layout(MemDescType(shape, element, padded, "shared"))
    offsets = offsets_of(tensor, memory)
    found = transposed_read(offsets, memory.bits, TARGET, memory.padding)
    plain = choose_transfer(offsets, memory.bits, False, False, memory.padding)
    return found or lds_transfer(plain, TARGET, store=False)


@pytest.mark.parametrize(("kind", "warps", "tile", "instructions"), COUNTERS)
def test_instructions_and_conflicts_that_the_counters_show(kind, warps, tile, instructions):
    m, n, k = tile
    left = read(kind, warps, 0, (m, k), 128 // TYPES[kind][0].bits)
    right = read(kind, warps, 1, (k, n), 16)
    assert (left.mnemonic, right.mnemonic) == ("ds_read", "ds_read_tr")
    joined = left.requests * left.bits // 128
    assert (joined + right.requests) * (1024 // k) == instructions
    for transfer in (left, right):
        assert transfer.cost().total == transfer.cost().total_ideal


def test_without_padding_there_would_be_conflicts():
    assert any(
        found.cost().total > found.cost().total_ideal
        for found in (read("fp16", 4, 0, (64, 64), 0), read("fp16", 4, 1, (64, 64), 0))
    )
