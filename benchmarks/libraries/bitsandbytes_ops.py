"""bitsandbytes with its Triton backend registered for CUDA, as it is for Intel GPUs."""

import bitsandbytes
import torch
from bitsandbytes.backends.triton import ops
from calls import run, tensor

code = torch.linspace(-1, 1, 256, device="cuda")
x = tensor(64, 256)


def four_bits():
    packed, absmax = ops.quantize_4bit(x, 64, "nf4", torch.uint8)
    return ops.dequantize_4bit(packed, absmax, 64, "nf4", x.shape, x.dtype)


def blockwise():
    q, absmax = ops.quantize_blockwise(x, code, 256)
    return ops.dequantize_blockwise(q, absmax, code, 256, x.dtype)


def optimizer():
    p, g, s1, s2 = (tensor(4096, dtype=torch.float32) for _ in range(4))
    ops.optimizer_update_32bit("adam", g, p, s1, s2, None, 0.0, 0.0, 0.9, 0.99, 0.0, 0.0, 1e-8, 0.0, 1, 1e-3, 1.0)


run(
    {
        "blockwise": blockwise,
        "4bit": four_bits,
        "optimizer_32bit": optimizer,
        "registered": lambda: bitsandbytes.functional.quantize_4bit(x, quant_type="nf4"),
    }
)
