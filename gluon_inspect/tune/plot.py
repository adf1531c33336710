"""Expected time over one parameter: the best for each of its values, among all other choices."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence

from gluon_inspect.errors import UsageError
from gluon_inspect.model.page import Code, Heading, Part
from gluon_inspect.tune.ranking import Candidate, Ranking
from gluon_inspect.wording.numbers import duration

_BAR = 40
_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 640, 320, 80, 40, 50
_LEGEND = 18


def over(ranking: Ranking, parameter: str) -> list[tuple[str, list[Candidate]]]:
    """Candidates by the parameter's value, in its order, each group fastest first.

    UsageError where no configuration has the parameter.
    """
    groups: dict[str, list[Candidate]] = {}
    for each in ranking.candidates:
        if parameter in each.configuration:
            groups.setdefault(each.configuration[parameter], []).append(each)
    if not groups:
        names = dict.fromkeys(name for each in ranking.candidates for name in each.configuration)
        raise UsageError(f"--plot {parameter}: no configuration has it", hint=f"they have {', '.join(names)}")
    return sorted(groups.items(), key=lambda group: _order(group[0]))


def _order(value: str) -> tuple[bool, float, str]:
    number = value.lstrip("-").replace(".", "", 1)
    return (not number.isdecimal(), float(value) if number.isdecimal() else 0.0, value)


def as_text(found: Sequence[Ranking], parameter: str) -> Iterator[Part]:
    """A bar a value: the best time, and how many configurations have it."""
    for ranking in (each for each in found if each.candidates):
        groups = over(ranking, parameter)
        most = max(own[0].seconds for _, own in groups)
        wide = max(len(value) for value, _ in groups)
        launch = f"{ranking.kernel} for {ranking.target}, {ranking.problem or 'one launch'}"
        yield Heading(f"{launch}: expected time over {parameter}", 2)
        yield Code(
            tuple(
                f"{value:>{wide}}  {'█' * max(1, round(_BAR * own[0].seconds / most)):{_BAR}}  "
                f"{duration(own[0].seconds)}, best of {len(own)}"
                for value, own in groups
            )
        )


def as_svg(found: Sequence[Ranking], parameter: str) -> str:
    """Every configuration a dot, the best of each value joined; one colour a launch, of the first kernel."""
    shown = [each for each in found if each.candidates and (each.kernel, each.target) == _first(found)]
    curves = [(ranking.problem or "one launch", over(ranking, parameter)) for ranking in shown]
    values = sorted({value for _, groups in curves for value, _ in groups}, key=_order)
    most = max((own[-1].seconds for _, groups in curves for _, own in groups), default=1.0)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT + _LEGEND * len(curves)}" '
        'font-family="sans-serif" font-size="12" role="img">',
        _text(_LEFT, 20, f"{' for '.join(_first(found))}: expected time over {parameter}"),
        *_axes(values, most),
    ]
    for at, (name, groups) in enumerate(curves):
        colour = f"hsl({360 * at // len(curves)}, 65%, 40%)"
        lines += _curve(groups, values, most, colour)
        lines.append(_text(_LEFT, _HEIGHT + _LEGEND * at, name, f'fill="{colour}"'))
    return "\n".join((*lines, "</svg>")) + "\n"


def _text(x: float, y: float, text: str, *more: str) -> str:
    placed = " ".join((f'x="{x:.1f}" y="{y:.1f}"', *more))
    return f"<text {placed}>{_safe(text)}</text>"


def _first(found: Sequence[Ranking]) -> tuple[str, str]:
    return next(((each.kernel, each.target) for each in found if each.candidates), ("", ""))


def _safe(text: str) -> str:
    return html.escape(text, quote=True)


def _x(at: int, count: int) -> float:
    return _LEFT + (_WIDTH - _LEFT - 20) * (at + 0.5) / count


def _y(seconds: float, most: float) -> float:
    return _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * seconds / most


def _axes(values: Sequence[str], most: float) -> Iterator[str]:
    for share in (0.0, 0.5, 1.0):
        y = _y(share * most, most)
        yield f'<line x1="{_LEFT}" x2="{_WIDTH - 20}" y1="{y:.1f}" y2="{y:.1f}" stroke="#8884"/>'
        yield _text(_LEFT - 8, y + 4, duration(share * most) if share else "0", 'text-anchor="end"')
    for at, value in enumerate(values):
        yield _text(_x(at, len(values)), _HEIGHT - _BOTTOM + 18, value, 'text-anchor="middle"')


def _curve(
    groups: Sequence[tuple[str, list[Candidate]]], values: Sequence[str], most: float, colour: str
) -> Iterator[str]:
    places = [(_x(values.index(value), len(values)), own) for value, own in groups]
    points = " ".join(f"{x:.1f},{_y(own[0].seconds, most):.1f}" for x, own in places)
    yield f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
    for x, own in places:
        for each in own:
            title = _safe(" ".join(f"{name}={value}" for name, value in each.configuration.items()))
            yield (
                f'<circle cx="{x:.1f}" cy="{_y(each.seconds, most):.1f}" r="3" fill="{colour}" fill-opacity="0.5">'
                f"<title>{title}: {_safe(duration(each.seconds))}</title></circle>"
            )
