"""torch under the fake device, by a script that asserts what it sees."""

from __future__ import annotations

from pathlib import Path

import pytest

from gluon_inspect.model.artifact import Capture, TensorArgument
from gluon_inspect.recording.record import record
from tests.recording.scripts import ADD, write

SCRIPT = (
    ADD
    + """
def run(t, n=8):
    add[(1,)](t, t, out, n)

out = torch.empty(64, device="cuda")
torch.manual_seed(0)
run(torch.randn(64, device="cuda"))
import sys
assert "torch._dynamo.utils" not in sys.modules

# contents of small tensors are computed
x = torch.tensor([3, 1, 2], device="cuda")
assert x.sum().item() == 6 and x.tolist() == [3, 1, 2] and x[0].item() == 3 and len(x.nonzero()) == 3
assert x.sort().values.cpu().numpy().tolist() == [1, 2, 3] and f"{x[1]:d}" == "1" and "device='cuda:0'" in repr(x)
x += 1
x[0] = 9
assert x.tolist() == [9, 2, 3] and [10, 20, 30, 40][x[1]] == 30
assert torch.arange(6, device=0).view(2, 3).t().contiguous().stride() == (2, 1)
assert torch.equal(x, x.clone()) and not torch.equal(x, x + 1)
assert torch.ones(3).cuda().device.type == "cuda" and type(torch.ones(3) + 1) is torch.Tensor

# what a kernel may have written is unknown, and nothing fails for it
run(torch.ones(64, device="cuda"))
assert out.sum().item() == 0.0 and bool((out == 1).all()) and torch.allclose(out, out + 1)
torch.testing.assert_close(out, torch.ones(64, device="cuda"))
assert (out.cpu() - 1).abs().max() == 0 and out.cpu().numpy().shape == (64,)

# what a kernel only read stays known
index = torch.arange(8, dtype=torch.int32, device="cuda")
for _ in range(2):
    run(index)

# what a table of addresses leads to may have been written as well; what it does not lead to was not
@triton.jit
def fill(table, n):
    place = tl.load(table + tl.program_id(0)).to(tl.pointer_type(tl.float32))
    tl.store(place + tl.arange(0, 8), 7.0, mask=tl.arange(0, 8) < n)

first, second, other = (torch.zeros(8, device="cuda") for _ in range(3))
for dtype in (torch.int64, torch.uint64):
    fill[(2,)](torch.tensor([first.data_ptr(), second[4:].data_ptr()], device="cuda", dtype=dtype), 4)
assert torch.allclose(first, first + 7) and torch.allclose(second, second + 7)
assert not torch.allclose(other, other + 7)

# large tensors have no contents, but shapes, strides and addresses
big = torch.randn(1 << 20, 64, device="cuda")
assert big.t().stride() == (1, 64) and big[1:].data_ptr() - big.data_ptr() == 256

# modules, generators, dtypes, streams, graphs
layer = torch.nn.Linear(4, 4).cuda().half()
assert layer(torch.ones(2, 4, device="cuda").half()).dtype is torch.float16
assert torch.randn(3, device="cuda", generator=torch.Generator(device="cuda").manual_seed(1)).shape == (3,)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph), torch.cuda.device(0), torch.cuda.stream(torch.cuda.Stream()):
    run(torch.ones(64, dtype=torch.float16, device="cuda"))
graph.replay()
torch.cuda.synchronize()

# backward, through a function of the script's own that launches a kernel
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, shape, value, other, factor):
        assert shape == (4,)
        ctx.save_for_backward(value)
        return value * 2

    @staticmethod
    def backward(ctx, grad):
        (value,) = ctx.saved_tensors
        run(grad.to(torch.float64))
        return None, grad * 2, None, None

leaf = torch.ones(4, device="cuda", requires_grad=True)
(Double.apply((4,), leaf, torch.ones(4, device="cuda"), 2.0) * leaf + leaf).sum().backward()
assert leaf.grad.tolist() == [5.0] * 4
(again,) = torch.autograd.grad((leaf * leaf).sum(), leaf)
assert again.tolist() == [2.0] * 4
linear = torch.nn.Linear(4, 3).cuda()
linear(torch.ones(2, 4, device="cuda")).sum().backward()
assert linear.bias.grad.shape == (3,) and linear.weight.grad.shape == (3, 4)
cpu = torch.ones(2, requires_grad=True)
cpu.sum().backward()
assert cpu.grad.tolist() == [1.0, 1.0]

# benchmarks run once, in every shape of answer
calls = []
bench = lambda **options: triton.testing.do_bench(lambda: calls.append(1), **options)
assert (bench(), bench(quantiles=[0.5, 0.2]), bench(return_mode="all")) == (1.0, [1.0, 1.0], [1.0])
assert len(calls) == 3

# vendor libraries are counted
from triton._C.libtriton import nvidia
nvidia.cublas.CublasLt(out).matmul(out, out, out)

# torch._dynamo knows the device, once it is asked for
from torch._dynamo.device_interface import get_interface_for_device
assert get_interface_for_device("cuda").current_device() == 0 and "torch._dynamo.utils" in sys.modules
print("reached the end")
"""
)


@pytest.fixture(scope="module")
def capture(tmp_path_factory: pytest.TempPathFactory) -> Capture:
    return record(write(tmp_path_factory.mktemp("fake"), SCRIPT), "cuda:90")


def test_every_assertion_of_the_script_holds(capture: Capture) -> None:
    assert capture.error is None, capture.error.traceback


def test_launches_inside_backward_and_graphs_are_recorded(capture: Capture) -> None:
    kinds = {
        argument.dtype
        for kernel in capture.kernels
        for launch in kernel.launches
        if isinstance(argument := launch.arguments.get("x"), TensorArgument)
    }
    assert kinds == {"float32", "int32", "float16", "float64"}


def test_an_index_that_is_only_read_stays_known(capture: Capture) -> None:
    (launch,) = [
        launch
        for kernel in capture.kernels
        for launch in kernel.launches
        if isinstance(x := launch.arguments.get("x"), TensorArgument) and x.dtype == "int32"
    ]
    assert launch.count == 2
    x = launch.arguments["x"]
    assert isinstance(x, TensorArgument)
    assert x.data == tuple(range(8))


def test_what_was_made_up_is_said(capture: Capture) -> None:
    text = "\n".join(capture.notes)
    assert "a scalar read from the GPU" in text
    assert "a comparison of GPU tensors" in text
    assert "library call, not inspected: cuBLASLt matmul (1 x)" in text


def test_a_failure_carries_the_compilers_own_words(tmp_path: Path) -> None:
    script = ADD + "from triton.experimental import gluon\nfrom triton.experimental.gluon import language as gl\n"
    script += """
@gluon.jit
def copy(x, layout: gl.constexpr):
    gl.store(x + gl.arange(0, 256, layout), 1.0)

copy[(1,)](torch.ones(256, device="cuda"), gl.BlockedLayout([1], [64], [4], [0]))
"""
    capture = record(write(tmp_path, script), "cuda:90")
    assert "threadsPerWarp" in capture.kernels[0].error or "threads" in capture.kernels[0].error


def test_a_cuda_build_of_torch_is_not_asked_for_a_driver(tmp_path: Path) -> None:
    script = (
        ADD
        + """
import torch._subclasses.fake_tensor as fakes
assert fakes.init_gpu_context.__module__.startswith("gluon_inspect"), "torch would make a real tensor"
x = torch.ones(8, device="cuda")
add[(1,)](x, x, x, 8)
"""
    )
    assert record(write(tmp_path, script), "cuda:90").error is None
