from __future__ import annotations

import pytest

from gluon_inspect.measure.timing import Timer, copy_bandwidth
from tests.measure.fake_torch import FakeTorch


def test_a_long_kernel_is_timed_by_events_without_the_flush():
    torch = FakeTorch()
    found = Timer(torch).time(lambda _: torch.launch(2.0), 0)
    assert found.time_ms.median == pytest.approx(2.0)
    assert "events" in found.method
    assert found.doubt == ""
    assert found.time_ms.runs >= 16


def test_a_short_kernel_is_timed_in_graphs_and_the_launch_left_out():
    torch = FakeTorch(launch_ms=0.01)
    streams = []
    found = Timer(torch).time(lambda stream: (streams.append(stream), torch.launch(0.004)), 3)
    assert found.time_ms.median == pytest.approx(0.004)
    assert "graphs" in found.method
    assert set(streams) == {3, 7}


def test_what_cannot_be_captured_keeps_its_events():
    torch = FakeTorch(launch_ms=0.01, capturable=False)
    found = Timer(torch).time(lambda _: torch.launch(0.004), 0)
    assert found.time_ms.median == pytest.approx(0.014)
    assert "events" in found.method


def test_a_kernel_that_slows_down_in_every_other_run_is_doubted():
    torch = FakeTorch()
    state = {"runs": 0}

    def run(_: int) -> None:
        state["runs"] += 1
        torch.launch(1.0 if state["runs"] % 2 else 1.5)

    assert Timer(torch).time(run, 0).doubt.startswith("inconclusive")


def test_a_launch_that_fails_is_not_swallowed():
    def run(_: int) -> None:
        raise ValueError("misaligned address")

    with pytest.raises(ValueError, match="misaligned"):
        Timer(FakeTorch()).time(run, 0)


def test_the_copy_counts_reads_and_writes():
    torch = FakeTorch(free_bytes=1 << 36)
    assert copy_bandwidth(torch) == pytest.approx(2 * (1 << 32) / 1e-3)


def test_the_copy_is_no_larger_than_what_is_free_allows():
    assert copy_bandwidth(FakeTorch(free_bytes=1 << 26)) == pytest.approx(2 * (1 << 23) / 1e-3)


def test_clocks_are_read_between_warm_up_and_series_and_again_after_them():
    torch, launches, read = FakeTorch(), [], []

    def clocks():
        read.append(len(launches))
        return 1980 - len(read), 3201

    found = Timer(torch, clocks=clocks).time(lambda _: (launches.append(0), torch.launch(1.0)), 0)
    assert found.clocks == ((1979, 3201), (1978, 3201))
    assert 0 < read[0] < read[1] == len(launches)


def test_every_launch_finds_the_l2_flushed():
    torch, seen = FakeTorch(), []

    def launch(_: int) -> None:
        seen.append(torch.flushes)
        torch.launch(1.0)

    Timer(torch).time(launch, 0)
    assert seen == list(range(1, len(seen) + 1))
