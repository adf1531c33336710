from dataclasses import replace

import pytest

from gluon_inspect.analyses.register_spill import run
from gluon_inspect.model.report import Registers
from tests.analyses.facts import NOTHING, sass

SPILLING = sass((3, "STL [R1], R2"), (4, "LDL R2, [R1]"), (4, "LDL.LU.64 R4, [R1+0x8]"), (5, "EXIT"))


def test_no_stack_no_word():
    result = run(replace(sass((3, "EXIT")), registers=Registers(32, 0)))
    assert result.findings == ()
    assert [(metric.key, metric.value) for metric in result.metrics] == [("spill_bytes", 0)]


def test_unknown_is_not_zero():
    result = run(NOTHING)
    assert result.findings == result.metrics == ()


@pytest.mark.parametrize(("stack", "severity"), [(8, "note"), (32, "note"), (40, "warning"), (256, "error")])
def test_severity_follows_the_amount(stack, severity):
    (finding,) = run(replace(SPILLING, registers=Registers(255, stack))).findings
    assert finding.severity == severity
    assert finding.evidence["spill_bytes"] == stack


def test_the_line_with_most_stack_traffic_is_named():
    (finding,) = run(replace(SPILLING, registers=Registers(255, 64))).findings
    assert (finding.location.file, finding.location.line) == ("k.py", 4)
    assert finding.evidence["lines"] == ("4: 2", "3: 1")
    assert finding.evidence["stack_instructions"] == 3


def test_a_listing_without_tables_still_shows_the_spill():
    (finding,) = run(SPILLING).findings
    assert finding.severity == "warning"
    assert finding.evidence["spill_bytes"] is None
