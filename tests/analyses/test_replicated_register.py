"""Which copies in registers are a finding: those that another layout would not make."""

from dataclasses import replace

import pytest

from gluon_inspect.analyses.replicated_register import run
from gluon_inspect.model.report import Registers, RegisterTensor, Replication
from tests.analyses.facts import NOTHING

WHOLE = "BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])"
ROWS = f"SliceLayout(1, {WHOLE})"
OPERAND = "DotOperandLayout(0, NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16]), 2)"


def result(layout, registers_per_thread, of=128):
    program = registers_per_thread * 128
    held = RegisterTensor(
        None, (128,), layout, 32, registers_per_thread, program, program // 4, Replication(1, 4, 1), is_data=True
    )
    return run(replace(NOTHING, registers=Registers(of, 0, (), (held,))))


@pytest.mark.parametrize("layout", [ROWS, OPERAND])
def test_copies_that_follow_from_another_layout_are_listed_only(layout):
    found = result(layout, 4)
    assert found.findings == ()
    assert [row[4] for row in found.tables[0].rows] == [4]
    assert result(layout, 4, of=None).findings == ()


@pytest.mark.parametrize(("layout", "registers"), [(ROWS, 64), (OPERAND, 64), (WHOLE, 4)])
def test_copies_that_fill_the_registers_or_could_be_avoided_are_a_finding(layout, registers):
    (finding,) = result(layout, registers).findings
    assert finding.message.startswith("each element of this tensor of 128 is held in 4 lanes: ")
