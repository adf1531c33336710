"""flash-linear-attention: chunked and recurrent attention, convolutions, norms."""

import torch
from calls import run, tensor
from fla.modules import RMSNorm, ShortConvolution
from fla.modules.activations import swiglu
from fla.ops.delta_rule import chunk_delta_rule
from fla.ops.gated_delta_rule import chunk_gated_delta_rule, fused_recurrent_gated_delta_rule
from fla.ops.gla import chunk_gla
from fla.ops.linear_attn import chunk_linear_attn
from fla.ops.retention import chunk_retention
from fla.ops.simple_gla import chunk_simple_gla

BF16 = torch.bfloat16


def heads(**options):
    return tensor(1, 128, 2, 64, dtype=BF16, grad=True, **options)


def gates(*shape):
    return torch.nn.functional.logsigmoid(tensor(*shape, dtype=torch.float32))


run(
    {
        "chunk_gla": lambda: chunk_gla(heads(), heads(), heads(), gates(1, 128, 2, 64))[0],
        "chunk_linear_attn": lambda: chunk_linear_attn(heads(), heads(), heads())[0],
        "chunk_retention": lambda: chunk_retention(heads(), heads(), heads())[0],
        "chunk_simple_gla": lambda: chunk_simple_gla(heads(), heads(), heads(), gates(1, 128, 2))[0],
        "chunk_delta_rule": lambda: chunk_delta_rule(
            heads(), heads(), heads(), tensor(1, 128, 2, dtype=BF16).sigmoid()
        )[0],
        "chunk_gated_delta_rule": lambda: chunk_gated_delta_rule(
            heads(), heads(), heads(), gates(1, 128, 2), tensor(1, 128, 2, dtype=BF16).sigmoid()
        )[0],
        "fused_recurrent_gated_delta_rule": lambda: fused_recurrent_gated_delta_rule(
            heads(), heads(), heads(), gates(1, 128, 2), tensor(1, 128, 2, dtype=BF16).sigmoid()
        )[0],
        "short_convolution": lambda: ShortConvolution(64, 4).cuda().to(BF16)(tensor(1, 128, 64, dtype=BF16))[0],
        "rms_norm": lambda: RMSNorm(64).cuda().to(BF16)(tensor(1, 128, 64, dtype=BF16, grad=True)),
        "swiglu": lambda: swiglu(heads(), heads()),
    }
)
