"""Time and profile copy_2d under many blocked layouts on the card at hand.

    python copy_layouts.py compile CASES.json          compiles every case with many processes
    python copy_layouts.py time CASES.json OUT.json    median of do_bench, registers, spills
    ncu ... python copy_layouts.py once CASES.json     one launch a case, for the profiler

A case: {"name", "mem": "rm"|"cm"|"rm2cm", "XB", "YB", "layout": [size_per_thread, threads_per_warp,
warps_per_cta, order], "dtype", "shape"}.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from math import prod
from pathlib import Path
from typing import Any

import torch
import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl

Case = dict[str, Any]


# fmt: off
@gluon.jit
def copy_2d(src, dst, nx, ny, sx, sy, dx, dy, layout: gl.constexpr, XB: gl.constexpr, YB: gl.constexpr):  # noqa: ANN001, ANN201, D103
    ix = gl.program_id(0) * XB + gl.arange(0, XB, layout=gl.SliceLayout(1, layout))
    iy = gl.program_id(1) * YB + gl.arange(0, YB, layout=gl.SliceLayout(0, layout))
    mask = (ix[:, None] < nx) & (iy[None, :] < ny)
    v = gl.load(src + ix[:, None] * sx + iy[None, :] * sy, mask=mask)
    gl.store(dst + ix[:, None] * dx + iy[None, :] * dy, v, mask=mask)
# fmt: on


def _shape(case: Case) -> tuple[int, int]:
    nx, ny = case.get("shape", (16384, 16384))
    return nx, ny


def _tensors(case: Case) -> tuple[torch.Tensor, torch.Tensor]:
    """Source and destination in the case's memory orders."""
    nx, ny = _shape(case)
    dtype = getattr(torch, case.get("dtype", "float32"))

    def matrix(column_major: bool) -> torch.Tensor:
        kept = torch.rand((ny, nx) if column_major else (nx, ny), device="cuda").to(dtype)
        return kept.T if column_major else kept

    return matrix(case["mem"] == "cm"), matrix(case["mem"] != "rm")


def _launcher(case: Case, src: torch.Tensor, dst: torch.Tensor) -> Callable[[], Any]:
    nx, ny = src.shape
    layout = gl.BlockedLayout(*case["layout"])
    grid = (triton.cdiv(nx, case["XB"]), triton.cdiv(ny, case["YB"]))
    args = (src, dst, nx, ny, *src.stride(), *dst.stride(), layout, case["XB"], case["YB"])
    return lambda: copy_2d[grid](*args, num_warps=prod(case["layout"][2]))


def _compile(case: Case) -> None:
    nx, ny = _shape(case)
    dtype = getattr(torch, case.get("dtype", "float32"))
    rows, columns = (ny, 1), (1, nx)
    src = columns if case["mem"] == "cm" else rows
    dst = rows if case["mem"] == "rm" else columns
    layout = gl.BlockedLayout(*case["layout"])
    args = (dtype, dtype, nx, ny, *src, *dst, layout, case["XB"], case["YB"])
    copy_2d.warmup(*args, grid=(1,), num_warps=prod(case["layout"][2]))


def _timed(case: Case, tensors: tuple[torch.Tensor, torch.Tensor]) -> Case:
    launch = _launcher(case, *tensors)
    tensors[1].zero_()
    kernel = launch()
    torch.cuda.synchronize()
    same = bool(torch.equal(*tensors))
    ms = triton.testing.do_bench(launch, warmup=10, rep=60, quantiles=[0.5, 0.2, 0.8])
    times = dict(zip(("ms", "p20", "p80"), ms, strict=True))
    return {**case, **times, "correct": same, "n_regs": kernel.n_regs, "n_spills": kernel.n_spills}


def main() -> None:
    """Compile, time, or launch once."""
    mode, path = sys.argv[1:3]
    cases: list[Case] = json.loads(Path(path).read_text())
    if mode == "compile":
        with ProcessPoolExecutor(15) as pool:
            list(pool.map(_compile, cases, chunksize=2))
        return
    rows: list[Case] = []
    kind, tensors = None, None
    for case in cases:
        if tensors is None or kind != (case["mem"], case.get("dtype"), _shape(case)):
            tensors = None
            tensors, kind = _tensors(case), (case["mem"], case.get("dtype"), _shape(case))
        if mode == "once":
            _launcher(case, *tensors)()
        else:
            rows.append(_timed(case, tensors))
    torch.cuda.synchronize()
    if mode == "time":
        versions = {
            "device": torch.cuda.get_device_name(),
            "triton": triton.__version__,
            "torch": torch.__version__,
        }
        Path(sys.argv[3]).write_text(json.dumps({**versions, "rows": rows}))


if __name__ == "__main__":
    main()
