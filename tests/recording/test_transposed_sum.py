"""The reduction that a fusing compiler laid out against memory, and the same with its tile along memory."""

from __future__ import annotations

from pathlib import Path

from gluon_inspect import inspect

EXAMPLE = Path(__file__).parents[2] / "examples" / "transposed_sum.py"


def test_lanes_along_the_sum_read_a_sector_each() -> None:
    against, along = inspect(EXAMPLE, "cuda:90").kernels
    assert [finding.rule for finding in against.findings] == ["GI101"]
    assert "GI101" not in {finding.rule for finding in along.findings}
    slow, fast = (next(a for a in kernel.accesses if a.direction == "load") for kernel in (against, along))
    assert slow.bytes_requested == fast.bytes_requested
    assert slow.sectors is not None
    assert slow.sectors == 8 * (fast.sectors or 0)
