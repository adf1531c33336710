"""batch_invariant_ops in place of torch's operators (a checkout on the path)."""

import torch
from batch_invariant_ops import set_batch_invariant_mode
from calls import run, tensor

x = tensor(64, 128, dtype=torch.bfloat16)
with set_batch_invariant_mode():
    run(
        {
            "mm": lambda: torch.mm(x, x.t()),
            "addmm": lambda: torch.nn.functional.linear(x, x, x[0, :64]),
            "log_softmax": lambda: torch.log_softmax(x, -1),
            "mean": lambda: x.mean(1),
        }
    )
