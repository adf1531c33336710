"""Launches that do not fit the device: Triton refuses them, grid and arguments are known all the same."""

import pytest

from gluon_inspect.recording.record import record

SCRIPT = """
import torch, triton, triton.language as tl

@triton.jit
def product(src, dst, rows, ROWS: tl.constexpr, INNER: tl.constexpr = 128):
    r, k = tl.arange(0, ROWS), tl.arange(0, INNER)
    left = tl.load(src + r[:, None] * INNER + k[None, :])
    right = tl.full([INNER, INNER], 1.0, dtype=tl.bfloat16)
    tl.store(dst + r[:, None] * INNER + k[None, :], tl.dot(left, right), mask=r[:, None] < rows)

src = torch.zeros(512, 128, dtype=torch.bfloat16, device="cuda")
dst = torch.zeros(512, 128, device="cuda")
grid = lambda meta: (3, 512 // meta["ROWS"] * meta["INNER"] // 128)
try:
    product[grid](src, dst, 511, ROWS=512, num_warps=8)
except triton.runtime.errors.OutOfResources:
    pass
product[(1,)](src, dst, 64, ROWS=64, num_warps=8)
"""


@pytest.fixture(scope="module")
def launches(tmp_path_factory):
    script = tmp_path_factory.mktemp("refused") / "script.py"
    script.write_text(SCRIPT)
    capture = record(str(script), "hip:gfx942")
    return [launch for kernel in capture.kernels for launch in kernel.launches]


def test_the_grid_and_the_arguments_of_a_refused_launch_are_known(launches):
    refused = launches[0]
    assert refused.grid == (3, 1, 1)
    assert set(refused.arguments) == {"src", "dst", "rows"}
    assert refused.arguments["rows"] == 511
    assert refused.arguments["src"].shape == (512, 128)


def test_what_a_script_launches_after_that_is_recorded(launches):
    assert [launch.grid for launch in launches] == [(3, 1, 1), (1, 1, 1)]
