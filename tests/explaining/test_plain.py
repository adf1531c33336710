"""Plain Triton kernels: what the compiler would pick, against what it picks once the change is made."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gluon_inspect.explaining import trial
from gluon_inspect.explaining.block_shape import block_shapes
from gluon_inspect.explaining.coalesce import coalesced_layouts
from gluon_inspect.explaining.counterfactual import WhatIf
from gluon_inspect.explaining.explanation import explain
from gluon_inspect.explaining.plain import plain_proposals
from gluon_inspect.model.explanation import KernelExplanation, ProposalStatus
from gluon_inspect.model.request import Request
from gluon_inspect.workflow.inspection import inspect_all, inspect_substituted

SCRIPT = """
import torch
import triton
import triton.language as tl

@triton.jit(do_not_specialize=["n"])
def add(a, b, c, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    tl.store(c + i, tl.load(a + i, mask=m) + tl.load(b + i, mask=m), mask=m)

@triton.jit
def add_hinted(a, b, c, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    tl.store(c + i, tl.load(a + i, mask=m) + tl.load(b + i, mask=m), mask=m)

@triton.jit
def copy(src, dst, sx, sy, BX: tl.constexpr, BY: tl.constexpr):
    x = tl.program_id(0) * BX + tl.arange(0, BX)
    y = tl.program_id(1) * BY + tl.arange(0, BY)
    o = x[:, None] * sx + y[None, :] * sy
    tl.store(dst + o, tl.load(src + o))

n = 1 << 22
a, b, c = (torch.empty(n, device="cuda") for _ in range(3))
for kernel in (add, add_hinted):
    kernel[(n // 1024,)](a, b, c, n, BLOCK=1024)
wide, tall = torch.empty((1024, 1024), device="cuda"), torch.empty((1024, 1024), device="cuda").T
for warps in (4, 8):
    copy[(16, 32)](wide, wide, *wide.stride(), BX=64, BY=32, num_warps=warps)
copy[lambda m: (1024 // m["BX"], 1024 // m["BY"])](tall, tall, *tall.stride(), BX=1, BY=512)
"""


@pytest.fixture(scope="module")
def request_of(tmp_path_factory):
    path = tmp_path_factory.mktemp("plain") / "kernels.py"
    path.write_text(SCRIPT)
    return Request((str(path),), ("cuda:90",))


@pytest.fixture(scope="module")
def kernels(request_of):
    return inspect_all(request_of).report().kernels


def test_hints_give_the_traffic_of_the_kernel_that_has_them(kernels):
    unknown, hinted = kernels[:2]
    (proposal,) = (p for p in plain_proposals(WhatIf(unknown)) if "multiple_of" in p.source[0])
    assert proposal.title == "let the compiler know that `n` can be divided by 16"
    assert proposal.effect.sectors_after == sum(access.sectors for access in hinted.accesses)
    assert proposal.effect.sectors_before == sum(access.sectors for access in unknown.accesses)
    assert proposal.effect.seconds_after < proposal.effect.seconds_before
    assert not any("divided by 16" in p.title for p in plain_proposals(WhatIf(hinted)))


def test_other_warps_get_the_layouts_that_the_compiler_gives_them(kernels):
    four, eight = (WhatIf(kernel) for kernel in kernels[2:4])
    predicted = set(coalesced_layouts(four.base, four.target, 8).values())
    assert predicted == {access.encoding for access in eight.base.accesses.values()}
    same = coalesced_layouts(four.base, four.target, 4)
    assert all(old == new for old, new in same.items())


def test_an_argument_that_is_no_multiple_is_to_be_padded(kernels):
    launch = kernels[0].launch
    odd = replace(launch, arguments={**launch.arguments, "n": (1 << 22) - 3})
    (proposal,) = (p for p in plain_proposals(WhatIf(replace(kernels[0], launch=odd))) if "`n`" in p.title)
    assert proposal.source == (f"# n is {(1 << 22) - 3}: pad what it measures, so that it becomes {1 << 22}",)


def test_a_tile_across_memory_is_turned_and_compiled(kernels, request_of):
    (found,) = trial.checked([explain(kernels[4])], request_of)
    (best,) = found.proposals
    assert best.substitutions == {"BX": "512", "BY": "1"}
    assert best.status is ProposalStatus.CHECKED
    assert best.effect.sectors_after == 2 * 1024 * 1024 * 4 // 32


def test_warps_are_replaced_and_a_grid_that_does_not_follow_is_seen(kernels, request_of, monkeypatch):
    reports = []

    def compiled(*arguments):
        reports.append(inspect_substituted(*arguments))
        return reports[0]

    monkeypatch.setattr(trial, "inspect_substituted", compiled)
    (turned,) = block_shapes(kernels[4], kernels[4].findings)
    half = replace(turned, substitutions={"BX": "32", "num_warps": "2"})
    (found,) = trial.checked([KernelExplanation(kernels[2], "", (), (half,), ())], request_of)
    (tried,) = found.proposals
    assert 2 in {kernel.num_warps for kernel in reports[0].kernels}
    assert tried.status is ProposalStatus.PREDICTED
    assert tried.note.startswith("the script computes the grid itself")
