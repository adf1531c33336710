"""The roofline in a terminal: every launch under the roofs of its card."""

from __future__ import annotations

from collections.abc import Iterator

from gluon_inspect.cost.roofline import Roofline
from gluon_inspect.cost.roofline_axes import axes, charts, left_out, roofs, told
from gluon_inspect.model.report import Report
from gluon_inspect.report import PLAIN, Style
from gluon_inspect.wording.characters import visible

NAME = "roofchart"
_ROWS = 16
_LABEL = 9
_NARROWEST, _WIDEST = 40, 100
_MARKS = "123456789abcdefghijklmnopqrstuvwxyz"


def render(report: Report, style: Style = PLAIN) -> str:
    """One chart a target, then the launches that none shows."""
    drawn = ["\n".join(_chart(chart, style.width)) for chart in charts(report)]
    missing = visible(left_out(report))
    return "\n\n".join([*drawn, missing] if missing else drawn) + "\n"


def _chart(chart: Roofline, width: int) -> Iterator[str]:
    columns = min(max(width, _NARROWEST), _WIDEST) - _LABEL - 2
    scale = axes(chart)
    rows = [[" "] * columns for _ in range(_ROWS)]
    for column in range(columns):
        intensity = scale.left * (scale.right / scale.left) ** (column / (columns - 1))
        rows[_row(scale.y(chart.roof(intensity)))][column] = "─"
    for number, point in enumerate(chart.points):
        rows[_row(scale.y(point.rate))][round(scale.x(point.intensity) * (columns - 1))] = _mark(number)
    decades = {_row(scale.y(decade)): f"{decade / 1e12:g}" for decade in scale.decades()}
    yield roofs(chart)
    yield f"{'TFLOP/s':>{_LABEL}}"
    for index, cells in enumerate(rows):
        yield f"{decades.get(index, ''):>{_LABEL}} │{''.join(cells).rstrip()}"
    yield f"{'':>{_LABEL}} └{'─' * columns}"
    ends = f"{scale.left:g}", f"{scale.right:g} FLOP a byte"
    yield f"{'':>{_LABEL}}  {ends[0]}{ends[1]:>{columns - len(ends[0])}}"
    for number, point in enumerate(chart.points):
        yield f"  {_mark(number)} {visible(point.label)}: {told(chart, point)}"


def _row(share: float) -> int:
    return round((1.0 - share) * (_ROWS - 1))


def _mark(number: int) -> str:
    return _MARKS[number] if number < len(_MARKS) else "*"
