"""cut-cross-entropy, forward and backward."""

import torch
from calls import run, tensor
from cut_cross_entropy import linear_cross_entropy

BF16 = torch.bfloat16
targets = torch.randint(0, 1024, (128,), device="cuda")
run(
    {
        "cce": lambda: linear_cross_entropy(
            tensor(128, 256, dtype=BF16, grad=True), tensor(1024, 256, dtype=BF16, grad=True), targets
        ),
        "shifted": lambda: linear_cross_entropy(
            tensor(2, 64, 256, dtype=BF16, grad=True),
            tensor(1024, 256, dtype=BF16, grad=True),
            targets.view(2, 64),
            shift=True,
            softcap=30.0,
        ),
    }
)
