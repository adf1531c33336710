"""A file of the kind that Inductor writes, small and of our own."""

from __future__ import annotations

from pathlib import Path

from gluon_inspect.model.artifact import TensorArgument
from gluon_inspect.recording.inductor import original_operations
from gluon_inspect.recording.record import record
from tests.recording.scripts import write

GENERATED = """
import torch
from torch._inductor.async_compile import AsyncCompile
from torch._C import _cuda_getCurrentRawStream as get_raw_stream
from torch._C._dynamo.guards import copy_if_misaligned
assert_size_stride = torch._C._dynamo.guards.assert_size_stride
empty_strided_cuda = torch._C._dynamo.guards._empty_strided_cuda
reinterpret_tensor = torch._C._dynamo.guards._reinterpret_tensor
async_compile = AsyncCompile()

# kernel path: nowhere
# Topologically Sorted Source Nodes: [y, total], Original ATen: [aten.mul, aten.sum]
# Source node to ATen node mapping:
#   y => mul
triton_poi_fused_mul_0 = async_compile.triton('triton_poi_fused_mul_0', '''
import triton
import triton.language as tl
from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.hints import DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 1024},
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'},
                 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9,
                                            regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048,
                                            max_threads_per_block=1024, warp_size=32),
                 'constants': {}, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'kernel_name': 'triton_poi_fused_mul_0', 'mutated_arg_names': [],
                   'backend_hash': '0', 'autotune_local_cache': False},
)
@triton.jit
def triton_poi_fused_mul_0(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    tl.store(out_ptr0 + xindex, tl.load(in_ptr0 + xindex, xmask) * 2, xmask)
''', device_str='cuda')
async_compile.wait(globals())

def call(args):
    arg0_1, = args
    assert_size_stride(arg0_1, (32, 32), (32, 1))
    with torch.cuda._DeviceGuard(0):
        torch.cuda.set_device(0)
        arg0_1 = copy_if_misaligned(arg0_1)
        buf0 = empty_strided_cuda((32, 32), (32, 1), torch.float32)
        stream0 = get_raw_stream(0)
        triton_poi_fused_mul_0.run(arg0_1, buf0, 1000, stream=stream0)
        return (reinterpret_tensor(buf0, (1024,), (1,), 0),)

def benchmark_compiled_module(times=10, repeat=10):
    from torch._dynamo.testing import rand_strided
    from torch._inductor.utils import print_performance
    arg0_1 = rand_strided((32, 32), (32, 1), device='cuda:0', dtype=torch.float32)
    return print_performance(lambda: call([arg0_1]), times=times, repeat=repeat)

if __name__ == "__main__":
    from torch._inductor.wrapper_benchmark import compiled_module_main
    compiled_module_main('None', benchmark_compiled_module)
"""


def test_a_generated_file_is_recorded_with_its_shapes_and_origin(tmp_path: Path) -> None:
    capture = record(write(tmp_path, GENERATED, "output_code.py"), "cuda:90")
    assert capture.error is None, capture.error.traceback
    launched = [kernel for kernel in capture.kernels if kernel.launches]
    assert {kernel.name for kernel in launched} == {"triton_poi_fused_mul_0"}
    launch = launched[0].launches[0]
    source = launch.arguments["in_ptr0"]
    assert isinstance(source, TensorArgument)
    assert (source.shape, source.strides) == ((32, 32), (32, 1))
    assert launch.arguments["xnumel"] == 1000
    assert launched[0].metadata["original_operations"] == "aten.mul, aten.sum for y, total"
    assert "triton_poi_fused_mul_0" in capture.sources[launched[0].source_file]


def test_origins_are_read_from_the_header_of_each_kernel() -> None:
    assert original_operations(GENERATED) == {"triton_poi_fused_mul_0": "aten.mul, aten.sum for y, total"}
    assert original_operations("x = 1") == {}


def test_where_the_header_names_none_its_graph_does() -> None:
    fragment = (
        "# Graph fragment:\n"
        '#   %a : Tensor "f32[8]" = PlaceHolder[target=a]\n'
        '#   %b : Tensor "f32[8]" = call_function[target=torch.ops.aten.mul.Tensor](args = (%a, 2), kwargs = {})\n'
        '#   %c : Tensor "f32[]" = call_function[target=torch.ops.aten.sum.default](args = (%b,), kwargs = {})\n'
    )
    nameless = GENERATED.replace("[y, total], Original ATen: [aten.mul, aten.sum]", "[], Original ATen: []")
    source = nameless.replace("# Source node to ATen node mapping:\n#   y => mul\n", fragment)
    assert original_operations(source) == {"triton_poi_fused_mul_0": "aten.mul, aten.sum"}
