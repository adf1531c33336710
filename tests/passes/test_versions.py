"""What a conversion needs is one answer for one version of Triton: in a report, in `passes`, in costs."""

import pytest

from gluon_inspect import targets
from gluon_inspect.layouts.gluon_syntax import read_layout
from gluon_inspect.layouts.lowering import linear_layout
from gluon_inspect.model.access import ConversionKind
from gluon_inspect.model.artifact import Capture, CompiledKernel, Launch
from gluon_inspect.model.dump import Level
from gluon_inspect.model.versions import version_of
from gluon_inspect.passes.contents import contents_of
from gluon_inspect.passes.states import State
from gluon_inspect.pipeline import inspect
from gluon_inspect.traffic.shared.endpoint_costs import lowering_seconds, reduction_cost
from gluon_inspect.traffic.shared.lowering import reduction_lowering

HOPPER = targets.find("cuda:90")
EXCHANGE = """
#a = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [16, 2], warpsPerCTA = [4, 1], order = [0, 1]}>
#b = #ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [16, 2], warpsPerCTA = [2, 2], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
  tt.func public @kernel(%x: tensor<16x32xf32, #a>) {
    %y = ttg.convert_layout %x : tensor<16x32xf32, #a> -> tensor<16x32xf32, #b>
    tt.return
  }
}
"""


@pytest.mark.parametrize(
    ("version", "kind"), [("3.6.0", ConversionKind.SHARED), ("3.7.0", ConversionKind.SHUFFLE), ("", "shuffle")]
)
def test_a_report_and_its_passes_say_the_same_of_a_conversion(version, kind):
    kernel = CompiledKernel(
        "kernel", "cuda:90", version, {"ttgir": EXCHANGE}, launches=(Launch("0", 1, (1, 1, 1)),)
    )
    (conversion,) = inspect(Capture("test", (kernel,))).kernels[0].conversions
    state = State(Level.TRITON_GPU, EXCHANGE, 0, len(EXCHANGE))
    seen = contents_of(state, HOPPER, kernel.version).conversions
    assert conversion.kind == kind
    assert seen == {kind: 1}


def test_a_capture_without_a_version_is_judged_by_its_columns():
    assert CompiledKernel("k", "cuda:90", stages={"ttgir": 'loc("k.py":1:0)'}).version == (3, 6)
    assert CompiledKernel("k", "cuda:90", dumps={"passes": 'loc("k.py":1:1)'}).version == (3, 9)


@pytest.mark.parametrize("version", ["3.6.0", "3.9.0"])
def test_a_reduction_is_costed_as_that_version_lowers_it(version):
    layout = linear_layout(read_layout("BlockedLayout([1, 1], [1, 32], [8, 1], [1, 0])"), (8, 32))
    number = version_of(version)
    lowering = reduction_lowering(layout, None, 0, [32], HOPPER, number)
    cost = reduction_cost(0, [32], 1, HOPPER, number)(layout)
    shuffles = 0  # no lanes along the axis
    assert lowering.steps
    assert cost == pytest.approx(lowering_seconds(HOPPER, lowering, 1) + shuffles)


def test_the_two_ways_to_reduce_cost_different_wavefronts():
    layout = linear_layout(read_layout("BlockedLayout([1, 1], [1, 32], [8, 1], [1, 0])"), (8, 32))
    costs = {reduction_cost(0, [32], 1, HOPPER, version)(layout) for version in ((3, 6), (3, 7))}
    assert len(costs) == 2
