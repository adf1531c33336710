"""Small scripts that tests record."""

from __future__ import annotations

import textwrap
from pathlib import Path

HEAD = """
import torch, triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
"""

ADD = (
    HEAD
    + """
@triton.jit
def add(x, y, o, n, BLOCK: tl.constexpr = 256):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)
"""
)

COPY = (
    HEAD
    + """
@gluon.jit
def copy(src, dst, n, BLOCK: gl.constexpr, layout: gl.constexpr):
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout)
    gl.store(dst + i, gl.load(src + i, mask=i < n), mask=i < n)

LAYOUT = gl.BlockedLayout([1], [32], [4], [0])
"""
)


def write(folder: Path, text: str, name: str = "kernels.py") -> str:
    """Writes a script and returns its path."""
    path = folder / name
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    return str(path)
