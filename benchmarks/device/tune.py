"""Tuning with and without the model, on the GPU here: `python -m benchmarks.device.tune --out FILE`.

For each problem 30 to 60 configurations: expected time, two rounds of timing of all, Triton's autotuner as it is,
and with `early_config_prune(keep=5)`. Then what the model's first choice reaches of the best, where the best
stands in the ranking, and the GPU time of both tuners. `--dry` compiles and ranks only, on any machine.
"""

import argparse
import importlib
import json
import sys
import tempfile
import time
from itertools import product as every
from pathlib import Path
from statistics import median

import torch
import triton
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.nvidia.hopper import TensorDescriptor

from benchmarks.device import tune_kernels as kernels
from gluon_inspect.tune.pruning import early_config_prune, expected_seconds

_KEEP, _ROUNDS = 5, 2


class Problem:
    """A kernel, its configurations and a launch."""

    def __init__(self, name, function, configs, arguments, grid):
        self.name, self.configs, self.arguments, self.grid = name, configs, arguments, grid
        self.function = function

    def tuner(self, **pruned):
        return triton.autotune(configs=self.configs, key=[], prune_configs_by=pruned or None)(self.function)

    def launch(self, tuner, config, arguments):
        values = {**dict(zip(tuner.arg_names, arguments)), **config.all_kwargs()}
        if config.pre_hook:
            config.pre_hook(values)
        self.function[self.grid](*arguments, **config.all_kwargs())


def _half(*shape, device):
    return torch.randn(shape, dtype=torch.float16, device=device) if device == "cuda" else _empty(shape, device)


def _empty(shape, device, dtype=torch.float16):
    return torch.empty(shape, dtype=dtype, device=device)


def matmul(m, n, k):
    sizes = every((64, 128), (64, 128, 256), (32, 64), (4, 8), (3, 4))
    configs = [
        triton.Config({"BM": bm, "BN": bn, "BK": bk, "GROUP": 8}, num_warps=w, num_stages=s)
        for bm, bn, bk, w, s in sizes
    ]
    return Problem(
        f"matmul {m}x{n}x{k}",
        kernels.matmul,
        configs,
        lambda d: (_half(m, k, device=d), _half(k, n, device=d), _empty((m, n), d), m, n, k),
        lambda meta: (triton.cdiv(m, meta["BM"]) * triton.cdiv(n, meta["BN"]),),
    )


def attention(heads, s, d):
    sizes = every((64, 128), (32, 64, 128), (4, 8), (2, 3, 4))
    configs = [triton.Config({"D": d, "BM": bm, "BN": bn}, num_warps=w, num_stages=n) for bm, bn, w, n in sizes]
    return Problem(
        f"attention {heads}x{s}x{d}",
        kernels.attention,
        configs,
        lambda dev: (*(_half(heads, s, d, device=dev) for _ in range(3)), _empty((heads, s, d), dev), d**-0.5, s),
        lambda meta: (triton.cdiv(s, meta["BM"]), heads),
    )


def attention_backward(heads, s, d):
    sizes = every((32, 64, 128), (64, 128), (4, 8), (1, 2, 3))
    configs = [triton.Config({"D": d, "BM": bm, "BN": bn}, num_warps=w, num_stages=n) for bm, bn, w, n in sizes]

    def arguments(dev):
        rows = [torch.ones((heads, s), dtype=torch.float32, device=dev) * 8 for _ in range(2)]
        outs = [_empty((heads, s, d), dev) for _ in range(2)]
        return (*(_half(heads, s, d, device=dev) for _ in range(4)), *rows, *outs, d**-0.5, s)

    return Problem(
        f"attention backward {heads}x{s}x{d}",
        kernels.attention_backward,
        configs,
        arguments,
        lambda meta: (triton.cdiv(s, meta["BN"]), heads),
    )


def layer_norm(rows, n):
    sizes = every((256, 512, 1024, 2048, 4096, 8192), (1, 2, 4, 8, 16, 32))
    configs = [triton.Config({"BLOCK": block}, num_warps=w) for block, w in sizes]
    return Problem(
        f"layer norm {rows}x{n}",
        kernels.layer_norm,
        configs,
        lambda d: (
            _half(rows, n, device=d),
            *(torch.ones(n, dtype=torch.float32, device=d) for _ in range(2)),
            _empty((rows, n), d),
            n,
            1e-5,
        ),
        lambda _: (rows,),
    )


def _blocks(values):
    """The descriptors' boxes are those of the configuration."""
    for name, shape in (("a_desc", ("BM", "BK")), ("b_desc", ("BK", "BN"))):
        block = [values[each] for each in shape]
        values[name].block_shape = block
        values[name].layout = gl.NVMMASharedLayout.get_default_for(block, gl.float16)


def product(m, n, k):
    sizes = every((64, 128), (64, 128, 256), (64, 128), (4, 8), (2, 3, 4, 5))
    configs = [
        triton.Config({"BM": bm, "BN": bn, "BK": bk, "DEPTH": depth}, num_warps=w, num_stages=1, pre_hook=_blocks)
        for bm, bn, bk, w, depth in sizes
        if bm >= 16 * w and depth * (bm + bn) * bk * 2 < 220_000 and bm * bn <= 128 * 32 * w * 2
    ]

    def arguments(d):
        layout = gl.NVMMASharedLayout.get_default_for([64, 64], gl.float16)
        a, b = _half(m, k, device=d), _half(k, n, device=d)
        described = [TensorDescriptor.from_tensor(each, [64, 64], layout) for each in (a, b)]
        return (*described, _empty((m, n), d), k, n)

    return Problem(
        f"Gluon product {m}x{n}x{k}",
        kernels.product,
        configs,
        arguments,
        lambda meta: (triton.cdiv(m, meta["BM"]), triton.cdiv(n, meta["BN"])),
    )


def problems():
    """In the order of their importance: time may run out."""
    yield matmul(4096, 4096, 4096)
    yield attention(32, 4096, 64)
    yield product(4096, 4096, 4096)
    yield layer_norm(8192, 8192)
    yield matmul(1024, 1024, 8192)
    yield attention_backward(32, 4096, 64)
    yield matmul(512, 16384, 2048)
    yield product(2048, 2048, 8192)


def _expected(problem, tuner, arguments):
    tuner.nargs = dict(zip(tuner.arg_names, arguments))
    start = time.perf_counter()
    found = expected_seconds(tuner, problem.configs, {"grid": problem.grid, "warmup": False})
    return found, time.perf_counter() - start


def _all_timed(problem, tuner, arguments):
    """Milliseconds of each configuration, infinite where it cannot be launched; rounds take turns."""
    times = [[] for _ in problem.configs]
    for _ in range(_ROUNDS):
        for config, own in zip(problem.configs, times):
            try:
                run = lambda config=config: problem.launch(tuner, config, arguments)  # noqa: E731
                own.append(triton.testing.do_bench(run, warmup=4, rep=16, return_mode="median"))
            except Exception as error:
                if "OutOfResources" not in type(error).__name__:
                    print("not launched:", problem.name, config, repr(error)[:200], file=sys.stderr)
                own.append(float("inf"))
    return [median(own) for own in times]


def _autotuned(problem, arguments, **pruned):
    """Seconds of the call, seconds that it spent timing, how many it timed, and what it chose."""
    tuner = problem.tuner(**pruned)
    start = time.perf_counter()
    tuner[problem.grid](*arguments)
    torch.cuda.synchronize()
    timed = getattr(tuner, "configs_timings", {})
    return time.perf_counter() - start, getattr(tuner, "bench_time", 0.0), len(timed), str(tuner.best_config)


def _judged(row):
    found = zip(row["expected"], row["ms"], row["configs"], strict=True)
    launched = sorted((each for each in found if each[1] < float("inf")), key=lambda each: each[1])
    best, row["best"] = launched[0][1:]
    ranked = sorted((each for each in launched if each[0] is not None), key=lambda each: each[0])
    if ranked:
        row["first reaches"] = best / ranked[0][1]
        row["best of five reaches"] = best / min(each[1] for each in ranked[:_KEEP])
        row["rank of best"] = next((at for at, each in enumerate(ranked, 1) if each[1] == best), None)


def _cold(problem, arguments, folder):
    """Seconds to compile and rank all from an empty cache, and to compile them one by one, as the tuner would."""
    knobs = triton.knobs
    seconds = []
    for number, compile_ in enumerate((_ranked_cold, _compiled_cold)):
        knobs.cache.dir = str(Path(folder) / f"cold{number}")
        problem.function.device_caches.clear()
        tuner = problem.tuner()
        tuner.nargs = dict(zip(tuner.arg_names, arguments))
        start = time.perf_counter()
        compile_(problem, tuner, arguments)
        seconds.append(time.perf_counter() - start)
    return seconds


def _ranked_cold(problem, tuner, _):
    expected_seconds(tuner, problem.configs, {"grid": problem.grid, "warmup": False})


def _compiled_cold(problem, tuner, arguments):
    for config in problem.configs:
        if config.pre_hook:
            config.pre_hook({**tuner.nargs, **config.all_kwargs()})
        problem.function.warmup(*arguments, grid=problem.grid, **config.all_kwargs())


def measured(problem, device, dry, folder):
    arguments = problem.arguments(device)
    row = {"name": problem.name, "configs": [str(config) for config in problem.configs]}
    if problem.name.startswith("matmul 4096") or dry:
        row["cold ranked s"], row["cold compiled s"] = _cold(problem, arguments, folder)
    tuner = problem.tuner()
    row["expected"], row["ranking s"] = _expected(problem, tuner, arguments)
    if dry:
        return row
    start = time.perf_counter()
    row["ms"] = _all_timed(problem, tuner, arguments)
    row["exhaustive s"] = time.perf_counter() - start
    row["plain"] = _autotuned(problem, arguments)
    row["pruned"] = _autotuned(problem, arguments, early_config_prune=early_config_prune(_KEEP))
    _judged(row)
    return row


def _told(row):
    known = sum(each is not None for each in row["expected"])
    line = f"{row['name']:34s} {len(row['configs'])} configurations, {known} with a time, "
    line += f"ranked in {row['ranking s']:.1f} s"
    if "cold ranked s" in row:
        line += f" (cold {row['cold ranked s']:.1f} s, compiling one by one {row['cold compiled s']:.1f} s)"
    if "ms" in row:
        plain, pruned = row["plain"], row["pruned"]
        line += (
            f"; first reaches {row.get('first reaches', 0):.1%}, best is number {row.get('rank of best')}, "
            f"best of five {row.get('best of five reaches', 0):.1%}; timing {plain[1]:.2f} s -> {pruned[1]:.2f} s "
            f"({plain[2]} -> {pruned[2]}), whole call {plain[0]:.2f} -> {pruned[0]:.2f} s"
        )
    return line


def _dry_driver():
    make = importlib.import_module("gluon_inspect.recording.child.driver").make_driver
    driver = make(
        importlib.import_module("gluon_inspect.targets").find("cuda:90"), lambda *_: lambda *_: None, None
    )
    driver.is_recorder = False
    config = importlib.import_module("triton.runtime.driver").driver
    config._default = config._active = driver


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=240.0, help="no further problem is begun after these")
    parser.add_argument("--only", default="", help="problems whose name holds this word")
    parser.add_argument("--dry", action="store_true")
    chosen = parser.parse_args()
    if chosen.dry:
        _dry_driver()
    start, rows = time.perf_counter(), []
    for problem in (each for each in problems() if chosen.only in each.name):
        if time.perf_counter() - start > chosen.seconds:
            print("no time left for", problem.name)
            continue
        with tempfile.TemporaryDirectory() as folder:
            row = measured(problem, "meta" if chosen.dry else "cuda", chosen.dry, folder)
        rows.append(row)
        print(_told(row), flush=True)
        about = {"triton": triton.__version__, "device": "" if chosen.dry else torch.cuda.get_device_name()}
        chosen.out.write_text(json.dumps({**about, "problems": rows}))
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
