"""flag-gems, its functions called by name."""

import flag_gems
import torch
from calls import run, tensor

x, y = tensor(128, 256, dtype=torch.float32), tensor(128, 256, dtype=torch.float32)
square = tensor(128, 128)
run(
    {
        "add": lambda: flag_gems.add(x, y),
        "mul": lambda: flag_gems.mul(x, y),
        "gelu": lambda: flag_gems.gelu(x),
        "silu": lambda: flag_gems.silu(x),
        "mm": lambda: flag_gems.mm(square, square),
        "bmm": lambda: flag_gems.bmm(square[None], square[None]),
        "addmm": lambda: flag_gems.addmm(square[0], square, square),
        "softmax": lambda: flag_gems.softmax(x, -1),
        "layer_norm": lambda: flag_gems.layer_norm(x, [256], x[0], x[0]),
        "sum": lambda: flag_gems.sum(x),
        "mean_dim": lambda: flag_gems.mean_dim(x, [1]),
        "max": lambda: flag_gems.max(x),
        "argmax": lambda: flag_gems.argmax(x, 1),
        "cumsum": lambda: flag_gems.cumsum(x, 1),
        "sort": lambda: flag_gems.sort(x),
        "topk": lambda: flag_gems.topk(x, 8),
        "where": lambda: flag_gems.where_self(x > 0, x, y),
        "dropout": lambda: flag_gems.dropout(x, 0.5, True),
        "rand": lambda: flag_gems.rand((128, 128), device="cuda"),
        "randn": lambda: flag_gems.randn((128, 128), device="cuda"),
        "gather": lambda: flag_gems.gather(x, 1, (x > 0).to(torch.int64)),
        "index_select": lambda: flag_gems.index_select(x, 0, torch.tensor([1, 2, 3], device="cuda")),
        "nonzero": lambda: flag_gems.nonzero(x > 0),
        "embedding": lambda: flag_gems.embedding(x, torch.arange(8, device="cuda")),
    }
)
