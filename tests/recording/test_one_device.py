"""One device under every API, by a script that asks what scripts ask a GPU."""

from __future__ import annotations

from pathlib import Path

import pytest

from gluon_inspect.recording.record import record
from tests.recording.scripts import ADD, write

QUESTIONS = (
    ADD
    + """
import io
cuda, accelerator = torch.cuda, torch.accelerator
x = torch.ones(1024, device="cuda")
add[(4,)](x, x, x, 1024)

assert accelerator.is_available() and accelerator.current_accelerator().type == "cuda"
assert accelerator.device_count() == 1 and accelerator.current_device_index() == 0
accelerator.synchronize()

facts = cuda.get_device_properties(0)
assert facts.name == cuda.get_device_name() == "NVIDIA H200 SXM"
assert facts.total_memory == 141 << 30 and facts.memory_clock_rate > 1e6
assert not hasattr(facts, "nope")
assert abs(triton.testing.get_dram_gbps() - 4800) < 1

before = cuda.memory_allocated()
big = torch.empty(1 << 20, device="cuda")
assert cuda.memory_allocated() - before == 4 << 20
del big
assert cuda.memory_allocated() == before and cuda.max_memory_allocated() >= before + (4 << 20)
cuda.reset_peak_memory_stats()
assert cuda.max_memory_allocated() == before == accelerator.memory_allocated()
assert cuda.memory_stats()["allocated_bytes.all.peak"] == before
assert "Allocated memory" in cuda.memory_summary()
free, total = cuda.mem_get_info()
assert total - free == before
cuda.memory._record_memory_history(), cuda.set_per_process_memory_fraction(0.5), cuda.MemPool(), cuda.empty_cache()
assert cuda.cudart().cudaProfilerStart() == 0

state = cuda.get_rng_state()
assert state.numel() == 16 and cuda.default_generators[0].get_state().view(torch.int64).numel() == 2
cuda.manual_seed(5)
assert cuda.initial_seed() == 5 and not torch.equal(cuda.get_rng_state(), state)
cuda.set_rng_state(state)
assert torch.equal(cuda.get_rng_state(), state)
generator = torch.Generator(device="cuda")
generator.manual_seed(3).set_offset(8)
assert generator.get_state().view(torch.int64).tolist() == [3, 8] and generator.device.type == "cuda"
assert torch.Generator().device.type == "cpu" and isinstance(torch.default_generator, torch.Generator)

stream = torch.Stream(device="cuda")
assert stream.query() and not cuda.current_stream().is_capturing()
layer = torch.nn.Linear(8, 8).cuda()
called = cuda.make_graphed_callables(layer, (torch.ones(2, 8, device="cuda"),))
assert called(torch.ones(2, 8, device="cuda")).shape == (2, 8)
torch.optim.AdamW(layer.parameters()).step()

file = io.BytesIO()
torch.save({"x": torch.arange(4, device="cuda"), "layer": layer.state_dict()}, file)
file.seek(0)
assert torch.load(file)["x"].device.type == "cuda"
file.seek(0)
assert torch.load(file, map_location="cpu")["x"].tolist() == [0, 1, 2, 3]

both = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
with torch.profiler.profile(activities=both):
    add[(4,)](x, x, x, 1024)
"""
)

MODES = (
    ADD
    + """
from torch.fx.experimental.proxy_tensor import make_fx
from torch.func import grad, hessian, jacrev, jvp, vmap
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode
x = torch.ones(8, 4, device="cuda")
add[(1,)](x, x, x.clone(), 8)

code = make_fx(lambda a: torch.addmm(a, a, a))(torch.ones(8, 8, device="cuda")).code
assert "addmm.default(a_1, a_1, a_1)" in code and code.count("torch.ops") == 1

class Heard(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        heard.append(str(func))
        return func(*args, **(kwargs or {}))

class Called(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        heard.append(func.__name__)
        return func(*args, **(kwargs or {}))

heard = []
with Heard():
    assert torch.sum(x).item() == 32
assert heard == ["aten.sum.default", "aten._local_scalar_dense.default"], heard
heard = []
with Called():
    assert torch.sum(x).item() == 32
assert heard == ["sum", "item"], heard
with FlopCounterMode(display=False) as counter:
    x @ x.t()
assert counter.get_total_flops() == 2 * 8 * 8 * 4

with FakeTensorMode() as fake:
    assert type(torch.ones(3, device="cuda") + 1).__name__ == "FakeTensor"
    assert (fake.from_tensor(x) @ fake.from_tensor(x).t()).shape == (8, 8)

assert vmap(lambda a: (a * 2).sum())(x).tolist() == [8.0] * 8
assert vmap(lambda a: a + a.new_zeros(4))(x).shape == (8, 4)
assert grad(lambda a: (a ** 2).sum())(x).tolist() == [[2.0] * 4] * 8
assert vmap(grad(lambda a: (a ** 2).sum()))(x).shape == (8, 4)
assert jvp(lambda a: a.sin(), (x,), (x,))[1].shape == (8, 4)
assert jacrev(lambda a: a * 3)(x[0]).tolist() == (torch.eye(4) * 3).tolist()
assert hessian(lambda a: (a ** 3).sum())(x[0]).tolist() == (torch.eye(4) * 6).tolist()

torch.set_default_device("cuda")
assert "device='cuda:0'" in repr(torch.ones(4)) and torch.ones(4).sum().item() == 4
torch.set_default_device("cpu")

from torch.nn.attention.flex_attention import create_block_mask, flex_attention
mask = create_block_mask(lambda b, h, i, j: i >= j, None, None, 256, 256, device="cuda")
assert mask.shape == (1, 1, 256, 256) and mask.kv_num_blocks.tolist() == [[[1, 1]]]
q = torch.randn(1, 2, 256, 64, device="cuda", dtype=torch.bfloat16)
assert flex_attention(q, q, q, block_mask=mask).shape == q.shape
"""
)

CPU_TENSORS = (
    ADD
    + """
x, y = torch.ones(1024), torch.ones(1024, device="cuda")
pinned = torch.ones(1024, pin_memory=True)
assert pinned.is_pinned() and not x.is_pinned() and x.pin_memory().is_pinned()
add[(4,)](pinned, pinned, y, 1024)
add[(4,)](torch.ones(0), y, y, 0)
add[(4,)](y, torch.ones(1024), y, 1024)
"""
)


@pytest.mark.parametrize("script", [QUESTIONS, MODES], ids=["questions", "modes"])
def test_scripts_go_on_as_on_a_gpu(tmp_path: Path, script: str) -> None:
    capture = record(write(tmp_path, script), "cuda:90")
    assert capture.error is None, capture.error.traceback


def test_a_tensor_of_the_cpu_is_refused_in_tritons_words(tmp_path: Path) -> None:
    capture = record(write(tmp_path, CPU_TENSORS), "cuda:90")
    assert capture.error is not None
    assert capture.error.message.startswith("ValueError: Pointer argument (at 1) cannot be accessed from Triton")
    assert sum(launch.count for kernel in capture.kernels for launch in kernel.launches) == 2
