"""attorch: layers, forward and backward (a checkout on the path)."""

import attorch
import torch
from calls import run, tensor

x = tensor(32, 128, dtype=torch.float32, grad=True)
image = tensor(2, 8, 16, 16, dtype=torch.float32, grad=True)
run(
    {
        "gelu": lambda: attorch.GELU()(x * 1),
        "layer_norm": lambda: attorch.LayerNorm(128).cuda()(x * 1),
        "rms_norm": lambda: attorch.RMSNorm(128).cuda()(x * 1),
        "softmax": lambda: attorch.Softmax(-1)(x * 1),
        "glu": lambda: attorch.GLU()(x * 1),
        "dropout": lambda: attorch.Dropout(0.5)(x * 1),
        "linear": lambda: attorch.Linear(128, 64).cuda()(x * 1),
        "batch_norm": lambda: attorch.BatchNorm2d(8).cuda()(image * 1),
        "conv2d": lambda: attorch.Conv2d(8, 16, 3).cuda()(image * 1),
        "cross_entropy": lambda: attorch.CrossEntropyLoss()(x * 1, torch.arange(32, device="cuda")),
        "mse": lambda: attorch.MSELoss()(x * 1, tensor(32, 128, dtype=torch.float32)),
    }
)
