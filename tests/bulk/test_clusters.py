"""Bytes that conversions and reductions read from other CTAs; the loads are those of Triton 3.9's PTX."""

import pytest

from gluon_inspect.ir.text import parse_module
from gluon_inspect.model.access import Space
from gluon_inspect.model.artifact import Capture, CompiledKernel, Launch
from gluon_inspect.pipeline import inspect
from gluon_inspect.traffic.cluster import cluster_accesses

RUNS = 10
THREADS = 128


def module(ctas, body, *, cga, other="[]"):
    layout = "sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]"
    return f"""
#blocked = #ttg.blocked<{{{layout}, CGALayout = {cga}}}>
#other = #ttg.blocked<{{{layout}, CGALayout = {other}}}>
module attributes {{"ttg.num-ctas" = {ctas} : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90",
  "ttg.threads-per-warp" = 32 : i32}} {{
  tt.func public @kernel(%x: tensor<{512 * ctas}xf32, #blocked>) {{
{body}
    tt.return
  }}
}}
"""


REDUCE = """
    %sum = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<SIZExf32, #blocked>) -> f32
"""


@pytest.mark.parametrize(
    ("ctas", "cga"), [(2, "[[1]]"), (4, "[[1], [2]]"), (8, "[[1], [2], [4]]"), (16, "[[1], [2], [4], [8]]")]
)
def test_a_reduction_reads_the_partial_results_of_all_ctas(ctas, cga):
    text = module(ctas, REDUCE.replace("SIZE", str(512 * ctas)), cga=cga)
    (found,) = cluster_accesses(parse_module(text), lambda _: RUNS, (3, 9))
    # one load a lane in each CTA, from any of the CTAs alike
    assert found.bytes_requested == RUNS * ctas * THREADS * 4 * (ctas - 1) // ctas
    assert cluster_accesses(parse_module(text), lambda _: None, (3, 9))[0].bytes_requested is None


def test_a_reduction_within_ctas_crosses_nothing():
    text = module(1, REDUCE.replace("SIZE", "512"), cga="[]")
    assert cluster_accesses(parse_module(text), lambda _: RUNS, (3, 9)) == ()


def test_a_conversion_that_gives_every_cta_all_elements():
    body = "    %y = ttg.convert_layout %x : tensor<1024xf32, #blocked> -> tensor<1024xf32, #other>"
    text = module(2, body, cga="[[1]]", other="[[0]]")
    (found,) = cluster_accesses(parse_module(text), lambda _: RUNS, (3, 9))
    # each CTA loads all 1,024 elements, half of them from the other
    assert found.bytes_requested == RUNS * 2 * 1024 * 4 // 2


def test_it_stands_in_the_report():
    text = module(2, REDUCE.replace("SIZE", "1024"), cga="[[1]]")
    kernel = CompiledKernel("kernel", "cuda:90", "3.9.0", {"ttgir": text}, launches=(Launch("0", 1, (3, 1, 1)),))
    report = inspect(Capture("test", (kernel,))).kernels[0]
    (access,) = [each for each in report.accesses if each.space is Space.CLUSTER]
    assert access.bytes_requested == 3 * 2 * THREADS * 4 // 2
    (table,) = [each for each in report.tables if each.key == "clusters"]
    assert table.rows == (("tt.reduce", "loads from another CTA's shared memory", 3, access.bytes_requested),)


@pytest.mark.parametrize(
    ("values", "buffer", "crossing"),
    [
        # both CTAs hold all values and store each to where it belongs: half of them to the other
        ("[[0]]", "[[1]]", 2 * 512 * 4 // 2),
        ("[[1]]", "[[1]]", 0),
        # each CTA has a copy of the buffer, and stores into its own
        ("[[0]]", "[[0]]", 0),
    ],
)
def test_asynchronous_stores_that_reach_another_cta(values, buffer, crossing):
    size = 512 if values == "[[0]]" else 1024
    shared = f"#ttg.swizzled_shared<{{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = {buffer}}}>"
    memory, barrier = (
        f"!ttg.memdesc<{n}, {shared}, #ttg.shared_memory, mutable>" for n in (f"{size}xf32", "2xi64")
    )
    body = f"""
    %to = ttg.local_alloc : () -> {memory}
    %bar = ttg.local_alloc : () -> {barrier}
    ttng.async_shared_store %x, %to, %bar : tensor<{size}xf32, #blocked> -> {memory}, {barrier}"""
    text = module(2, body, cga=values).replace("%x: tensor<1024xf32", f"%x: tensor<{size}xf32")
    found = cluster_accesses(parse_module(text), lambda _: RUNS, (3, 9))
    assert [(each.direction, each.bytes_requested) for each in found] == (
        [("store", RUNS * crossing)] if crossing else []
    )
