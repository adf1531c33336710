"""Conch's kernels."""

import torch
from calls import run, tensor
from conch.ops.activation.gelu_tanh_and_mul import gelu_tanh_and_mul
from conch.ops.activation.silu_and_mul import silu_and_mul
from conch.ops.embedding.rotary_embedding import rotary_embedding
from conch.ops.normalization.gemma_rms_norm import gemma_rms_norm
from conch.ops.normalization.rms_norm import fused_add_rms_norm, rms_norm
from conch.ops.quantization.fp8 import scaled_fp8_quant
from conch.ops.quantization.int8 import scaled_int8_quant
from conch.ops.vision.nms import nms

x, w = tensor(64, 512), tensor(512)
boxes = torch.rand(100, 4, device="cuda").cumsum(1)
run(
    {
        "gelu_tanh_and_mul": lambda: gelu_tanh_and_mul(x),
        "silu_and_mul": lambda: silu_and_mul(x),
        "rotary_embedding": lambda: rotary_embedding(
            torch.arange(64, device="cuda"), tensor(64, 512), tensor(64, 128), 64, tensor(1024, 64)
        ),
        "gemma_rms_norm": lambda: gemma_rms_norm(x, w, 1e-6),
        "rms_norm": lambda: rms_norm(x, w, 1e-6),
        "fused_add_rms_norm": lambda: fused_add_rms_norm(x.clone(), x.clone(), w, 1e-6),
        "fp8": lambda: scaled_fp8_quant(x, torch.ones(1, device="cuda")),
        "int8": lambda: scaled_int8_quant(x, torch.ones(1, device="cuda")),
        "nms": lambda: nms(boxes, torch.rand(100, device="cuda"), 0.5),
    }
)
