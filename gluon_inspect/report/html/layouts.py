"""Drawings of the layouts that a kernel's accesses have: who owns which element."""

from __future__ import annotations

from gluon_inspect.errors import InspectError
from gluon_inspect.layouts.drawing.subjects import Threads
from gluon_inspect.layouts.drawing.svg import svg
from gluon_inspect.layouts.lookup import encoding_of
from gluon_inspect.layouts.lowering import linear_layout
from gluon_inspect.model.report import KernelReport
from gluon_inspect.report.html.elements import Html, tag, text
from gluon_inspect.wording.characters import visible
from gluon_inspect.wording.layouts import short_layout

_MOST = 6
_TITLE_CHARACTERS = 120


def layout_drawings(kernel: KernelReport) -> Html:
    """Folded drawings of the first few distinct layouts; what cannot be drawn is said in its place."""
    wanted = dict.fromkeys(
        (access.layout, access.shape) for access in kernel.accesses if access.layout and access.shape
    )
    if not wanted:
        return Html("")
    drawings = (tag("figure", _drawing(layout, shape)) for layout, shape in list(wanted)[:_MOST])
    return tag("details", tag("summary", text("layouts, drawn")), *drawings)


def _drawing(layout: str, shape: tuple[int, ...]) -> Html:
    title = visible(f"{short_layout(layout)} of {'x'.join(str(size) for size in shape)}", _TITLE_CHARACTERS)
    try:
        return Html(svg(Threads(linear_layout(encoding_of(layout), shape)), title))
    except InspectError as error:
        return tag("figcaption", text(f"{title}: not drawn ({error.message})"))
