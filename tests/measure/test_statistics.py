from __future__ import annotations

import statistics

from hypothesis import given
from hypothesis import strategies as st

from gluon_inspect.measure.statistics import interleaved, quantile, timing

_TIMES = st.lists(st.floats(0.001, 1e4), min_size=1, max_size=60)


@given(_TIMES)
def test_the_median_is_the_median(times):
    assert abs(quantile(times, 0.5) - statistics.median(times)) <= 1e-9 * max(times)


@given(_TIMES)
def test_quantiles_are_ordered_and_inside(times):
    found = timing(times)
    assert min(times) <= found.p20 <= found.median <= found.p80 <= max(times)
    assert found.runs == len(times)


def test_two_series_of_the_same_are_conclusive():
    found, doubt = interleaved([1.0, 1.1, 1.2, 1.1], [1.1, 1.0, 1.2, 1.15])
    assert doubt == ""
    assert found.runs == 8


def test_series_apart_by_more_than_their_spread_are_inconclusive():
    _, doubt = interleaved([1.0, 1.01, 1.02], [1.5, 1.51, 1.52])
    assert doubt.startswith("inconclusive")
    assert "%" in doubt
