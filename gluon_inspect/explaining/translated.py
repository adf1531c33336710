"""A kernel as Triton's translator to Gluon leaves it: every tensor in one default layout, which nobody has chosen.

The default is one element a thread, the lanes along the last dimension, the warps along the first
(triton/tools/triton_to_gluon_translator/common_helpers.py of Triton 3.9, translator_helpers.py of 3.6).
"""

from __future__ import annotations

from collections.abc import Iterator

from gluon_inspect.errors import InspectError
from gluon_inspect.ir.operations import ttg
from gluon_inspect.layouts.gluon_syntax import read_layout
from gluon_inspect.model.access import Space
from gluon_inspect.model.encodings import BlockedEncoding, Encoding, SliceEncoding
from gluon_inspect.model.report import KernelReport
from gluon_inspect.targets import find
from gluon_inspect.wording.numbers import plural

_PACKAGE = "triton_to_gluon_translat"
"""In its helpers' paths (it ends in "er" or "or"), which stand in the IR's locations where they are inlined."""


def as_translated(report: KernelReport) -> str:
    """A sentence without its full stop; empty for a kernel whose layouts somebody may have chosen."""
    if "ttir" in report.kernel.stages or not (_calls_helpers(report) or _has_defaults_only(report)):
        return ""
    count = sum(1 for each in report.conversions if each.op == ttg.CONVERT_LAYOUT.name)
    joined = f", and {plural(count, 'conversion')} between them" if count else ""
    return (
        "this looks like the output of Triton's translator to Gluon: its layouts are the translator's defaults "
        f"(one element a thread, lanes along the last dimension, warps along the first){joined}. Choose one "
        "layout for each tile and index it by SliceLayouts of that layout: most of the conversions then vanish"
    )


def _calls_helpers(report: KernelReport) -> bool:
    return any(_PACKAGE in text for text in report.kernel.stages.values())


def _has_defaults_only(report: KernelReport) -> bool:
    """Helpers copied into the kernel's own file leave their layouts, and conversions where ranks meet."""
    touching = [access for access in report.accesses if access.space is Space.GLOBAL and access.shape]
    tiles = {access.layout: len(access.shape) for access in touching}
    defaults = [_is_default(_read(layout), report) for layout in tiles]
    return bool(defaults) and all(defaults) and max(tiles.values()) > 1 and any(_expands(report))


def _expands(report: KernelReport) -> Iterator[bool]:
    """Whether each conversion is from or to a slice of a default layout, as an index gets a dimension."""
    for conversion in report.conversions:
        ends = [_read(text) for text in (conversion.source, conversion.target)]
        sliced = [end.parent for end in ends if isinstance(end, SliceEncoding)]
        yield len(sliced) == 1 and _is_default(sliced[0], report)


def _is_default(encoding: Encoding | None, report: KernelReport) -> bool:
    if not isinstance(encoding, BlockedEncoding):
        return False
    rank = len(encoding.order)
    ones = (1,) * (rank - 1)
    lanes, warps = find(report.kernel.target).warp_size, report.num_warps or 0
    return encoding == BlockedEncoding((1, *ones), (*ones, lanes), (warps, *ones), tuple(range(rank))[::-1])


def _read(text: str) -> Encoding | None:
    try:
        return read_layout(text)
    except InspectError:
        return None
