"""torchao: quantised and sparse matrix products with kernels in Triton.

Its integer products are left out: they use block pointers, which Triton 3.9 has no more.
"""

import torch
import torchao.kernel.bsr_triton_ops as bsr
from calls import run, tensor
from torchao.kernel.blockwise_quantization import (
    blockwise_fp8_gemm,
    fp8_blockwise_act_quant,
    fp8_blockwise_weight_dequant,
    fp8_blockwise_weight_quant,
)

x, w = tensor(128, 256, dtype=torch.bfloat16), tensor(256, 256, dtype=torch.bfloat16)


def gemm():
    a, a_scale = fp8_blockwise_act_quant(x, 128)
    b, b_scale = fp8_blockwise_weight_quant(w, 128)
    return blockwise_fp8_gemm(a, a_scale, b, b_scale)


run(
    {
        "fp8_act_quant": lambda: fp8_blockwise_act_quant(x, 128),
        "fp8_weight_quant": lambda: fp8_blockwise_weight_quant(w, 128),
        "fp8_weight_dequant": lambda: fp8_blockwise_weight_dequant(*fp8_blockwise_weight_quant(w, 128)),
        "fp8_gemm": gemm,
        "bsr_dense": lambda: bsr.bsr_dense_addmm(
            torch.zeros(128, 128, device="cuda", dtype=torch.float16),
            torch.eye(128, dtype=torch.float16).to_sparse_bsr((32, 32)).cuda(),
            tensor(128, 128),
        ),
    }
)
