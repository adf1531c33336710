"""torch.compile of a transformer block with FlexAttention."""

import torch
from calls import run, tensor
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

BF16 = torch.bfloat16


class Block(torch.nn.Module):
    def __init__(self, width=256, heads=4):
        super().__init__()
        self.heads = heads
        self.norms = torch.nn.ModuleList(torch.nn.LayerNorm(width) for _ in range(2))
        self.inward, self.outward = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)
        self.up, self.down = torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, width)

    def forward(self, x, mask):
        batch, length, width = x.shape
        q, k, v = (
            part.view(batch, length, self.heads, -1).transpose(1, 2)
            for part in self.inward(self.norms[0](x)).chunk(3, -1)
        )
        attended = flex_attention(q, k, v, block_mask=mask)
        x = x + self.outward(attended.transpose(1, 2).reshape(batch, length, width))
        return x + self.down(torch.nn.functional.gelu(self.up(self.norms[1](x))))


def block():
    mask = create_block_mask(lambda b, h, i, j: i >= j, None, None, 256, 256, device="cuda")
    with torch.no_grad():
        return torch.compile(Block().cuda().to(BF16))(tensor(2, 256, 256, dtype=BF16), mask)


run({"block": block})
