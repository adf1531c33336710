import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gluon_inspect import targets
from gluon_inspect.facts.occupancy import allocated_registers, occupancy, unified_registers

TRUTH = Path(__file__).parents[3] / "shared" / "truth"
H200 = targets.find("cuda:90")


def truth_cases():
    for name in ("h200.json.gz", "h200b.json.gz"):
        with gzip.open(TRUTH / name) as file:
            yield from json.load(file)["cases"]


@pytest.mark.skipif(not TRUTH.is_dir(), reason="the recorded launches (../shared/truth) are not here")
def test_limits_equal_the_counters_of_every_launch():
    wrong, launches = [], 0
    for case in truth_cases():
        launches += 1
        counters = case["counters"]
        found = occupancy(H200, case["n_regs"], case["shared"], case["num_warps"])
        expected = {
            "registers": counters["occupancy_limit_registers"],
            "warps": counters["occupancy_limit_warps"],
            "blocks": counters["occupancy_limit_blocks"],
            "shared": counters["occupancy_limit_shared_mem"],
        }
        if found.limits != expected or found.ctas_per_sm != min(expected.values()):
            wrong.append((case["name"], expected, found))
    assert launches == 220
    assert not wrong


def test_the_limiting_resource_is_named():
    assert occupancy(H200, 168, 0, 4).limited_by == ("registers",)
    assert occupancy(H200, 32, 100_000, 4).limited_by == ("shared",)
    assert occupancy(H200, 32, 0, 4).limited_by == ("registers", "warps")
    assert occupancy(H200, 16, 0, 1).limited_by == ("blocks", "shared")


def test_a_cta_that_does_not_fit_has_no_occupancy():
    found = occupancy(H200, 255, 300_000, 32)
    assert found.ctas_per_sm == 0
    assert set(found.limited_by) == {"shared", "registers"}


@given(
    target=st.sampled_from(targets.ALL),
    registers=st.integers(0, 255),
    shared=st.integers(0, 64 * 1024),
    warps=st.sampled_from((1, 2, 4, 8, 16)),
)
def test_more_of_anything_never_raises_occupancy(target, registers, shared, warps):
    here = occupancy(target, registers, shared, warps)
    assert occupancy(target, registers + 8, shared, warps).ctas_per_sm <= here.ctas_per_sm
    assert occupancy(target, registers, shared + 512, warps).ctas_per_sm <= here.ctas_per_sm
    assert 0 <= here.fraction <= 1


@given(registers=st.integers(16, 255), shared=st.integers(0, 227 * 1024), warps=st.sampled_from((1, 2, 4, 8, 16)))
def test_the_split_of_the_l1_never_costs_a_cta(registers, shared, warps):
    whole = replace(H200, shared_configurations_bytes=())
    assert (
        occupancy(H200, registers, shared, warps).ctas_per_sm
        == occupancy(whole, registers, shared, warps).ctas_per_sm
    )


@pytest.mark.parametrize(
    ("target", "vgprs", "waves_per_simd"),
    # LLVM prints "; Occupancy:" for these register counts.
    [
        ("gfx942", 64, 8), ("gfx942", 65, 7), ("gfx942", 128, 4), ("gfx942", 129, 3), ("gfx942", 512, 1),
        ("gfx950", 168, 3), ("gfx1100", 96, 16), ("gfx1100", 97, 12), ("gfx1100", 256, 5),
        ("gfx1250", 64, 16), ("gfx1250", 65, 12), ("gfx1250", 1024, 1),
    ],
)  # fmt: skip
def test_amd_waves_per_simd(target, vgprs, waves_per_simd):
    found = targets.find(target)
    assert occupancy(found, vgprs, 0, 4).warps // found.simds_per_sm == waves_per_simd


def test_accumulation_registers_share_the_file():
    assert unified_registers(targets.find("gfx942"), 61, 32) == 96
    assert unified_registers(targets.find("gfx942"), 61, 0) == 61
    assert unified_registers(targets.find("gfx1100"), 61, 32) == 61


def test_small_kernels_get_the_minimum():
    assert allocated_registers(H200, 8) == 16
    assert allocated_registers(H200, 26) == 32
    assert allocated_registers(targets.find("gfx1100"), 25) == 48
