"""Laws of the search: a proposal is never slower than what is there, and never beyond the registers."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gluon_inspect.explaining.candidates import candidates
from gluon_inspect.explaining.costs import register_budget, seconds_before
from gluon_inspect.explaining.counterfactual import WhatIf
from gluon_inspect.explaining.from_strides import SOURCE, layout_for
from gluon_inspect.explaining.group import groups, try_all
from gluon_inspect.explaining.search import proposals
from gluon_inspect.layouts.lowering import linear_layout
from gluon_inspect.model.encodings import BlockedEncoding
from tests.traffic.lanes import Blocked
from tests.traffic.test_traffic import Case, cases, report_of

DOWN_THE_ROWS = Blocked((1, 1), (32, 1), (4, 1), (1, 0))


def copy(layout, shape, strides, grid=(64, 4)):
    limits = (shape[0] * grid[0], shape[1] * grid[1])
    return report_of(Case(layout, shape, "f32", strides, limits, grid))


@settings(max_examples=12, deadline=None)
@given(cases())
def test_a_proposal_is_never_predicted_to_be_slower(case):
    what_if = WhatIf(report_of(case))
    before = seconds_before(what_if)
    for proposal in proposals(what_if):
        assert proposal.effect.seconds_before == before
        assert proposal.effect.seconds_after <= before / 1.03


@settings(max_examples=8, deadline=None)
@given(st.sampled_from([(64, 64), (16, 256), (256, 16), (128, 128)]), st.sampled_from([(4096, 1), (1, 4096)]))
def test_no_candidate_in_the_running_is_beyond_the_register_budget(shape, strides):
    what_if = WhatIf(copy(DOWN_THE_ROWS, shape, strides))
    (group,) = groups(what_if.base.accesses.values())
    trials = try_all(what_if, group)
    chosen = trials.best((0, 1), len(trials.table))
    assert chosen
    assert all(trials.guess(trials.table[layout]) <= register_budget(what_if) for layout in chosen)
    over = [row for row in trials.table.values() if trials.guess(row) > register_budget(what_if)]
    assert all(trials.guess.occupancy(row) is None for row in over)


def test_what_the_first_program_says_is_what_all_say_where_all_are_alike():
    what_if = WhatIf(copy(DOWN_THE_ROWS, (64, 64), (4096, 1)))
    (group,) = groups(what_if.base.accesses.values())
    trials = try_all(what_if, group)
    for layout in list(trials.table)[::40]:
        counted = what_if.accesses({group.encoding: layout})
        for trial, access in zip(trials.table[layout], counted, strict=True):
            assert (trial.access.sectors, trial.access.requests) == (access.sectors, access.requests)
            assert trial.access.locality == access.locality


def test_candidates_hold_copies_too():
    found = list(candidates((256, 16), 4, (65536, 4), 4, 32))
    assert any(each.threads_per_warp == (1, 32) and each.size_per_thread == (1, 4) for each in found)
    assert any(each.warps_per_cta == (2, 2) for each in found)
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("strides", [(4096, 1), (1, 4096)])
def test_where_both_sides_agree_no_conversion_is_proposed(strides):
    found = proposals(WhatIf(copy(DOWN_THE_ROWS, (64, 64), strides)))
    assert all(len(proposal.layouts) == 1 for proposal in found)


@pytest.mark.parametrize(
    ("strides", "shape"),
    [((4096, 1), (32, 128)), ((1, 4096), (32, 128)), ((4096, 2), (32, 128)), ((512, 1), (32, 8))],
)
def test_the_function_in_the_text_gives_the_layout_that_was_judged(strides, shape):
    names = {"gl": SimpleNamespace(BlockedLayout=lambda *fields: BlockedEncoding(*map(tuple, fields)))}
    exec("\n".join(SOURCE), names)  # noqa: S102 (our own text)
    tensor = SimpleNamespace(ndim=2, element_size=lambda: 4, stride=lambda dim: strides[dim])
    known = layout_for([4 * stride for stride in strides], shape, 4, 4, 32)
    assert names["layout_for"](tensor, shape, 4) == known
    assert linear_layout(known, shape).copies("lane") == linear_layout(known, shape).copies("warp") == 1


def test_the_function_serves_views_of_every_second_element_too():
    contiguous, spread = (
        proposals(WhatIf(copy(layout, (64, 64), strides)))
        for layout, strides in ((DOWN_THE_ROWS, (4096, 1)), (Blocked((1, 4), (1, 32), (4, 1), (1, 0)), (8192, 2)))
    )
    assert [any("def layout_for" in line for line in each.source) for each in contiguous] == [True]
    assert [any("def layout_for" in line for line in each.source) for each in spread] == [True]
