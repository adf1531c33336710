"""Where two layouts of one tensor part: the registers, lanes and warps that hold different elements."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gluon_inspect.errors import InspectError
from gluon_inspect.layouts.gluon_syntax import read_layout
from gluon_inspect.layouts.linear import LinearLayout
from gluon_inspect.layouts.lowering import linear_layout
from gluon_inspect.model.encodings import LinearEncoding

_LINEAR = re.compile(r"DistributedLinearLayout\([^()\n]*\)")
_SHAPE = re.compile(r"shape=\[([\d, ]*)\]")


def differing_bases(first: LinearLayout, second: LinearLayout) -> Iterator[str]:
    """Each basis that two layouts do not share, in words: "lane 4 is at (8, 0), then at (0, 32)"."""
    for name in ("register", "lane", "warp", "block"):
        ours, theirs = first.bases.get(name, ()), second.bases.get(name, ())
        for bit in range(max(len(ours), len(theirs))):
            before = ours[bit] if bit < len(ours) else None
            after = theirs[bit] if bit < len(theirs) else None
            if before != after:
                yield f"{name} {1 << bit} is at {_at(before)}, then at {_at(after)}"


def _at(basis: tuple[int, ...] | None) -> str:
    return "no place of its own" if basis is None else f"({', '.join(map(str, basis))})"


def parted_in(message: str) -> tuple[str, ...]:
    """The bases that differ between the two linear layouts that a message of Gluon prints; none if it has none."""
    found = [_linear(text) for text in _LINEAR.findall(message)]
    layouts = [layout for layout in found if layout is not None]
    return tuple(differing_bases(*layouts)) if len(layouts) == 2 else ()


def _linear(text: str) -> LinearLayout | None:
    shape = _SHAPE.search(text)
    try:
        encoding = read_layout(text)
        if not isinstance(encoding, LinearEncoding) or shape is None:
            return None
        return linear_layout(encoding, tuple(int(size) for size in shape[1].split(",") if size.strip()))
    except InspectError:
        return None
