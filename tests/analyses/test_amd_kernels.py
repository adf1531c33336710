"""AMD kernels of our own, compiled without a card: instructions by line, LDS, buffer operations, trust."""

import re

import pytest

pytest.importorskip("triton")

from triton.experimental.gluon import language as gl

from gluon_inspect import targets
from gluon_inspect.model.access import Space
from gluon_inspect.model.artifact import Capture
from gluon_inspect.model.report import Report
from gluon_inspect.pipeline import inspect
from gluon_inspect.report.json import render as as_json
from gluon_inspect.targets.lds import lds_rule
from tests.data.amd import kernels

PLAIN = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
SWIZZLED = gl.SwizzledSharedLayout(4, 1, 16, [1, 0])


def report(name, gfx, values=None, **constants):
    kernel = kernels.compiled(name, gfx, values or {}, **constants)
    return inspect(Capture("test", (kernel,)), programs=0).kernels[0]


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRITON_CACHE_DIR", str(tmp_path_factory.mktemp("triton")))
        yield


@pytest.fixture(scope="module", params=sorted(kernels.WARP_SIZES))
def products(request):
    return report("product", request.param, {"K": 256}, BLOCK=64, STAGES=2)


@pytest.fixture(scope="module", params=sorted(kernels.WARP_SIZES))
def transposes(request):
    return report("transposed", request.param, LANES=kernels.WARP_SIZES[request.param], shared=PLAIN)


@pytest.fixture(scope="module")
def scaled():
    return report("scaled_gemm", "gfx950", {"K": 1024}, scales_layout=kernels.REDUNDANT)


def rows(found, key):
    return [row for table in found.tables if table.key == key for row in table.rows]


def is_reconciled(found):
    verdicts = {row[-1] for row in rows(found, "lines_reconciled")}
    return verdicts and not verdicts & {
        "no such instruction",
        "the width is not predicted",
        "more bytes than predicted",
    }


def test_every_operation_of_a_gemm_has_its_instructions(products):
    assert is_reconciled(products)
    assert not products.coverage.not_understood
    assert not products.problems
    assert any(name.startswith(("v_mfma", "v_wmma")) for name in products.instructions_static)


def test_every_operation_of_a_transpose_has_its_instructions(transposes):
    assert is_reconciled(transposes)
    assert [row[2] for row in rows(transposes, "buffer_operations")] == ["yes", "yes"]


def test_nothing_reads_as_validated(products, transposes, scaled):
    for found in (products, transposes, scaled):
        assert '"validated"' not in as_json(Report((found,)))
        assert all(each.model != "validated" for each in (*found.accesses, *found.conversions, *found.findings))


def test_columns_of_an_unswizzled_tile_conflict_once_a_lane_of_the_group(transposes):
    target = targets.find(transposes.kernel.target)
    (load,) = [each for each in transposes.accesses if each.space is Space.SHARED and each.direction == "load"]
    assert load.wavefronts == load.requests * target.warp_size
    banks = lds_rule(target, 32).banks
    assert load.wavefronts_ideal == load.requests * max(target.warp_size // banks, 1)
    (finding,) = [each for each in transposes.findings if each.rule == "GI201"]
    assert finding.message.startswith(f"{min(banks, target.warp_size)}-way bank conflict")
    assert "free of conflicts" in finding.help


@pytest.mark.parametrize(("gfx", "ways"), [("gfx942", 4), ("gfx950", 4)])
def test_a_swizzle_of_sixteen_phases_leaves_four_ways(gfx, ways):
    found = report("transposed", gfx, LANES=64, shared=SWIZZLED)
    store, load = [each for each in found.accesses if each.space is Space.SHARED]
    assert store.wavefronts == store.wavefronts_ideal
    assert load.wavefronts == ways * load.wavefronts_ideal


def test_a_load_says_why_it_is_no_buffer_operation():
    found = report("product", "gfx942", {"K": 256}, BLOCK=64, STAGES=1)
    loads = [row for row in rows(found, "buffer_operations") if row[2] == "no"]
    assert loads
    unknown = "is not known to span less than 2 GB (no tt.pointer_range)"
    assert {row[3] for row in loads} == {f"{name} {unknown}" for name in ("left", "right", "result")}


def test_transposed_reads_of_cdna4_as_the_assembly_has_them():
    found = report("product", "gfx950", {"K": 256}, BLOCK=64, STAGES=1)
    names = {row[5]: row[3] for row in rows(found, "lines_reconciled") if row[1] == "shared load"}
    assert names == {"ds_read_b128": "4 x 128", "ds_read_b64_tr_b16": "8 x 64"}
    assert is_reconciled(found)


def test_redundant_scales_are_diagnosed_with_the_layout_without_copies(scaled):
    found = [each for each in scaled.findings if each.rule == "GI301" and each.evidence["lane_copies"] > 1]
    assert len(found) == 2
    for finding in found:
        assert finding.severity == "warning"
        assert "held in 4 lanes" in finding.message
        assert finding.evidence["suggestion"] == "BlockedLayout([1, 4], [32, 2], [4, 1], [1, 0])"


def test_the_proposed_scales_layout_has_no_copies():
    better = gl.BlockedLayout([1, 4], [32, 2], [4, 1], [1, 0])
    found = report("scaled_gemm", "gfx950", {"K": 1024}, scales_layout=better)
    assert all(each.evidence["lane_copies"] == 1 for each in found.findings if each.rule == "GI301")
    assert is_reconciled(found)


@pytest.mark.parametrize("gfx", ["gfx942", "gfx950"])
def test_a_naive_and_a_pipelined_gemm_in_order_with_their_reasons(gfx):
    naive, pipelined = (report("product", gfx, {"K": 256}, BLOCK=64, STAGES=stages) for stages in (1, 2))
    first, second = (next(f for f in found.findings if f.rule == "GI501") for found in (naive, pipelined))
    assert first.evidence["matrix_cycles"] == second.evidence["matrix_cycles"]
    assert first.evidence["share"] < second.evidence["share"]
    assert "cycles for loads from memory" in first.message
    assert "LDS instructions" in first.message
    assert second.evidence["memory_wait_cycles"] < first.evidence["memory_wait_cycles"] / 2
    assert "are address and other arithmetic" in second.message
    assert {first.model, second.model} == {"unvalidated"}


def test_what_is_said_of_an_amd_kernel_is_said_in_amds_words(products):
    told = [text for each in products.findings for text in (each.message, each.help)]
    told += [metric.title for metric in products.metrics] + [table.title for table in products.tables]
    told += [column.title for table in products.tables for column in table.columns]
    assert told
    for text in told:
        assert not re.search(r"(?<![\w.])(?:[Ww]arps?|CTAs?|SMs?|[Ww]avefronts?|[Ss]hared memory)(?!\w)", text), (
            text
        )


def test_the_split_of_registers_and_the_scalar_limit_are_told():
    found = report("product", "gfx942", {"K": 256}, BLOCK=64, STAGES=2)
    metrics = {metric.key: metric.value for metric in found.metrics}
    held = found.registers.amd
    assert metrics["register_files"] == f"{held.vector} VGPRs, {held.accumulation} AGPRs, {held.scalar} SGPRs"
    assert found.occupancy.limits["scalar_registers"] >= found.occupancy.ctas_per_sm
