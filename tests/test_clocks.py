"""No test reads a wall clock: what it measures then is the machine's other work."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parent
_CLOCKS = re.compile(r"\b(?:perf_counter|monotonic|time\.time|datetime\.now|timeit)\w*\(")


def test_tests_measure_the_processors_time_or_wait_for_an_event():
    reading = [
        f"{file.relative_to(TESTS)}:{number}"
        for file in sorted(TESTS.rglob("*.py"))
        for number, line in enumerate(file.read_text().splitlines(), 1)
        if _CLOCKS.search(line)
    ]
    assert reading == []
