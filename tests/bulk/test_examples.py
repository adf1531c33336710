"""The project's own TMA, WGMMA and tcgen05 examples: the bad variant has its finding, the good one none."""

from pathlib import Path

import pytest

from gluon_inspect import inspect
from gluon_inspect.model.access import Space

EXAMPLES = Path(__file__).parents[2] / "examples"
RULES = frozenset({"GI201", "GI502", "GI503", "GI504"})


def rules(kernel):
    return {each.rule for each in kernel.findings} & RULES


@pytest.fixture(scope="module")
def tma():
    return inspect(EXAMPLES / "tma_copy.py", target="cuda:90").kernels


@pytest.fixture(scope="module")
def wgmma():
    return inspect(EXAMPLES / "wgmma_matmul.py", target="cuda:90").kernels


@pytest.fixture(scope="module")
def tcgen05():
    return inspect(EXAMPLES / "blackwell" / "tcgen05_matmul.py", target="cuda:100").kernels


def test_a_tile_without_a_swizzle_conflicts(tma):
    assert [rules(kernel) for kernel in tma] == [set(), {"GI201"}]
    for kernel in tma:
        copied = [each for each in kernel.accesses if each.op == "ttng.async_tma_copy_global_to_local"]
        assert [each.bytes_requested for each in copied] == [1024 * 1024 * 4] * 2
        assert not kernel.coverage.unmodelled


def test_a_wgmma_that_is_waited_on_at_once(wgmma):
    assert [rules(kernel) for kernel in wgmma] == [set(), {"GI503"}]
    read = next(each for each in wgmma[0].accesses if each.op == "ttng.warp_group_dot")
    # 16 x 8 tiles, 8 steps along K: A and B in halves
    assert read.executions == 16 * 8 * 8
    assert read.bytes_requested == 16 * 8 * 8 * (64 * 64 + 64 * 128) * 2


def test_a_pipeline_of_partitions(tcgen05):
    assert [rules(kernel) for kernel in tcgen05] == [set(), {"GI503"}, {"GI504"}]
    tables = [{each.key: each for each in kernel.tables} for kernel in tcgen05]
    assert [row[1:3] for row in tables[0]["channels"].rows].count(("barrier", 3)) == 2
    assert [row[0] for row in tables[0]["partitions"].rows] == ["default", "partition0", "partition1"]
    mma = [each for each in tcgen05[0].accesses if each.op == "ttng.tc_gen5_mma" and each.space is Space.SHARED]
    # 8 x 8 tiles, 8 steps along K, each of 4 instructions of 32 bytes along K
    assert [(each.executions, each.transactions) for each in mma] == [(512, 2048)]


def test_a_cta_has_the_warps_of_its_partitions(tcgen05):
    # 4 warps of its own, and one group of 4 that holds the two partitions of 1
    assert [kernel.total_warps for kernel in tcgen05] == [8, 8, 8]
    for kernel in tcgen05:
        assert kernel.occupancy.warps == 8 * kernel.occupancy.ctas_per_sm
