"""xformers: its Triton kernels behind its operators."""

import torch
from calls import run, tensor
from xformers.ops import fmha, index_select_cat, rope_padded, scaled_index_add, tiled_matmul
from xformers.ops.fmha.attn_bias import BlockDiagonalCausalWithOffsetPaddedKeysMask
from xformers.ops.rmsnorm import rms_norm, rms_norm_add

BF16 = torch.bfloat16
x = tensor(64, 512, dtype=BF16)


def decoding():
    bias = BlockDiagonalCausalWithOffsetPaddedKeysMask.from_seqlens([1, 1], 128, [100, 50])
    q, k = tensor(1, 2, 1, 8, 64, dtype=BF16), tensor(1, 256, 1, 8, 64, dtype=BF16)
    return fmha.memory_efficient_attention_forward(q, k, k, attn_bias=bias, op=fmha.triton_splitk.FwOp)


def rope():
    bias = BlockDiagonalCausalWithOffsetPaddedKeysMask.from_seqlens([4, 4], 128, [100, 50])
    q, k = tensor(1, 8, 4, 64), tensor(1, 8, 4, 64)
    cache = tensor(1, 256, 4, 64)
    return rope_padded(q, k, k, cache, cache.clone(), bias)


run(
    {
        "rms_norm": lambda: rms_norm(x, x[0]),
        "rms_norm_add": lambda: rms_norm_add(x.clone(), x, x[0]),
        "decoding": decoding,
        "rope_padded": rope,
        "scaled_index_add": lambda: scaled_index_add(
            tensor(8, 4, 64), torch.tensor([1, 3], device="cuda"), tensor(2, 4, 64), tensor(64), 0.5
        ),
        "index_select_cat": lambda: index_select_cat(
            [tensor(8, 64), tensor(8, 128)], [torch.tensor([1, 3], device="cuda")] * 2
        ),
        "tiled_matmul": lambda: tiled_matmul([[tensor(64, 64)], [tensor(64, 64)]], [[tensor(64, 64)]]),
    }
)
