"""Opposite layouts: the conversion with its own cost, as a patch, and compiled."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from pathlib import Path

import pytest

from gluon_inspect.explaining.conversion import best_conversion
from gluon_inspect.explaining.costs import changed_time, seconds_before
from gluon_inspect.explaining.counterfactual import WhatIf
from gluon_inspect.explaining.explanation import explain
from gluon_inspect.explaining.group import groups, try_all
from gluon_inspect.explaining.patches import with_patches
from gluon_inspect.explaining.search import pays
from gluon_inspect.explaining.trial import checked
from gluon_inspect.model.explanation import ProposalStatus
from gluon_inspect.model.request import Request
from gluon_inspect.workflow.inspection import inspect_all

_SCRIPT = Path(__file__).parents[2] / "examples" / "opposite_layouts.py"
_REQUEST = Request((str(_SCRIPT),), ("cuda:90",), ("copy_one_layout",))


@pytest.fixture(scope="module")
def report():
    return inspect_all(_REQUEST).report()


@pytest.fixture(scope="module")
def what_if(report):
    return WhatIf(report.kernels[0])


@pytest.fixture(scope="module")
def trials(what_if):
    (group,) = groups(what_if.base.accesses.values())
    return try_all(what_if, group)


@pytest.fixture(scope="module")
def compiled(report):
    explained = with_patches(explain(report.kernels[0]), report.sources)
    return checked([explained], _REQUEST, report.sources)[0].proposals[0]


def test_the_conversion_costs_scratch_wavefronts_and_barriers(what_if, trials):
    convert = best_conversion(what_if, trials, inf)
    assert convert.lowering.scratch_bytes > 0
    assert convert.lowering.barriers > 0
    free = changed_time(what_if, convert.accesses(what_if, trials.group))
    assert convert.seconds > free
    assert convert.seconds < seconds_before(what_if)


def test_a_conversion_that_does_not_pay_is_rejected(what_if, trials):
    convert, before = best_conversion(what_if, trials, inf), seconds_before(what_if)
    assert best_conversion(what_if, trials, convert.seconds * 0.99) is None
    assert pays(convert, before, before)
    assert not pays(convert, before, convert.seconds * 1.02)
    assert not pays(replace(convert, seconds=before * 0.99), before, before)


def test_the_patch_is_compiled_and_has_the_conversion(compiled):
    assert compiled.status is ProposalStatus.CHECKED
    assert compiled.patch
    assert compiled.effect.sectors_after == 2 * 2048 * 4096 * 4 // 32


@pytest.mark.usefixtures("compiled")
def test_the_example_itself_is_left_alone(report):
    assert _SCRIPT.read_text() == report.sources[str(_SCRIPT)]


def test_a_store_in_another_file_is_not_patched(report):
    explained = with_patches(explain(report.kernels[0]), {})
    assert not explained.proposals[0].patch
