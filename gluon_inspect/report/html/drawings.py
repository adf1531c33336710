"""Inline SVG: how one request's lanes fall on sectors, and what share of the traffic was needed."""

from __future__ import annotations

from gluon_inspect.model.access import Access
from gluon_inspect.report.html.elements import Html, joined, tag, text

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
