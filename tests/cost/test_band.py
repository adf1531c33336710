"""Bands by what limits a launch."""

from __future__ import annotations

import pytest

from gluon_inspect.cost.band import band_of, limit_of
from gluon_inspect.model.cost import Resource
from gluon_inspect.targets.bands import BANDS, Limit


@pytest.mark.parametrize(
    ("limiting", "limit"),
    [
        (Resource.DRAM, Limit.DRAM),
        (Resource.L2_PATH, Limit.MEMORY),
        (Resource.TENSOR, Limit.SM),
        (Resource.LATENCY, Limit.LATENCY),
    ],
)
def test_launches_share_the_band_of_what_limits_them(limiting: Resource, limit: Limit) -> None:
    assert limit_of(limiting) is limit
    assert band_of(limiting, issued=True) == BANDS[limit]


def test_nothing_is_said_where_no_timed_launch_tells() -> None:
    assert all(band_of(each, issued=False) is None for each in Resource)


def test_every_limit_has_a_band_below_the_time_itself() -> None:
    assert set(BANDS) == set(Limit)
    assert all(0.0 < band < 1.0 for band in BANDS.values())
