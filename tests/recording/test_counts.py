"""Counts that kernels would have computed: typical, said, and never zero."""

from __future__ import annotations

from pathlib import Path

from gluon_inspect.recording.record import record
from tests.recording.scripts import HEAD, write

ROUTING = (
    HEAD
    + """
@triton.jit
def route(expert):
    tl.store(expert + tl.program_id(0), tl.program_id(0) % 8)

@triton.jit
def work(x, n):
    tl.store(x + tl.program_id(0), n)

expert = torch.zeros(1024, device="cuda", dtype=torch.int64)
x = torch.ones(4096, device="cuda")
route[(1024,)](expert)
for each in range(8):
    index = torch.nonzero(expert == each).flatten()
    if index.numel():
        work[(index.numel(),)](x, 1)
picked = x[: 1024][expert > 3]
assert picked.shape == (512,)
count = (expert == 2).sum()
assert count.item() == 512 and int(count + 1) == 513
assert expert[3].item() == 1 and bool((expert == 0).all())

# what is known stays known, and is not spoken of
known = torch.arange(8, device="cuda")
assert torch.nonzero(known > 5).flatten().tolist() == [6, 7] and (known > 5).sum().item() == 2
"""
)


def test_launches_behind_a_count_are_made_and_the_count_is_said(tmp_path: Path) -> None:
    capture = record(write(tmp_path, ROUTING), "cuda:90")
    assert capture.error is None, capture.error.traceback
    (work,) = (kernel for kernel in capture.kernels if kernel.name == "work")
    assert [(launch.grid[0], launch.count) for launch in work.launches] == [(512, 8)]
    text = "\n".join(capture.notes)
    assert (
        "made up 8 x: how many elements aten.nonzero.default finds (half of what it looks at), at kernels.py:"
        in text
    )
    assert "a scalar read from the GPU" in text
    assert "a list read" not in text
