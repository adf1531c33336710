"""Inline SVG: lanes on sectors, shares of the traffic, where the expected time goes, who owns which element."""

from gluon_inspect.errors import InspectError
from gluon_inspect.layouts.drawing.subjects import Threads
from gluon_inspect.layouts.drawing.svg import svg
from gluon_inspect.layouts.lookup import encoding_of
from gluon_inspect.layouts.lowering import linear_layout
from gluon_inspect.model.access import Access
from gluon_inspect.model.report import KernelReport
from gluon_inspect.report.html.elements import Html, joined, tag, text
from gluon_inspect.wording.characters import visible
from gluon_inspect.wording.layouts import short_layout

_SECTOR_BYTES = 32
_LANES = 32
_CELL = 14
_HUES = 12


def lanes_on_sectors(access: Access) -> Html:
    """The first 32 lanes, coloured by the sector their bytes start in; nothing where strides are unknown."""
    geometry = access.geometry
    if geometry is None or geometry.lane_stride_bytes is None or access.vector_bits is None:
        return Html("")
    sectors = [lane * geometry.lane_stride_bytes // _SECTOR_BYTES for lane in range(_LANES)]
    order = {sector: index for index, sector in enumerate(dict.fromkeys(sectors))}
    cells = (_lane(lane, order[sector]) for lane, sector in enumerate(sectors))
    title = (
        f"neighbouring lanes lie {geometry.lane_stride_bytes} bytes apart: 32 lanes start in {len(order)} sectors"
    )
    drawing = tag(
        "svg",
        tag("title", text(title)),
        *cells,
        viewBox=f"0 0 {_LANES * _CELL} {_CELL}",
        width=_LANES * _CELL,
        height=_CELL,
        role="img",
    )
    return tag("figure", drawing, tag("figcaption", text(title)), class_="lanes")


def _lane(lane: int, sector: int) -> Html:
    return tag(
        "rect",
        x=lane * _CELL,
        y=0,
        width=_CELL - 1,
        height=_CELL,
        class_=f"sector{sector % _HUES}",
        data_lane=lane,
    )


def share_bar(share: float | None) -> Html:
    """A bar filled to a share between 0 and 1; empty with a dashed border where it is unknown."""
    width = 80
    if share is None:
        frame = tag("rect", x=0, y=0, width=width, height=8, class_="bar-unknown")
        return tag("svg", frame, viewBox=f"0 0 {width} 8", width=width, height=8, aria_hidden="true")
    filled = max(min(share, 1.0), 0.0) * width
    return tag(
        "svg",
        joined(
            tag("rect", x=0, y=0, width=width, height=8, class_="bar"),
            tag("rect", x=0, y=0, width=f"{filled:.1f}", height=8, class_="bar-filled"),
        ),
        viewBox=f"0 0 {width} 8",
        width=width,
        height=8,
        aria_hidden="true",
    )


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


_MOST_LAYOUTS = 6
_TITLE_CHARACTERS = 120


def layout_drawings(kernel: KernelReport) -> Html:
    """Folded drawings of the first few distinct layouts; what cannot be drawn is said in its place."""
    wanted = dict.fromkeys(
        (access.layout, access.shape) for access in kernel.accesses if access.layout and access.shape
    )
    if not wanted:
        return Html("")
    drawings = (tag("figure", _layout(layout, shape)) for layout, shape in list(wanted)[:_MOST_LAYOUTS])
    return tag("details", tag("summary", text("layouts, drawn")), *drawings)


def _layout(layout: str, shape: tuple[int, ...]) -> Html:
    title = visible(f"{short_layout(layout)} of {'x'.join(str(size) for size in shape)}", _TITLE_CHARACTERS)
    try:
        return Html(svg(Threads(linear_layout(encoding_of(layout), shape)), title))
    except InspectError as error:
        return tag("figcaption", text(f"{title}: not drawn ({error.message})"))
