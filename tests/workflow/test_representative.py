"""Of a kernel launched in many ways a few launches are inspected, and that is said."""

from __future__ import annotations

from gluon_inspect.model.artifact import Capture, CompiledKernel, Launch
from gluon_inspect.workflow.selection import MOST_LAUNCHES, representative


def kernel(name: str, launches: int) -> CompiledKernel:
    grids = (Launch(f"{name}{index}", 1, (index + 1, 1, 1), {}) for index in range(launches))
    return CompiledKernel(name, "cuda:90", "3.9.0", launches=tuple(grids))


def test_few_launches_are_all_kept() -> None:
    capture = Capture("script.py", (kernel("few", MOST_LAUNCHES),), {}, ("a note",))
    assert representative(capture) == capture


def test_of_many_the_first_and_the_last_and_some_between_are_kept_and_told() -> None:
    capture = Capture("script.py", (kernel("few", 1), kernel("many", 31)), {}, ("a note",))
    kept = representative(capture)
    grids = [launch.grid[0] for launch in kept.kernels[1].launches]
    assert (len(grids), grids[0], grids[-1]) == (MOST_LAUNCHES, 1, 31)
    assert grids == sorted(set(grids))
    assert kept.kernels[0] == capture.kernels[0]
    assert kept.notes == (
        "a note",
        "many: 8 of 31 launches that differ in grid or arguments are here (--all-launches for all)",
    )
