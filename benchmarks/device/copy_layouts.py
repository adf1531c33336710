"""Time and profile copies under many blocked layouts on the card at hand.

    python copy_layouts.py compile CASES.json          compiles every case with many processes
    python copy_layouts.py time CASES.json OUT.json    times, registers, spills
    ncu ... python copy_layouts.py once CASES.json     one launch a case, for the profiler

A case: {"name", "mem": "rm"|"cm"|"rm2cm"|"flat", "XB", "YB", "layout": [size_per_thread, threads_per_warp,
warps_per_cta, order], "layout_out" (a conversion in between), "dtype", "shape", "step" (the source is every so
manieth row and column of a bigger one), "group", "role"}. "flat": a 1D copy of `XB` elements a program.

Cases of one group are timed against each other: each once, then the fastest of those whose role is "listed" and
all others in turns, so that clocks and temperature are the same for all. `ms` is the median of the last times.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from itertools import groupby
from math import prod
from pathlib import Path
from statistics import median
from typing import Any

import torch
import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl

Case = dict[str, Any]
Tensors = tuple[torch.Tensor, torch.Tensor]
_ROUNDS = 5
_FINALISTS = 4


# fmt: off
@gluon.jit
def copy_1d(src, dst, n, layout: gl.constexpr, XB: gl.constexpr):  # noqa: ANN001, ANN201, D103
    offsets = gl.program_id(0) * XB + gl.arange(0, XB, layout=layout)
    mask = offsets < n
    gl.store(dst + offsets, gl.load(src + offsets, mask=mask), mask=mask)


@gluon.jit
def copy_2d(src, dst, nx, ny, sx, sy, dx, dy, layout: gl.constexpr, XB: gl.constexpr, YB: gl.constexpr):  # noqa: ANN001, ANN201, D103
    ix = gl.program_id(0) * XB + gl.arange(0, XB, layout=gl.SliceLayout(1, layout))
    iy = gl.program_id(1) * YB + gl.arange(0, YB, layout=gl.SliceLayout(0, layout))
    mask = (ix[:, None] < nx) & (iy[None, :] < ny)
    v = gl.load(src + ix[:, None] * sx + iy[None, :] * sy, mask=mask)
    gl.store(dst + ix[:, None] * dx + iy[None, :] * dy, v, mask=mask)


@gluon.jit
def copy_converted(src, dst, nx, ny, sx, sy, dx, dy, layout: gl.constexpr, layout_out: gl.constexpr, XB: gl.constexpr, YB: gl.constexpr):  # noqa: ANN001, ANN201, D103, E501
    px, py = gl.program_id(0) * XB, gl.program_id(1) * YB
    ix = px + gl.arange(0, XB, layout=gl.SliceLayout(1, layout))
    iy = py + gl.arange(0, YB, layout=gl.SliceLayout(0, layout))
    v = gl.load(src + ix[:, None] * sx + iy[None, :] * sy, mask=(ix[:, None] < nx) & (iy[None, :] < ny))
    v = gl.convert_layout(v, layout_out)
    ox = px + gl.arange(0, XB, layout=gl.SliceLayout(1, layout_out))
    oy = py + gl.arange(0, YB, layout=gl.SliceLayout(0, layout_out))
    gl.store(dst + ox[:, None] * dx + oy[None, :] * dy, v, mask=(ox[:, None] < nx) & (oy[None, :] < ny))
# fmt: on


def _kind(case: Case) -> tuple[Any, ...]:
    """What decides a case's tensors."""
    return case["mem"], case.get("dtype", "float32"), _shape(case), tuple(case.get("step", (1, 1)))


def _shape(case: Case) -> tuple[int, ...]:
    return tuple(case.get("shape", (16384, 16384)))


def _tensors(case: Case) -> Tensors:
    """Source and destination in the case's memory orders."""
    dtype = getattr(torch, case.get("dtype", "float32"))
    if case["mem"] == "flat":
        src = torch.rand(_shape(case), device="cuda").to(dtype)
        return src, torch.empty_like(src)
    nx, ny = _shape(case)
    down, across = case.get("step", (1, 1))

    def matrix(column_major: bool, rows: int, columns: int) -> torch.Tensor:
        size = (columns, rows) if column_major else (rows, columns)
        kept = torch.rand(size, device="cuda").to(dtype)
        return kept.T if column_major else kept

    src = matrix(case["mem"] == "cm", nx * down, ny * across)[::down, ::across]
    return src, matrix(case["mem"] != "rm", nx, ny)


def _call(
    case: Case, src: Any, dst: Any, sizes: tuple[int, ...], strides: tuple[int, ...]
) -> tuple[Any, Any, Any]:
    """The kernel, its arguments and its grid."""
    layouts = [gl.BlockedLayout(*case["layout"])]
    if case["mem"] == "flat":
        return copy_1d, (src, dst, *sizes, *layouts, case["XB"]), (triton.cdiv(sizes[0], case["XB"]),)
    grid = (triton.cdiv(sizes[0], case["XB"]), triton.cdiv(sizes[1], case["YB"]))
    if "layout_out" in case:
        layouts.append(gl.BlockedLayout(*case["layout_out"]))
    kernel = copy_converted if "layout_out" in case else copy_2d
    return kernel, (src, dst, *sizes, *strides, *layouts, case["XB"], case["YB"]), grid


def _launcher(case: Case, tensors: Tensors) -> Callable[[], Any]:
    src, dst = tensors
    kernel, args, grid = _call(case, src, dst, tuple(src.shape), (*src.stride(), *dst.stride()))
    return lambda: kernel[grid](*args, num_warps=prod(case["layout"][2]))


def _compile(case: Case) -> None:
    dtype = getattr(torch, case.get("dtype", "float32"))
    sizes = _shape(case)
    down, across = case.get("step", (1, 1))
    rows, columns = (sizes[-1], 1), (1, sizes[0])
    src = (across, columns[1] * down) if case["mem"] == "cm" else (rows[0] * across * down, across)
    strides = (*src, *(rows if case["mem"] == "rm" else columns))
    kernel, args, _ = _call(case, dtype, dtype, sizes, strides)
    kernel.warmup(*args, grid=(1,), num_warps=prod(case["layout"][2]))


def _timed(case: Case, tensors: Tensors) -> Case:
    """The case with its registers, one time and whether it copied what it should."""
    launch = _launcher(case, tensors)
    tensors[1].zero_()
    kernel = launch()
    torch.cuda.synchronize()
    same = bool(torch.equal(*tensors))
    return {**case, "ms": _ms(launch), "correct": same, "n_regs": kernel.n_regs, "n_spills": kernel.n_spills}


def _ms(launch: Callable[[], Any]) -> float:
    return float(triton.testing.do_bench(launch, warmup=5, rep=25, return_mode="median"))


def _group(cases: list[Case]) -> list[Case]:
    """All cases of a group once, then the best listed and all others in turns."""
    found: list[tuple[Case, Tensors]] = []
    kind, tensors = None, None
    for case in cases:
        if tensors is None or kind != _kind(case):
            kind, tensors = _kind(case), _tensors(case)
        found.append((_timed(case, tensors), tensors))
    listed = sorted((row for row, _ in found if row.get("role") == "listed"), key=lambda row: row["ms"])
    again = [pair for pair in found if pair[0].get("role") != "listed" or pair[0] in listed[:_FINALISTS]]
    times: list[list[float]] = [[] for _ in again]
    for _ in range(_ROUNDS):
        for (row, own), kept in zip(again, times, strict=True):
            kept.append(_ms(_launcher(row, own)))
    for (row, _), kept in zip(again, times, strict=True):
        row["ms"], row["rounds"] = median(kept), kept
    return [row for row, _ in found]


def main() -> None:
    """Compile, time, or launch once."""
    mode, path = sys.argv[1:3]
    cases: list[Case] = json.loads(Path(path).read_text())
    if mode == "compile":
        with ProcessPoolExecutor(15) as pool:
            list(pool.map(_compile, cases, chunksize=2))
        return
    if mode == "once":
        for _, same in groupby(cases, key=_kind):
            chosen = list(same)
            tensors = _tensors(chosen[0])
            for case in chosen:
                _launcher(case, tensors)()
        torch.cuda.synchronize()
        return
    rows = [row for _, same in groupby(cases, key=lambda case: case.get("group")) for row in _group(list(same))]
    versions = {"device": torch.cuda.get_device_name(), "triton": triton.__version__, "torch": torch.__version__}
    Path(sys.argv[3]).write_text(json.dumps({**versions, "rows": rows}))


if __name__ == "__main__":
    main()
