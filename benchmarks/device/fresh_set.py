"""Time launches of fresh_kernels.py on the card at hand, and save them as ../shared/truth/times_h200.json.gz is.

    python fresh_set.py compile               compiles every launch, in many processes (no times)
    python fresh_set.py time OUT.json.gz      compiles, then times: the median of three rounds, all in turns
    ncu ... python fresh_set.py once NAME...  one launch of each, for the profiler

Times: `triton.testing.do_bench`, which writes over the L2 between runs; clocks are left alone.
"""

from __future__ import annotations

import gzip
import inspect
import json
import re
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import fresh_kernels as kernels
import torch
import triton
from triton.experimental.gluon import language as gl

_ROUNDS = 3


@dataclass(frozen=True)
class Launch:
    """One launch: arguments as the truth writes them, constexprs as objects."""

    kernel: str
    name: str
    args: tuple[Any, ...]
    grid: tuple[int, ...]
    consts: dict[str, Any] = field(default_factory=dict[str, Any])
    warps: int = 4
    stages: int = 3


def _t(dtype: str, *shape: int) -> list[Any]:
    return ["t", dtype, list(shape)]


def _word(const: Any) -> str:
    """A constexpr in a name; a layout by its numbers."""
    return re.sub(r"\D+", "", str(const))[:12] if hasattr(const, "order") else str(const)


def _launch(kernel: str, args: Any, grid: Any, warps: int = 4, stages: int = 3, **consts: Any) -> Launch:
    named = "_".join(map(_word, consts.values()))
    labels = "".join(f"_{a[2]}" for a in args if isinstance(a, list) and a[0] == "label")
    sizes = "x".join(str(a) for a in args if isinstance(a, int))
    dtype = next(a[1] for a in args if isinstance(a, list) and a[0] == "t")
    name = f"{kernel}_{sizes}{labels}_{dtype}_{named}_w{warps}s{stages}"
    return Launch(kernel, name, tuple(args), tuple(grid), consts, warps, stages)


def launches() -> Iterator[Launch]:
    """Every launch."""
    yield from _memory()
    yield from _rows()
    yield from _atomics()
    yield from _products()
    yield from _attention()
    yield from _gluon()


def _memory() -> Iterator[Launch]:
    tokens, heads = 16384, 32
    for dim, block, warps in ((128, 8, 4), (128, 32, 4), (64, 8, 4), (128, 4, 1)):
        x, angles = _t("bfloat16", tokens, heads, dim), _t("float32", tokens, dim // 2)
        grid = (tokens, heads // block)
        yield _launch("rope_halves", (x, angles, angles, x), grid, warps, H=heads, D=dim, BH=block)
    for rows, block, warps in ((1, 1024, 4), (4, 1024, 4), (16, 64, 4), (1, 256, 1)):
        args = (_t("bfloat16", 128000, 1024), ["label", 65536, 128000], _t("bfloat16", 65536, 1024), 1024)
        yield _launch("gather_rows", args, (65536 // rows, 1024 // block), warps, ROWS=rows, BLOCK=block)
    n = 1 << 25
    for group, block, warps in ((64, 1024, 4), (64, 512, 8), (32, 4096, 4)):
        args = (_t("uint8", n), _t("float32", n // group), _t("float16", 2 * n), n)
        yield _launch("dequantise", args, (n // block,), warps, GROUP=group, BLOCK=block)
    for block, warps in ((512, 4), (1024, 4), (4096, 8)):
        args = (*(_t("float32", n) for _ in range(4)), n, 0.001)
        yield _launch("adam", args, (n // block,), warps, BLOCK=block)
    for block, warps in ((1024, 4), (4096, 4)):
        args = (_t("bfloat16", n), _t("bfloat16", n), _t("bfloat16", n), n, 42)
        yield _launch("dropout_add", args, (n // block,), warps, BLOCK=block)
    for high, wide, warps in ((8, 128, 4), (1, 1024, 4), (32, 32, 4)):
        x = _t("float32", 8192, 8192)
        yield _launch("stencil", (x, x, 8192, 8192), (8192 // high, 8192 // wide), warps, BH=high, BW=wide)


def _rows() -> Iterator[Launch]:
    for size, block, warps in ((40960, 1024, 4), (40960, 4096, 8), (10240, 2048, 4)):
        x = _t("float16", 2048 * 40960 // size, size)
        args = (x, _t("float32", 32), x, size, 1e-5)
        yield _launch("group_norm", args, (2048 * 40960 // size,), warps, BLOCK=block)
    for width, block, warps in ((128256, 1024, 4), (128256, 4096, 8), (32000, 512, 1)):
        args = (_t("bfloat16", 1024, width), _t("float32", 1024), _t("int32", 1024), width)
        yield _launch("row_argmax", args, (1024,), warps, BLOCK=block)
    for width, warps in ((4096, 4), (4096, 8), (1000, 1), (16384, 8)):
        rows = (1 << 26) // width
        x = _t("float16", rows, width)
        yield _launch("softmax_backward", (x, x, x, width), (rows,), warps, BLOCK=triton.next_power_of_2(width))
    for width, warps in ((4096, 4), (8192, 4), (8192, 16)):
        rows = (1 << 26) // width
        args = (_t("bfloat16", rows, width), _t("int8", rows, width), _t("float32", rows), width)
        yield _launch("quantise_rows", args, (rows,), warps, BLOCK=width)
    for rows, block, warps in ((1, 1024, 4), (4, 512, 4), (16, 128, 4), (8, 1024, 8)):
        args = (_t("float16", 8192, 8192), _t("float16", 8192), _t("float32", 8192), 8192)
        yield _launch("gemv", args, (8192 // rows,), warps, ROWS=rows, BLOCK=block)


def _atomics() -> Iterator[Launch]:
    n = 1 << 24
    for bins in (64, 4096, 1 << 20):
        args = (["label", n, bins], _t("int32", bins), n)
        yield _launch("count_bins", args, (n // 1024,), BLOCK=1024)
    for nodes in (64, 8192):
        args = (_t("float32", 65536, 256), ["label", 65536, nodes], _t("float32", nodes, 256), 256)
        yield _launch("scatter_add", args, (65536 // 8, 1), ROWS=8, BLOCK=256)


def _products() -> Iterator[Launch]:
    for m, n, k, warps in ((64, 64, 64, 4), (32, 32, 64, 1), (128, 64, 64, 4), (16, 128, 128, 2)):
        count = (1 << 26) // (m * k)
        args = (_t("float16", count, m, k), _t("float16", count, k, n), _t("float16", count, m, n))
        yield _launch("small_products", args, (count,), warps, M=m, N=n, K=k)
    for m, split, bm, bn, warps in ((16, 8, 16, 64, 4), (64, 4, 64, 64, 4), (256, 8, 128, 128, 8)):
        n, k = 4096, 8192
        args = (_t("bfloat16", m, k), _t("bfloat16", k, n), _t("float32", m, n), m, n, k)
        yield _launch("split_k", args, (m // bm, n // bn, split), warps, SPLIT=split, BM=bm, BN=bn, BK=64)
    for size, dtype, bm, bn, bk, warps, stages in (
        (4096, "bfloat16", 128, 128, 64, 4, 3), (4096, "bfloat16", 128, 256, 64, 8, 3),
        (2048, "bfloat16", 64, 128, 64, 4, 4), (4096, "float8_e4m3fn", 128, 128, 128, 8, 3),
    ):  # fmt: skip
        tiles = (size // bm) * (size // bn)
        args = (_t(dtype, size, size), _t(dtype, size, size), _t("bfloat16", size, size), size, size, size, tiles)
        yield _launch("persistent_product", args, (min(132, tiles),), warps, stages, BM=bm, BN=bn, BK=bk)


def _attention() -> Iterator[Launch]:
    for dim, bm, bn, warps, stages in (
        (32, 128, 64, 4, 3), (256, 64, 32, 4, 2), (256, 128, 64, 8, 2), (64, 128, 64, 4, 3),
    ):  # fmt: skip
        heads, length = 16, 4096
        q, k = _t("bfloat16", heads, length, dim), _t("bfloat16", heads // 4, length, dim)
        grid = (length // bm, heads)
        yield _launch(
            "grouped_attention", (q, k, k, q, 0.125, length), grid, warps, stages, GROUP=4, D=dim, BM=bm, BN=bn
        )
    for part, bn, warps in ((512, 64, 4), (2048, 64, 4), (1024, 128, 8)):
        heads, length, dim = 256, 8192, 128
        k, parts = _t("float16", heads, length, dim), length // part
        args = (_t("float16", heads, dim), k, k, _t("float32", heads, parts, dim), 0.125, length)
        yield _launch("decode_attention", args, (heads, parts), warps, D=dim, PER=part, BN=bn)


def _gluon() -> Iterator[Launch]:
    n = 1 << 26
    for each, block in ((1, 512), (2, 1024), (8, 4096), (16, 8192)):
        args = (_t("float16", n), _t("float16", n), n)
        layout = gl.BlockedLayout([each], [32], [4], [0])
        yield _launch("gl_scale_1d", args, (n // block,), layout=layout, BLOCK=block)
    for sizes, threads, warps, order, tile in (
        ([1, 4], [4, 8], [4, 1], [1, 0], (32, 64)), ([4, 1], [8, 4], [1, 4], [0, 1], (32, 64)),
        ([1, 8], [16, 2], [4, 1], [1, 0], (64, 32)), ([1, 2], [1, 32], [4, 1], [1, 0], (16, 128)),
    ):  # fmt: skip
        x = _t("bfloat16", 8192, 8192)
        layout = gl.BlockedLayout(sizes, threads, warps, order)
        grid = (8192 // tile[0], 8192 // tile[1])
        yield _launch("gl_add_2d", (x, x, x, 8192, 8192), grid, layout=layout, BM=tile[0], BN=tile[1])
    for smem in (gl.SwizzledSharedLayout(1, 1, 1, [1, 0]), gl.SwizzledSharedLayout(1, 1, 32, [1, 0])):
        x = _t("float32", 8192, 8192)
        rows = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
        columns = gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])
        consts = {"layout": rows, "out": columns, "smem": smem, "B": 64}
        yield _launch("gl_transpose_shared", (x, x, 8192, 8192), (128, 128), **consts)


def _tensor(value: Any) -> Any:
    """What a launch is given for an argument."""
    match value:
        case ["t", dtype, shape] if dtype.startswith("float8"):
            return torch.randn(shape, device="cuda").to(getattr(torch, dtype))
        case ["t", "uint8" | "int8" | "int32" as dtype, shape]:
            return torch.randint(0, 100, shape, device="cuda", dtype=getattr(torch, dtype))
        case ["t", dtype, shape]:
            return torch.randn(shape, device="cuda", dtype=getattr(torch, dtype))
        case ["label", size, high]:
            return torch.randint(0, high, (size,), device="cuda")
        case _:
            return value


def _typed(value: Any) -> Any:
    """What a compilation is given for an argument."""
    match value:
        case ["t", dtype, _]:
            return triton.MockTensor(getattr(torch, dtype))
        case ["label", _, _]:
            return triton.MockTensor(torch.int64)
        case _:
            return value


def _options(launch: Launch) -> dict[str, Any]:
    return {**launch.consts, "num_warps": launch.warps, "num_stages": launch.stages}


def compiled(launch: Launch) -> Any:
    """The compiled kernel, launched nowhere."""
    kernel = getattr(kernels, launch.kernel)
    return kernel.warmup(*map(_typed, launch.args), grid=launch.grid, **_options(launch))


def _compile(at: int) -> str:
    launch = list(launches())[at]
    try:
        found = compiled(launch)
    except Exception as error:  # noqa: BLE001  one launch that does not compile costs only itself
        return f"FAILED {launch.name}: {error!r}"[:400]
    return f"{launch.name}: shared {found.metadata.shared}"


def _case(launch: Launch, kernel: Any) -> dict[str, Any]:
    """A launch as the truth's files hold it; `parameters` are those of run time, in order."""
    every = inspect.signature(getattr(kernels, launch.kernel).fn).parameters
    names = [each for each in every if each not in launch.consts]
    return {
        "name": launch.name, "kernel": launch.kernel, "parameters": names, "args": list(launch.args),
        "consts": {name: str(value) for name, value in launch.consts.items()}, "grid": list(launch.grid),
        "num_warps": launch.warps, "num_stages": launch.stages, "shared": kernel.metadata.shared,
        "n_regs": kernel.n_regs, "n_spills": kernel.n_spills,
        "ttgir": kernel.asm["ttgir"], "sass": kernel.asm["sass"], "profile": None,
    }  # fmt: skip


def _ready(launch: Launch) -> tuple[Any, Any]:
    """The compiled kernel after a first launch, and what launches it again."""
    given = [_tensor(each) for each in launch.args]
    kernel = getattr(kernels, launch.kernel)[launch.grid]

    def again() -> Any:
        return kernel(*given, **_options(launch))

    return again(), again


def _times(launch: Launch) -> tuple[dict[str, Any], list[float]]:
    kernel, again = _ready(launch)
    torch.cuda.synchronize()
    found = triton.testing.do_bench(again, warmup=10, rep=50, quantiles=[0.5, 0.1, 0.9])
    return _case(launch, kernel), list(found)


def _time(path: Path) -> None:
    cases: dict[str, dict[str, Any]] = {}
    rounds: dict[str, list[list[float]]] = {}
    for _ in range(_ROUNDS):
        for launch in launches():
            try:
                case, found = _times(launch)
            except Exception as error:  # noqa: BLE001  one launch that fails costs only itself
                print(f"FAILED {launch.name}: {error!r}"[:400], flush=True)
                continue
            cases[launch.name] = case
            rounds.setdefault(launch.name, []).append(found)
    for name, found in rounds.items():
        middle, low, high = (median(values) for values in zip(*found, strict=True))
        cases[name].update(ms=middle, ms_p10=low, ms_p90=high, rounds=[each[0] for each in found])
        print(f"{name:70s} {middle * 1e3:9.1f} us  {[round(each[0] * 1e3, 1) for each in found]}")
    head = {
        "device": torch.cuda.get_device_name(), "triton": triton.__version__, "torch": torch.__version__,
        "timing": "median of three rounds of triton.testing.do_bench (L2 flushed), clocks left alone",
    }  # fmt: skip
    with gzip.open(path, "wt") as file:
        json.dump({**head, "cases": list(cases.values())}, file)


def main() -> None:
    """Compile, time, or launch once."""
    mode, *rest = sys.argv[1:]
    every = list(launches())
    if mode != "once":
        with ProcessPoolExecutor(15) as pool:
            said = list(pool.map(_compile, range(len(every))))
        print(*(line for line in said if mode == "compile" or "FAILED" in line), sep="\n")
    if mode == "time":
        _time(Path(rest[0]))
    elif mode == "once":
        for launch in every:
            if not rest or launch.name in rest:
                _ready(launch)
                torch.cuda.synchronize()


if __name__ == "__main__":
    main()
