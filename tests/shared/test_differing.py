"""Which bases part two layouts, from a message of Gluon's."""

from dataclasses import replace

from gluon_inspect.analyses import conversions
from gluon_inspect.analyses.conversions.differing_bases import parted_in
from gluon_inspect.model.finding import Severity
from tests.analyses.facts import NOTHING

MESSAGE = """at 6:12:
    value = gl.convert_layout(gl.load(src), b, assert_trivial=True)
            ^
layout conversion from BlockedLayout([1, 2], [2, 16], [4, 1], [1, 0]) to BlockedLayout([1, 2], [4, 8], [4, 1], \
[1, 0]) is not trivial.
The linear layouts are:
constexpr[DistributedLinearLayout(reg_bases=[[0, 1]], lane_bases=[[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], \
warp_bases=[[2, 0], [4, 0]], block_bases=[], shape=[8, 32])]
constexpr[DistributedLinearLayout(reg_bases=[[0, 1], [0, 16]], lane_bases=[[0, 2], [0, 4], [0, 8], [1, 0], \
[2, 0]], warp_bases=[[4, 0], [0, 0]], block_bases=[], shape=[8, 32])]"""


def test_every_basis_that_differs_is_named():
    assert parted_in(MESSAGE) == (
        "register 2 is at no place of its own, then at (0, 16)",
        "lane 8 is at (0, 16), then at (1, 0)",
        "lane 16 is at (1, 0), then at (2, 0)",
        "warp 1 is at (2, 0), then at (4, 0)",
        "warp 2 is at (4, 0), then at (0, 0)",
    )


def test_the_finding_says_them():
    facts = replace(NOTHING, kernel=replace(NOTHING.kernel, error=MESSAGE))
    (found,) = conversions.run(facts).findings
    assert found.rule == "GI404"
    assert found.severity is Severity.ERROR
    assert "lane 8 is at (0, 16), then at (1, 0)" in found.message
    assert "2 more" in found.message
    assert len(found.evidence["bases"]) == 5


def test_other_errors_are_not_explained():
    assert parted_in("out of resources: shared memory") == ()
    facts = replace(NOTHING, kernel=replace(NOTHING.kernel, error="out of resources"))
    assert conversions.run(facts).findings == ()
