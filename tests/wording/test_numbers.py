from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gluon_inspect.wording.numbers import duration, percent, plain, ratio, short_count, size


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "unknown"),
        (0, "0"),
        (99_999, "99,999"),
        (131_072, "131.1k"),
        (268_435_456, "268.4M"),
        (10**13, "10T"),
    ],
)
def test_short_counts(value: int | None, text: str):
    assert short_count(value) == text


@given(st.integers(0, 10**15 - 1))
def test_short_counts_are_short(value: int):
    assert len(short_count(value)) <= 6


@pytest.mark.parametrize(
    ("value", "text"), [(None, "unknown"), (0.0, "0%"), (0.001, "<1%"), (0.125, "12%"), (1.0, "100%")]
)
def test_a_share_that_is_not_zero_never_reads_as_zero(value: float | None, text: str):
    assert percent(value) == text


@pytest.mark.parametrize(("value", "text"), [(None, "unknown"), (0, "0 B"), (1536, "1.5 KiB"), (1 << 30, "1 GiB")])
def test_sizes(value: int | None, text: str):
    assert size(value) == text


@pytest.mark.parametrize(("value", "text"), [(32.0, "32"), (1.25, "1.25"), (100.0, "100"), (None, "unknown")])
def test_ratios_lose_no_zero_that_counts(value: float | None, text: str):
    assert ratio(value) == text


def test_evidence_of_every_kind():
    assert plain((1, None, True, 2.5, "x")) == "1, unknown, yes, 2.5, x"
    assert plain(1e-7) == "1e-07"
    assert plain(1234567.0) == "1,234,567"


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (None, "unknown"),
        (0.0, "0 ns"),
        (4.2e-9, "4.2 ns"),
        (12.13e-6, "12.1 µs"),
        (0.99999e-3, "1 ms"),
        (2.5, "2.5 s"),
    ],
)
def test_durations_in_three_digits(seconds: float | None, said: str):
    assert duration(seconds) == said
