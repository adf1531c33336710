"""Kernels whose dumps stand beside this file; Triton 3.6 to 3.9 compile them."""

from __future__ import annotations

import triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@triton.jit
def product(a, b, c, stride, SIZE: tl.constexpr):
    row = tl.arange(0, SIZE)[:, None]
    column = tl.arange(0, SIZE)[None, :]
    left = tl.load(a + row * stride + column)
    right = tl.load(b + row * stride + column)
    tl.store(c + row * stride + column, tl.dot(left, right))


@triton.jit
def transpose(src, dst, stride, SIZE: tl.constexpr):
    row = tl.arange(0, SIZE)[:, None]
    column = tl.arange(0, SIZE)[None, :]
    value = tl.load(src + row * stride + column)
    tl.store(dst + row + column * stride, value * 2.0)


@gluon.jit
def tile(src, stride, row, column):
    return gl.load(src + row[:, None] * stride + column[None, :])


@gluon.jit
def helped(src, dst, stride, SIZE: gl.constexpr, layout: gl.constexpr, out: gl.constexpr):
    row = gl.arange(0, SIZE, layout=gl.AutoLayout())
    column = gl.arange(0, SIZE, layout=gl.AutoLayout())
    offsets = gl.set_auto_layout(row[:, None] * stride + column[None, :], layout)
    value = gl.load(src + offsets)
    row = gl.arange(0, SIZE, layout=gl.SliceLayout(1, layout))
    column = gl.arange(0, SIZE, layout=gl.SliceLayout(0, layout))
    value = value + tile(src, stride, row, column)
    value = gl.convert_layout(value, out)
    row = gl.arange(0, SIZE, layout=gl.SliceLayout(1, out))
    column = gl.arange(0, SIZE, layout=gl.SliceLayout(0, out))
    gl.store(dst + row[:, None] + column[None, :] * stride, value)


@gluon.jit
def coalesced(src, dst, stride, SIZE: gl.constexpr):
    row = gl.arange(0, SIZE, layout=gl.AutoLayout())
    column = gl.arange(0, SIZE, layout=gl.AutoLayout())
    offsets = row[:, None] * stride + column[None, :]
    offsets = gl.set_auto_layout(offsets, gl.CoalescedLayout())
    gl.store(dst + offsets, gl.load(src + offsets) * 2.0)
