"""Where the expected time goes: a bar for each resource, the longest is the one that limits."""

from __future__ import annotations

from gluon_inspect.model.report import KernelReport
from gluon_inspect.report.html.elements import Html, tag, text

_TABLE = "expected_time"
_NAME_WIDTH, _BAR_WIDTH, _ROW_HEIGHT = 200, 360, 20


def time_bars(kernel: KernelReport) -> Html:
    """A drawing of the expected-time table (resource, microseconds, share); nothing without it."""
    table = next((table for table in kernel.tables if table.key == _TABLE), None)
    if table is None or not table.rows:
        return Html("")
    bars = [bar for index, row in enumerate(table.rows) for bar in _bar(index, str(row[0]), row[1], row[2])]
    width, height = _NAME_WIDTH + _BAR_WIDTH + 100, len(table.rows) * _ROW_HEIGHT
    drawing = tag("svg", *bars, viewBox=f"0 0 {width} {height}", width=width, height=height, role="img")
    return tag("figure", tag("figcaption", text(f"{table.title} ({table.note})")), drawing, class_="times")


def _bar(index: int, name: str, microseconds: object, share: object) -> tuple[Html, ...]:
    if not isinstance(share, int | float) or not isinstance(microseconds, int | float):
        return ()
    top = index * _ROW_HEIGHT
    length = max(min(float(share), 1.0), 0.0) * _BAR_WIDTH
    return (
        tag("text", text(name, 40), x=_NAME_WIDTH - 8, y=top + 14, text_anchor="end", class_="label"),
        tag("rect", x=_NAME_WIDTH, y=top + 3, width=f"{length:.1f}", height=_ROW_HEIGHT - 6, class_="bar-filled"),
        tag("text", text(f"{microseconds:g} µs"), x=f"{_NAME_WIDTH + length + 6:.1f}", y=top + 14, class_="label"),
    )
