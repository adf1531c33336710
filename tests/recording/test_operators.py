"""Operators behind torch's dispatcher: the author's body runs, once a call, with the recording's tensors."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from gluon_inspect.model.artifact import Capture
from gluon_inspect.recording.record import record
from tests.recording.scripts import HEAD, write

TAGGED = (
    HEAD
    + """
@triton.jit
def double(x, y, n, B: tl.constexpr):
    o = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + o, tl.load(x + o, mask=o < n) * 2, mask=o < n)

def run(x, tag):
    assert x.is_cuda
    y = torch.full_like(x, -1.0)
    double[(tag,)](x, y, x.numel(), B=256)
    return y
"""
)
"""The number of programs says which body a launch came from."""

OPERATORS = (
    TAGGED
    + """
from torch.library import Library, custom_op, triton_op, wrap_triton
T = torch.Tensor

@custom_op("own::no_fake", mutates_args=())
def no_fake(x: T) -> T:
    return run(x, 1)

@custom_op("own::for_cuda", mutates_args=(), device_types="cuda")
def for_cuda(x: T) -> T:
    return run(x, 2)

@custom_op("own::in_place", mutates_args={"x"})
def in_place(x: T) -> None:
    double[(3,)](x, x, x.numel(), B=256)

@custom_op("own::with_gradient", mutates_args=())
def with_gradient(x: T) -> T:
    return run(x, 4)

@with_gradient.register_fake
def _(x):
    return torch.empty_like(x)

@custom_op("own::gradient", mutates_args=())
def gradient(x: T) -> T:
    return run(x, 5)

with_gradient.register_autograd(lambda context, grad: gradient(grad.contiguous()))

library = Library("mine", "DEF")
library.define("pair(Tensor x) -> (Tensor, Tensor)")
library.impl("pair", lambda x: (run(x, 6), run(x, 7)), "CUDA")
library.define("composite(Tensor x) -> Tensor")
library.impl("composite", lambda x: run(x, 8), "CompositeImplicitAutograd")
library.define("bodiless(Tensor x) -> Tensor")

@triton_op("own::traceable", mutates_args=())
def traceable(x: T) -> T:
    y = torch.empty_like(x)
    wrap_triton(double)[(9,)](x, y, x.numel(), B=256)
    return y

x = torch.ones(1024, device="cuda")
for operator in (no_fake, for_cuda, with_gradient, traceable, torch.ops.mine.composite, torch.ops.own.no_fake):
    assert operator(x).shape == (1024,)
in_place(torch.ones(8, device="cuda"))
assert [part.shape for part in torch.ops.mine.pair(x)] == [(1024,), (1024,)]
leaf = torch.ones(1024, device="cuda", requires_grad=True)
(with_gradient(leaf) * 2).sum().backward()
assert leaf.grad.shape == (1024,)

# what a body's kernel wrote is unknown: the body ran, but -1 was never seen on a GPU
assert no_fake(x).sum().item() == 0.0
torch.testing.assert_close(no_fake(x), x * 2)

for _ in range(2):
    assert torch.ops.mine.bodiless(x).shape == (1024,)
"""
)

OVERRIDES = (
    TAGGED
    + """
library = torch.library.Library("aten", "IMPL")
library.impl("mm", lambda a, b: run(a, 1), "CUDA")
library.impl("silu", lambda a: run(a, 2), "AutogradCUDA")
library.impl("softmax.int", lambda a, dim, dtype=None: run(a, 3), "CUDA")
x = torch.ones(32, 32, device="cuda")
layer = torch.nn.Linear(32, 32, bias=False).cuda()
layer(x).sum().backward()
assert layer.weight.grad.shape == (32, 32)
torch.nn.functional.silu(x), torch.softmax(x, 0)
assert torch.mm(torch.ones(2, 2), torch.ones(2, 2)).tolist() == [[2, 2], [2, 2]]
"""
)


def launched(capture: Capture) -> Counter[int]:
    """Launches by number of programs."""
    found: Counter[int] = Counter()
    for kernel in capture.kernels:
        for launch in kernel.launches:
            found[launch.grid[0]] += launch.count
    return found


@pytest.fixture(scope="module")
def operators(tmp_path_factory: pytest.TempPathFactory) -> Capture:
    capture = record(write(tmp_path_factory.mktemp("operators"), OPERATORS), "cuda:90")
    assert capture.error is None, capture.error.traceback
    return capture


def test_each_body_runs_once_a_call(operators: Capture) -> None:
    assert launched(operators) == {1: 4, 2: 1, 3: 1, 4: 2, 5: 1, 6: 1, 7: 1, 8: 1, 9: 1}


def test_an_operator_without_a_body_is_named_with_its_calls(operators: Capture) -> None:
    (note,) = [note for note in operators.notes if note.startswith("library call") and "mine::bodiless" in note]
    assert note.startswith("library call, not inspected: mine::bodiless (2 x), at kernels.py:")
    assert not any("own::" in note for note in operators.notes)


def test_what_replaces_torchs_own_operators_on_cuda_runs(tmp_path: Path) -> None:
    capture = record(write(tmp_path, OVERRIDES), "cuda:90")
    assert capture.error is None, capture.error.traceback
    assert launched(capture) == {1: 2, 2: 1, 3: 1}
