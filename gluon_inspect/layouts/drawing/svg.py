"""A picture as SVG: a title, the grid with its coordinates, the elements of each cell, a legend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import chain

from gluon_inspect.layouts.drawing import phrases
from gluon_inspect.layouts.drawing.colours import Colour
from gluon_inspect.layouts.drawing.picture import Picture, combine
from gluon_inspect.layouts.drawing.subjects import Subject, Threads
from gluon_inspect.layouts.drawing.text import fitted

_MARGIN = 24
_LINE = 18
_LABEL_ROW = 16
_ELEMENT_ROW = 14
_CHARACTER = 6.7
_TITLE_CHARACTER = 8.2
_COLUMNS_OF_TEXT = 150
_SWATCH = 12

_STYLE = (
    "text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:11px;"
    "fill:#1f2328}"
    ".t{font-size:13.5px;font-weight:600}.c{fill:#656d76}.o{font-size:10.5px;font-weight:600}"
    ".e{font-size:9px;opacity:.75}"
)


@dataclass(frozen=True, slots=True)
class _Sizes:
    """Lengths of the grid, in pixels."""

    left: int
    top: int
    cell_width: int
    cell_height: int
    rows: int
    columns: int

    @property
    def right(self) -> int:
        return self.left + self.columns * self.cell_width

    @property
    def bottom(self) -> int:
        return self.top + self.rows * self.cell_height


def svg(of: Subject, title: str) -> str:
    """The whole drawing as an SVG document. Raises LayoutError for a layout that misses elements."""
    of, picture = fitted(of, _COLUMNS_OF_TEXT)
    sizes = _sizes(of, picture)
    notes = _notes(of, picture)
    titles = [title, phrases.summary(of)]
    text_width = max(
        *(len(text) * _TITLE_CHARACTER for text in titles), *(len(text) * _CHARACTER for text in notes), 0
    )
    legend = _legend(of, picture)
    legend_width = sum(_SWATCH + 14 + len(text) * _CHARACTER for text, _ in legend)
    width = round(max(sizes.right, text_width + _MARGIN, legend_width + _MARGIN) + _MARGIN)
    height = sizes.bottom + _LINE * (len(notes) + 2) + _MARGIN + (_LINE if legend else 0)
    body = [
        _text(_MARGIN, _MARGIN + 8, title, "t"),
        _text(_MARGIN, _MARGIN + 8 + _LINE, titles[1], "c"),
        *_coordinates(picture, sizes),
        *_cells(of, picture, sizes),
        *_swatches(legend, sizes),
        *_note_lines(notes, sizes.bottom + _LINE * (2 if legend else 1) + 10),
    ]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img"><title>{escape(title)}</title><style>{_STYLE}</style>'
        f'<rect width="{width}" height="{height}" rx="8" fill="#ffffff"/>'
    )
    return head + "\n" + "\n".join(body) + "\n</svg>\n"


def _sizes(of: Subject, picture: Picture) -> _Sizes:
    inside = picture.inside()
    owners = list(chain.from_iterable(picture.owners()))
    label = max(len(of.label(owner)) for owner in owners) + bool(phrases.copies(picture))
    element = max(len(of.element(combine(o, i))) for o in owners for i in chain.from_iterable(inside))
    several = len(inside) * len(inside[0]) > 1
    wide = max(label * _CHARACTER + 8, (element * 5.6 + 5) * len(inside[0]) if several else 0, 30)
    high = _LABEL_ROW + _ELEMENT_ROW * len(inside) if several else _LABEL_ROW + 8
    rows, columns = len(picture.row_labels()), len(picture.column_labels())
    margin = max(len(str(max(at, default=0))) for at in picture.row_labels()) * _CHARACTER
    return _Sizes(round(_MARGIN + margin + 8), _MARGIN + 3 * _LINE + 8, round(wide), high, rows, columns)


def _text(x: float, y: float, text: str, style: str = "", anchor: str = "", fill: str = "") -> str:
    extra = f' class="{style}"' if style else ""
    extra += f' text-anchor="{anchor}"' if anchor else ""
    extra += f' style="fill:{fill}"' if fill else ""
    return f'<text x="{x:g}" y="{y:g}"{extra}>{escape(text)}</text>'


def _coordinates(picture: Picture, sizes: _Sizes) -> list[str]:
    found = [
        _text(sizes.left + c * sizes.cell_width + 3, sizes.top - 6, str(max(at, default=0)), "c")
        for c, at in enumerate(picture.column_labels())
    ]
    for r, at in enumerate(picture.row_labels()):
        y = sizes.top + r * sizes.cell_height + _LABEL_ROW - 3
        found.append(_text(sizes.left - 6, y, str(max(at, default=0)), "c", "end"))
    return found


def _cells(of: Subject, picture: Picture, sizes: _Sizes) -> list[str]:
    found = list[str]()
    inside = picture.inside()
    mark = "*" if phrases.copies(picture) else ""
    for r, row in enumerate(picture.owners()):
        for c, owner in enumerate(row):
            x, y = sizes.left + c * sizes.cell_width, sizes.top + r * sizes.cell_height
            colour = of.colour(owner)
            found.append(
                f'<rect x="{x}" y="{y}" width="{sizes.cell_width - 1}" height="{sizes.cell_height - 1}" '
                f'rx="2" fill="{colour.hexadecimal}"/>'
            )
            found.append(_text(x + 4, y + 12, of.label(owner) + mark, "o", fill=colour.ink))
            if len(inside) * len(inside[0]) > 1:
                found += _elements(of, owner, inside, (x, y), sizes)
    return found


def _elements(
    of: Subject,
    owner: dict[str, int],
    inside: Sequence[Sequence[dict[str, int]]],
    corner: tuple[int, int],
    sizes: _Sizes,
) -> list[str]:
    """The registers (offsets, columns) of one cell, where its elements lie."""
    step, ink = (sizes.cell_width - 4) / len(inside[0]), of.colour(owner).ink
    return [
        _text(
            corner[0] + 4 + j * step,
            corner[1] + _LABEL_ROW + 9 + i * _ELEMENT_ROW,
            of.element(combine(owner, change)),
            "e",
            fill=ink,
        )
        for i, row in enumerate(inside)
        for j, change in enumerate(row)
    ]


def _legend(of: Subject, picture: Picture) -> list[tuple[str, Colour]]:
    """The hue of each warp that the picture shows, where there are several."""
    if not isinstance(of, Threads):
        return []
    shown = dict[tuple[int, int], Colour]()
    for owner in chain.from_iterable(picture.owners()):
        shown.setdefault((owner.get("block", 0), owner.get("warp", 0)), of.colour({**owner, "lane": 0}))
    cta = of.layout.bits("block") > 0
    named = [(f"CTA {b} warp {w}" if cta else f"warp {w}", colour) for (b, w), colour in sorted(shown.items())]
    return named if len(named) > 1 else []


def _swatches(legend: Sequence[tuple[str, Colour]], sizes: _Sizes) -> list[str]:
    found, x, y = list[str](), float(_MARGIN), sizes.bottom + 12
    for text, colour in legend:
        found.append(
            f'<rect x="{x:g}" y="{y}" width="{_SWATCH}" height="{_SWATCH}" rx="2" fill="{colour.hexadecimal}"/>'
        )
        found.append(_text(x + _SWATCH + 4, y + 10, text))
        x += _SWATCH + 14 + len(text) * _CHARACTER
    return found


def _notes(of: Subject, picture: Picture) -> list[str]:
    notes = [f"cells: {of.key()}{phrases.axes(picture)}"]
    said, others = phrases.copies(picture), phrases.holders(picture)
    if said:
        notes.append(f"* {said}" + (f" (also {others})" if others else ""))
    steps = phrases.repeats(of, picture)
    return [*notes, "the pattern goes on:", *(f"\u00b7 {step}" for step in steps)] if steps else notes


def _note_lines(notes: Sequence[str], y: float) -> list[str]:
    return [_text(_MARGIN, y + _LINE * index + 8, note) for index, note in enumerate(notes)]
