"""Gluon source for proposals, as an author would write it."""

from __future__ import annotations

from gluon_inspect.layouts.gluon_syntax import write_layout
from gluon_inspect.model.encodings import Encoding


def layout_assignment(name: str, layout: Encoding, shape: tuple[int, ...]) -> str:
    """`name = gl.BlockedLayout(…)`."""
    return f"{name} = {write_layout(layout, shape, 'gl.')}"
