"""torch.compile inside a recorded script: Inductor's kernels, or why they are not there."""

from __future__ import annotations

import pytest

from gluon_inspect.model.artifact import Capture, TensorArgument
from gluon_inspect.recording.record import record
from tests.recording.scripts import ADD, write

SCRIPT = (
    ADD
    + """
@torch.compile
def inner(x):
    return x * 2

@torch.compile(fullgraph=True)
def outer(x):
    return torch.relu(inner(x) + 1), (x * 3).sum(1)

class Bias(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.bias = torch.nn.Parameter(torch.ones(48))

    def forward(self, x):
        return x + self.bias if self.training else x

@torch.compile
def branches(x):
    return x if x.sum() > 0 else -x

@torch.compile
def launches(x):
    y = torch.empty_like(x)
    add[(1,)](x, x, y, x.numel())
    return torch.relu(y) + 1

x = torch.ones(64, 48, device="cuda").t()
assert outer(x)[0].tolist() == [[3.0] * 64] * 48
outer(x)
model = Bias().cuda()
compiled = torch.compile(model, mode="max-autotune")
compiled(x.t()).sum().backward()
assert model.bias.grad.tolist() == [64.0] * 48
assert compiled.eval()(x.t()).sum().item() == 64 * 48
branches(x)
branches(x)
launches(torch.ones(8, device="cuda"))

from torch.nn.attention.flex_attention import flex_attention
bias = torch.ones(2, device="cuda")

@torch.compile
def attention(q):
    return flex_attention(q, q, q, score_mod=lambda score, b, head, i, j: score + bias[head])

attention(torch.ones(1, 2, 128, 64, device="cuda", dtype=torch.float16))
assert torch.compile(lambda t: t * 2, backend="eager")(torch.ones(2, device="cuda")).tolist() == [2, 2]
assert torch.compile(lambda t: t + 1)(torch.ones(1)).item() == 2
"""
)


@pytest.fixture(scope="module")
def capture(tmp_path_factory: pytest.TempPathFactory) -> Capture:
    capture = record(write(tmp_path_factory.mktemp("compiled"), SCRIPT), "cuda:90")
    assert capture.error is None, capture.error.traceback
    return capture


def test_kernels_are_inductors_with_the_scripts_shapes_and_strides(capture: Capture) -> None:
    launched = [kernel for kernel in capture.kernels if "original_operations" in kernel.metadata]
    assert all(kernel.launches for kernel in launched)
    of = {kernel.metadata["original_operations"]: kernel for kernel in launched}
    assert set(of) > {"aten.mul, aten.add, aten.relu, aten.sum", "aten.add"}
    launch = of["aten.mul, aten.add, aten.relu, aten.sum"].launches[0]
    source = launch.arguments["in_ptr0"]
    assert isinstance(source, TensorArgument)
    assert (source.shape, source.strides) == ((48, 64), (1, 48))
    assert launch.count == 2


def test_each_function_is_told(capture: Capture) -> None:
    notes = [note for note in capture.notes if note.startswith("torch.compile")]
    recorded = {note.split()[1] for note in notes if "the kernels are Inductor's" in note}
    assert recorded == {"outer", "Bias.forward", "launches", "attention"}
    eager = "\n".join(note for note in notes if "ran eagerly" in note)
    assert "branches ran eagerly (DataDependentOutputException" in eager
    assert "<lambda> ran eagerly (NotRecordedError: not all of its tensors are on the GPU" in eager


def test_a_kernel_that_the_function_launches_is_recorded_once(capture: Capture) -> None:
    (add,) = (kernel for kernel in capture.kernels if kernel.name == "add")
    assert [launch.count for launch in add.launches] == [1]


def test_attention_is_one_kernel(capture: Capture) -> None:
    (attention,) = (kernel for kernel in capture.kernels if kernel.name.startswith("triton_tem"))
    assert [launch.count for launch in attention.launches] == [1]
