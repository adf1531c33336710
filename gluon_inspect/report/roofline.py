"""The roofline as SVG: every launch under the roofs of its card."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape

from gluon_inspect.cost.roofline import Roofline
from gluon_inspect.cost.roofline_axes import Axes, axes, charts, left_out, roofs, told
from gluon_inspect.model.report import Report
from gluon_inspect.report import PLAIN, Style
from gluon_inspect.wording.characters import visible

NAME = "roofline"
_WIDTH, _HEIGHT, _MARGIN, _LINE = 720, 420, 60, 16
_STEPS = 64


def render(report: Report, style: Style = PLAIN) -> str:  # noqa: ARG001 - SVG looks the same everywhere
    """One drawing a target, below each other, then the launches that none shows."""
    drawn = [(chart, _below(chart)) for chart in charts(report)]
    missing = visible(left_out(report))
    height = sum(room for _, room in drawn) + 2 * _LINE * bool(missing)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}" font-family="sans-serif">'
    ]
    parts.append('<rect width="100%" height="100%" fill="white"/>')
    top = 0
    for chart, room in drawn:
        parts.append(f'<g transform="translate(0,{top})">')
        parts.extend(_chart(chart))
        parts.append("</g>")
        top += room
    if missing:
        parts.append(_text(8, top + 20, missing))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _below(chart: Roofline) -> int:
    return _HEIGHT + _LINE * (len(chart.points) + 2)


def _chart(chart: Roofline) -> Iterator[str]:
    scale = axes(chart)
    yield _text(_MARGIN, 24, roofs(chart), size=14)
    yield from _grid(scale)
    ratio = (scale.right / scale.left) ** (1 / _STEPS)
    along = [scale.left * ratio**n for n in range(_STEPS + 1)]
    line = " ".join(f"{_x(scale, each):.1f},{_y(scale, chart.roof(each)):.1f}" for each in along)
    yield f'<polyline points="{line}" fill="none" stroke="black" stroke-width="2"/>'
    for number, point in enumerate(chart.points, 1):
        x, y = _x(scale, point.intensity), _y(scale, point.rate)
        fill = "#1f77b4" if point.measured else "white"
        label = escape(visible(f"{number}. {point.label}: {told(chart, point)}"))
        circle = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{fill}" stroke="#1f77b4">'
        yield f"{circle}<title>{label}</title></circle>"
        yield _text(x + 7, y + 4, str(number), size=10)
        yield _text(_MARGIN, _HEIGHT + _LINE * number, visible(f"{number}. {point.label}: {told(chart, point)}"))


def _grid(scale: Axes) -> Iterator[str]:
    for intensity in scale.intensities():
        x = _x(scale, intensity)
        yield _rule(x, _y(scale, scale.low), x, _y(scale, scale.high))
        yield _text(x, _HEIGHT - _MARGIN + 16, f"{intensity:g}", anchor="middle")
    for decade in scale.decades():
        y = _y(scale, decade)
        yield _rule(_MARGIN, y, _WIDTH - _MARGIN, y)
        yield _text(_MARGIN - 6, y + 4, f"{decade / 1e12:g}", anchor="end")
    yield _text(
        _WIDTH / 2, _HEIGHT - _MARGIN + 34, "FLOP a useful byte (left edge: no matrix products)", anchor="middle"
    )
    yield _text(_MARGIN - 6, 40, "TFLOP/s", anchor="end")


def _x(scale: Axes, intensity: float) -> float:
    return _MARGIN + scale.x(intensity) * (_WIDTH - 2 * _MARGIN)


def _y(scale: Axes, rate: float) -> float:
    return _HEIGHT - _MARGIN - scale.y(rate) * (_HEIGHT - 2 * _MARGIN)


def _rule(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#dddddd"/>'


def _text(x: float, y: float, text: str, *, size: int = 11, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}">{escape(text)}</text>'
