"""Liger-Kernel: layers and losses, forward and backward."""

import torch
from calls import run, tensor
from liger_kernel.ops import (
    LigerCrossEntropyFunction,
    LigerDyTFunction,
    LigerFusedAddRMSNormFunction,
    LigerFusedLinearCrossEntropyFunction,
    LigerGELUMulFunction,
    LigerGroupNormFunction,
    LigerJSDFunction,
    LigerKLDivLossFunction,
    LigerLayerNormFunction,
    LigerPolyNormFunction,
    LigerReLUSquaredFunction,
    LigerRMSNormFunction,
    LigerRopeFunction,
    LigerSiLUMulFunction,
    LigerSoftmaxFunction,
    LigerSparsemaxFunction,
    LigerTVDLossFunction,
)

F32 = torch.float32
target = torch.randint(0, 1024, (64,), device="cuda")
x, w, b = tensor(2, 32, 512, grad=True), tensor(512, grad=True), tensor(512, grad=True)
logits = tensor(64, 1024, dtype=F32, grad=True)
probabilities = tensor(64, 1024, dtype=F32).softmax(-1)
run(
    {
        "cross_entropy": lambda: LigerCrossEntropyFunction.apply(logits * 1, target, None),
        "fused_linear_cross_entropy": lambda: LigerFusedLinearCrossEntropyFunction.apply(
            tensor(64, 256, grad=True), tensor(1024, 256, grad=True), target
        ),
        "rms_norm": lambda: LigerRMSNormFunction.apply(x * 1, w, 1e-6),
        "layer_norm": lambda: LigerLayerNormFunction.apply(x * 1, w, b, 1e-6),
        "group_norm": lambda: LigerGroupNormFunction.apply(
            tensor(2, 64, 32, dtype=F32, grad=True),
            tensor(64, dtype=F32, grad=True),
            tensor(64, dtype=F32, grad=True),
            64,
            8,
            1e-6,
        ),
        "fused_add_rms_norm": lambda: LigerFusedAddRMSNormFunction.apply(x * 1, x * 2, w, 1e-6),
        "poly_norm": lambda: LigerPolyNormFunction.apply(x * 1, tensor(3, grad=True), tensor(grad=True)),
        "rope": lambda: LigerRopeFunction.apply(
            tensor(1, 8, 32, 64, grad=True), tensor(1, 4, 32, 64, grad=True), tensor(1, 32, 64), tensor(1, 32, 64)
        ),
        "swiglu": lambda: LigerSiLUMulFunction.apply(x * 1, x * 2),
        "geglu": lambda: LigerGELUMulFunction.apply(x * 1, x * 2),
        "relu_squared": lambda: LigerReLUSquaredFunction.apply(x * 1),
        "dyt": lambda: LigerDyTFunction.apply(x * 1, tensor(1, grad=True), w, b),
        "softmax": lambda: LigerSoftmaxFunction.apply(x * 1),
        "sparsemax": lambda: LigerSparsemaxFunction.apply(x * 1, -1),
        "kl_div": lambda: LigerKLDivLossFunction.apply(logits.log_softmax(-1), probabilities),
        "jsd": lambda: LigerJSDFunction.apply(logits.log_softmax(-1), probabilities.log()),
        "tvd": lambda: LigerTVDLossFunction.apply(logits.softmax(-1), probabilities),
    }
)
