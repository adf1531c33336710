"""Announced and copied bytes where the CTAs of a cluster share barriers, copies or announcements."""

# ruff: noqa: E501 (IR keeps its lines)

import pytest

from gluon_inspect.analyses.barrier_bytes.expectations import expectations
from gluon_inspect.ir.text import parse_mlir
from gluon_inspect.model.artifact import Capture, CompiledKernel, Launch
from gluon_inspect.pipeline import inspect

SPLIT, COPIED = "[[1, 0]]", "[[0, 0]]"
"""Each of two CTAs holds half of the tile's 64 rows, or all of them."""
OWN, PAIR = "[[1]]", "[[0]]"
"""A barrier a CTA, or one for both."""


def cluster(size, *, tile=COPIED, barrier=OWN, flag="", pred="%true", ctas=2, expect="", more=""):
    elements = 2 if barrier == OWN else 1
    bar, buffer = (
        f"!ttg.memdesc<{elements}xi64, #bar, #smem, mutable>",
        "!ttg.memdesc<64x128xf16, #shared, #smem, mutable>",
    )
    return f"""
#shared = #ttg.nvmma_shared<{{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = {tile}}}>
#bar = #ttg.swizzled_shared<{{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = {barrier}}}>
#smem = #ttg.shared_memory
module attributes {{"ttg.num-ctas" = {ctas} : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32}} {{
  tt.func public @kernel(%src: !tt.tensordesc<64x128xf16, #shared>, %p: i1) {{
    %true = arith.constant true
    %c0 = arith.constant 0 : i32
    %tile = ttg.local_alloc : () -> {buffer}
    %answer = ttg.local_alloc : () -> !ttg.memdesc<2xi64, #bar, #smem, mutable>
    %bar = ttg.local_alloc : () -> {bar}
    ttng.barrier_expect %bar, {size} {expect}, {pred} : {bar}
{more or f"    ttng.async_tma_copy_global_to_local %src[%c0, %c0] %tile, %bar, {pred} {flag} : !tt.tensordesc<64x128xf16, #shared>, {bar} -> {buffer}"}
    ttng.wait_barrier %bar, %c0, %true : {bar}
    tt.return
  }}
}}
"""


CONTROL = "    ttng.clc_try_cancel %answer, %bar : !ttg.memdesc<2xi64, #bar, #smem, mutable>, !ttg.memdesc<2xi64, #bar, #smem, mutable>"
CASES = {
    "each CTA copies its half to its own barrier": (8192, {"tile": SPLIT}),
    "each CTA copies its half, the pair's barrier counts both": (8192, {"tile": SPLIT, "barrier": PAIR}),
    "each CTA copies the whole tile for itself": (16384, {}),
    "one copy arrives in each CTA, on its own barrier": (16384, {"flag": "{multicast}"}),
    "one copy arrives in each CTA, on the pair's barrier": (16384, {"flag": "{multicast}", "barrier": PAIR}),
    "launch control answers every CTA, one announces for all": (
        16,
        {"expect": "{fromCTA = 0 : i32}", "more": CONTROL},
    ),
    "a barrier a CTA, under a predicate": (16384, {"pred": "%p"}),
}


@pytest.mark.parametrize("name", CASES)
def test_bytes_of_each_cta_are_compared(name):
    size, shape = CASES[name]
    (right,) = expectations(parse_mlir(cluster(size, **shape)))
    assert right.agrees
    # what a person writes who takes the whole tile, or both CTAs' bytes, or too little
    for wrong in (size * 2, size // 2):
        (found,) = expectations(parse_mlir(cluster(wrong, **shape)))
        assert (found.expected_bytes, found.copied_bytes) == (wrong, size)


UNDECIDED = {
    "whether the CTAs of a pair agree on a predicate": {"barrier": PAIR, "pred": "%p"},
    "who announces for the others": {"expect": "{fromCTA = 0 : i32}", "pred": "%p"},
    "who issues the multicast": {"flag": "{multicast}", "pred": "%p"},
    "where a multicast completes that four CTAs share": {
        "tile": "[[0, 0], [0, 0]]",
        "barrier": "[[0], [0]]",
        "flag": "{multicast}",
        "ctas": 4,
    },
}


@pytest.mark.parametrize("name", UNDECIDED)
def test_what_cannot_be_told_is_undecided(name):
    assert not expectations(parse_mlir(cluster(1, **UNDECIDED[name])))


def test_shared_barriers_before_they_had_leaders_are_undecided():
    module = parse_mlir(cluster(1, barrier=PAIR))
    assert expectations(module)
    assert not expectations(module, (3, 8))


def test_a_view_of_one_ctas_part_is_undecided():
    text = cluster(1, tile=SPLIT).replace(
        "64x128xf16, #shared, #smem, mutable>", "64x128xf16, #shared, #smem, mutable, 128x128>"
    )
    assert not expectations(parse_mlir(text))


@pytest.mark.parametrize(("size", "rules"), [(16384, set()), (32768, {"GI502"})])
def test_the_finding(size, rules):
    text = cluster(size, barrier=PAIR, flag="{multicast}")
    kernel = CompiledKernel("kernel", "cuda:100", "3.9.0", {"ttgir": text}, launches=(Launch("0", 1, (1, 1, 1)),))
    found = inspect(Capture("test", (kernel,))).kernels[0].findings
    assert {each.rule for each in found if each.severity == "error"} == rules
