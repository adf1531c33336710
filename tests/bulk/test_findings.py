"""Findings on barriers, asynchronous MMAs, partitions and clusters, each with a variant that is fine."""

import pytest

from gluon_inspect.model.artifact import Capture, CompiledKernel, Launch
from gluon_inspect.pipeline import inspect
from tests.bulk.samples import load, module

ACC = "!ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>"
TILE = "!ttg.memdesc<128x128xf16, #shared, #smem, mutable>"
BAR = "!ttg.memdesc<1xi64, #bar, #smem, mutable>"


def report(text):
    kernel = CompiledKernel("kernel", "cuda:100", "3.9.0", {"ttgir": text}, launches=(Launch("0", 1, (1, 1, 1)),))
    return inspect(Capture("test", (kernel,))).kernels[0]


def rules(text):
    return {finding.rule for finding in report(text).findings}


@pytest.mark.parametrize(("size", "words"), [(32768, "never ends"), (8192, "before the data")])
def test_a_barrier_that_expects_other_bytes_than_arrive(size, words):
    (finding,) = [each for each in report(load(size)).findings if each.rule == "GI502"]
    assert finding.severity == "error"
    assert words in finding.message
    assert finding.evidence["copied_bytes"] == 16384


def test_a_barrier_that_expects_what_arrives():
    assert "GI502" not in rules(load(16384))


def test_a_copy_under_another_predicate_is_left_undecided():
    text = load(1).replace("%tile, %bar, %true", "%tile, %bar, %p").replace("%n: i32", "%n: i32, %p: i1")
    assert "GI502" not in rules(text)


def loop(middle):
    return module(f"""
    %true = arith.constant true
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %a = ttg.local_alloc : () -> {TILE}
    %bar = ttg.local_alloc : () -> {BAR}
    %acc = ttng.tmem_alloc : () -> {ACC}
    scf.for %i = %c0 to %n step %c1 : i32 {{
      %t = ttng.tc_gen5_mma %a, %a, %acc[], %true, %true : {TILE}, {TILE}, {ACC}
      ttng.tc_gen5_commit %bar, %true : {BAR}
{middle}
      ttng.wait_barrier %bar, %c0, %true : {BAR}
    }}
""")


def test_an_mma_that_is_waited_on_at_once():
    assert "GI503" in rules(loop(""))


def test_an_mma_beside_which_something_runs():
    assert "GI503" not in rules(loop(f"      %v = ttng.tmem_load %acc : {ACC} -> tensor<128x128xf32, #rows>"))


def test_an_mma_that_drains_the_pipeline_of_a_loop_inside():
    inner = f"""
      scf.for %j = %c0 to %n step %c1 : i32 {{
        %u = ttng.tc_gen5_mma %a, %a, %acc[], %true, %true : {TILE}, {TILE}, {ACC}
      }}
"""
    text = loop("")
    place = text.index("      %t = ttng.tc_gen5_mma")
    assert "GI503" not in rules(text[:place] + inner + text[place:])
    empty = inner.replace(inner.splitlines()[2], "")
    assert "GI503" in rules(text[:place] + empty + text[place:])


def attended(num, *, needed):
    """A loop that loads, has `num` copies left under way, multiplies and waits; then the result is read."""
    read = f"      %v = ttng.tmem_load %acc : {ACC} -> tensor<128x128xf32, #rows>\n" if needed else ""
    text = loop("").replace("%n: i32", "%n: i32, %p: !tt.ptr<f32>")
    place, end = text.index("      %t = ttng.tc_gen5_mma"), text.index("    }\n", text.index("ttng.wait_barrier"))
    before = f"      %l = tt.load %p : !tt.ptr<f32>\n      ttg.async_wait {{num = {num} : i32}}\n"
    return text[:place] + before + text[place:end] + read + text[end:]


@pytest.mark.parametrize(
    ("num", "needed", "severity"),
    [(0, True, "warning"), (0, False, "warning"), (1, False, "note"), (1, True, None)],
)
def test_an_mma_whose_result_is_needed_while_the_next_copies_are_under_way(num, needed, severity):
    found = [f.severity.value for f in report(attended(num, needed=needed)).findings if f.rule == "GI503"]
    assert found == ([severity] if severity else [])


def specialised(warps, registers):
    return module(f"""
    ttg.warp_specialize() attributes {{requestedRegisters = array<i32: {registers}, 24>}}
    default {{
      ttg.warp_yield
    }}
    partition0() num_warps({warps}) {{
      ttg.warp_return
    }}
    partition1() num_warps(1) {{
      ttg.warp_return
    }} : () -> ()
""")


def test_registers_of_partitions():
    found = report(specialised(1, 24))
    # eight warps: 256 a thread; what the workers leave goes to the default partition, 256 being the most
    assert [(p.warps, p.per_thread) for p in found.registers.partitions] == [(4, 256), (1, 24), (1, 24)]
    table = next(each for each in found.tables if each.key == "partitions")
    assert [row[0] for row in table.rows] == ["default", "partition0", "partition1"]
    assert "GI305" not in {finding.rule for finding in found.findings}


def test_registers_are_rounded_up_and_the_rest_goes_to_the_default_partition():
    found = report(specialised(4, 100))
    # twelve warps: 168 a thread; 168 * 3 - 104 - 24 groups' worth is left
    assert [p.per_thread for p in found.registers.partitions] == [256, 104, 24]


def test_a_request_that_does_not_fit():
    assert "GI305" in rules(specialised(8, 256))


def test_a_cluster_that_reads_a_box_twice():
    text = load().replace("elementBitWidth = 16}>\n#plain", "elementBitWidth = 16, CGALayout = [[0, 0]]}>\n#plain")
    text = text.replace("order = [0]}>", "order = [0], CGALayout = [[1]]}>").replace(
        'num-ctas" = 1', 'num-ctas" = 2'
    )
    assert "GI106" in rules(text)
    assert "GI106" not in rules(text.replace("%bar, %true :", "%bar, %true {multicast} :"))


def test_what_has_no_model_is_listed_by_name():
    body = "    %old = tt.atomic_load acquire, gpu, %flag : (!tt.ptr<i32>) -> i32"
    assert report(module(body, "%flag: !tt.ptr<i32>")).coverage.unmodelled == {"tt.atomic_load": 1}
    assert not report(load()).coverage.unmodelled


def test_scalars_of_a_partition_are_loaded_by_its_warps():
    load = "      %v = tt.load %from : !tt.ptr<i32>\n"
    text = (
        specialised(2, 24)
        .replace("%n: i32", "%n: i32, %p: !tt.ptr<i32>")
        .replace("warp_specialize()", "warp_specialize(%p)")
    )
    for name, warps in (("partition0", 2), ("partition1", 1)):
        text = text.replace(
            f"{name}() num_warps({warps}) {{\n", f"{name}(%from: !tt.ptr<i32>) num_warps({warps}) {{\n{load}"
        )
    text = text.replace(": () -> ()", ": (!tt.ptr<i32>) -> ()").replace(
        "default {\n", f"default {{\n{load.replace('%from', '%p')}"
    )
    assert [access.requests for access in report(text).accesses] == [4, 2, 1]
