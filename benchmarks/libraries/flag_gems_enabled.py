"""flag-gems in place of torch's operators: flag_gems.enable(), then torch as ever."""

import flag_gems
import torch
from calls import run, tensor

x, y = tensor(128, 256, dtype=torch.float32), tensor(128, 256, dtype=torch.float32)
square = tensor(128, 128)
norm = torch.nn.LayerNorm(256).cuda()
flag_gems.enable()
run(
    {
        "add": lambda: x + y,
        "mul": lambda: x * y,
        "gelu": lambda: torch.nn.functional.gelu(x),
        "silu": lambda: torch.nn.functional.silu(x),
        "mm": lambda: torch.mm(square, square),
        "bmm": lambda: torch.bmm(square[None], square[None]),
        "linear": lambda: torch.nn.functional.linear(square, square, square[0]),
        "softmax": lambda: torch.softmax(x, -1),
        "layer_norm": lambda: norm(x.detach().requires_grad_()),
        "sum": lambda: x.sum(),
        "mean": lambda: x.mean(1),
        "max": lambda: x.max(),
        "argmax": lambda: x.argmax(1),
        "cumsum": lambda: x.cumsum(1),
        "sort": lambda: x.sort(),
        "topk": lambda: x.topk(8),
        "where": lambda: torch.where(x > 0, x, y),
        "dropout": lambda: torch.nn.functional.dropout(x, 0.5),
        "rand": lambda: torch.rand(128, 128, device="cuda"),
        "index_select": lambda: x.index_select(0, torch.tensor([1, 2, 3], device="cuda")),
        "nonzero": lambda: torch.nonzero(x > 0),
        "cross_entropy": lambda: torch.nn.functional.cross_entropy(
            x.detach().requires_grad_(), torch.arange(128, device="cuda")
        ),
    }
)
