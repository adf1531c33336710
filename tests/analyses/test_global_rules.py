"""What is said of global accesses: the right rule, the right cause, and silence where nothing is lost."""

from __future__ import annotations

from gluon_inspect.facts.severity import severity_of
from gluon_inspect.model.finding import Severity
from tests.traffic.lanes import Blocked
from tests.traffic.test_traffic import Case, report_of

ROWS_OF_FOUR = Blocked((1, 4), (1, 32), (4, 1), (1, 0))


def findings(case):
    return {(f.rule, f.location): f for f in report_of(case).findings}


def messages(case, rule):
    return [f.message for f in report_of(case).findings if f.rule == rule]


def test_a_stride_of_72_is_no_multiple_of_16():
    case = Case(ROWS_OF_FOUR, (32, 128), "f32", (136 + 2, 1), (32, 128), (1, 1))
    found = messages(case, "GI102")
    assert found[0] == "32 bits a lane where the layout allows 128: sx is not known to be a multiple of 16"


def test_a_mask_that_may_end_anywhere():
    case = Case(ROWS_OF_FOUR, (32, 128), "f32", (128, 1), (32, 120), (1, 1))
    found = messages(case, "GI102")
    assert found[0] == (
        "32 bits a lane where the layout allows 128: the mask may change between neighbouring elements "
        "(ny is not known to be a multiple of 4)"
    )
    assert "the mask (ny) allows only 1 element an instruction" in messages(case, "GI101")[0]


def test_a_pointer_off_by_an_element():
    case = Case(ROWS_OF_FOUR, (32, 128), "f32", (128, 1), (32, 128), (1, 1), aligned=False)
    found = messages(case, "GI102")
    assert found == ["32 bits a lane where the layout allows 128: dst is not known to be a multiple of 16"]


def test_lanes_on_the_wrong_dimension():
    layout = Blocked((1, 1), (32, 1), (4, 1), (0, 1))
    case = Case(layout, (128, 4), "f32", (4096, 1), (128, 4), (1, 1))
    assert (
        "neighbouring lanes walk dim 0, 16384 bytes apart, but dim 1 is the contiguous one"
        in (messages(case, "GI101")[0])
    )


def test_the_order_is_to_blame_before_masks_and_strides():
    layout = Blocked((8, 1), (8, 4), (1, 4), (0, 1))
    case = Case(layout, (64, 64), "f16", (66, 1), (61, 61), (1, 1))
    found = [f for f in report_of(case).findings if f.rule == "GI101"]
    assert [f.help for f in found] == ["let threads_per_warp and order walk dim 1 first"] * 2


def test_rows_that_are_no_whole_sectors():
    case = Case(Blocked((1, 1), (1, 32), (4, 1), (1, 0)), (32, 64), "f16", (65, 1), (32, 64), (1, 1))
    found = [f for f in report_of(case).findings if f.rule == "GI101"]
    assert found[0].message.endswith("most rows begin in the middle of a sector, and end in another one")
    assert found[0].help == "pad rows, and let programs start, at multiples of 32 bytes"


def test_every_second_element_is_read_side_by_side():
    case = Case(ROWS_OF_FOUR, (32, 128), "f32", (256, 2), (32, 128), (1, 1))
    found = [f.help for f in report_of(case).findings if f.rule == "GI101"]
    assert (
        found[0] == "one element a thread and lanes side by side: neighbours are 8 bytes apart and share sectors"
    )


def test_32_bit_lanes_in_a_row_are_left_alone():
    layout = Blocked((1, 1), (1, 32), (4, 1), (1, 0))
    case = Case(layout, (32, 128), "f32", (129, 1), (32, 128), (1, 1))
    assert messages(case, "GI102") == []
    # what rows of 129 elements lose at their ends is no narrow access
    assert all("most rows begin in the middle of a sector" in each.message for each in report_of(case).findings)


def test_sixteen_bit_lanes_are_narrow():
    layout = Blocked((1, 8), (1, 32), (4, 1), (1, 0))
    case = Case(layout, (4, 256), "f16", (257, 1), (4, 256), (1, 1))
    assert messages(case, "GI102")[0].startswith("16 bits a lane where the layout allows 128")


def test_a_tensor_smaller_than_the_tile_is_held_in_copies():
    layout = Blocked((2, 4), (32, 1), (4, 1), (1, 0))
    report = report_of(Case(layout, (32, 8), "f32", (8, 1), (32, 8), (1, 1)))
    copied = [f for f in report.findings if f.rule == "GI301"]
    assert [(f.evidence["lane_copies"], f.evidence["warp_copies"]) for f in copied] == [(2, 4)]
    assert copied[0].evidence["unique_elements"] == 256
    assert copied[0].evidence["registers_per_program"] == 2048


def test_without_arguments_the_verdict_is_assumed_and_counts_are_unknown():
    from dataclasses import replace

    from gluon_inspect.model.artifact import Capture, Launch
    from gluon_inspect.pipeline import inspect

    layout = Blocked((1, 1), (32, 1), (4, 1), (0, 1))
    known = report_of(Case(layout, (128, 4), "f32", (4096, 1), (128, 4), (1, 1)))
    kernel = replace(known.kernel, launches=(Launch("-"),))
    report = inspect(Capture("test", (kernel,))).kernels[0]
    assert [a.requests for a in report.accesses] == [None, None]
    found = [f for f in report.findings if f.rule == "GI101"]
    assert [f.confidence.value for f in found] == ["assumed", "assumed"]
    assert found[0].evidence["sectors"] is None


COLUMN = Blocked((1, 1), (32, 1), (4, 1), (0, 1))


def test_a_wasteful_access_that_takes_the_time_is_an_error():
    case = Case(COLUMN, (128, 128), "f32", (4096, 1), (1 << 20, 1 << 20), (64, 64))
    found = [f for f in report_of(case).findings if f.rule == "GI101"]
    assert [(f.severity, "store" in f.message) for f in found] == [
        (Severity.ERROR, True),
        (Severity.WARNING, False),
    ]
    assert found[0].cost >= 0.2 > found[1].cost >= 0.05


def test_severity_is_that_of_the_predicted_loss():
    # one program: the launch itself takes longer than what some of its accesses lose
    found = report_of(Case(COLUMN, (32, 4), "f32", (4096, 1), (32, 4), (1, 1))).findings
    uncoalesced = [f for f in found if f.rule == "GI101"]
    assert uncoalesced
    for each in uncoalesced:
        assert each.severity is severity_of(
            each.cost, Severity.ERROR, wasteful=each.evidence["efficiency"] <= 1 / 3
        )
