"""Many kernels for many targets: what a second process saves, and what a second run of an unchanged tree costs.

    python -m benchmarks.jobs [KERNELS [SCRIPTS]]

KERNELS distinct kernels (default 40) in SCRIPTS scripts (default 1), for three targets. Prints wall seconds of
`--jobs 1`, `--jobs 2` and of a run that finds everything in the cache, and their ratios to the first.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TARGETS = ("cuda:90", "cuda:100", "hip:gfx942")
HEAD = """import torch
from triton.experimental import gluon
from triton.experimental.gluon import language as gl

SRC = torch.empty(256, 256, device="cuda")
DST = torch.empty_like(SRC)
WAVE = torch.cuda.get_device_properties(0).warp_size
LAYOUT = gl.BlockedLayout([1, 4], [WAVE // 8, 8], [4, 1], [1, 0])
"""
KERNEL = """

@gluon.jit
def kernel_{n}(src, dst, stride, layout: gl.constexpr, R: gl.constexpr, C: gl.constexpr):
    row = gl.program_id(0) * R + gl.arange(0, R, layout=gl.SliceLayout(1, layout))
    column = gl.arange(0, C, layout=gl.SliceLayout(0, layout))
    offsets = row[:, None] * stride + column[None, :]
    value = gl.load(src + offsets, mask=(column < C - {n})[None, :], other=0.0)
    total = gl.sum(value, 1)
    gl.store(dst + offsets, value * {n} + total[:, None])


kernel_{n}[(8,)](SRC, DST, SRC.stride(0), LAYOUT, 32, 128)
"""


def written(folder: Path, kernels: int, scripts: int) -> list[str]:
    """The scripts, with the kernels dealt out to them."""
    paths: list[str] = []
    for script in range(scripts):
        path = folder / f"kernels_{script}.py"
        path.write_text(HEAD + "".join(KERNEL.format(n=n) for n in range(script, kernels, scripts)))
        paths.append(str(path))
    return paths


def seconds(paths: list[str], cache: Path, *options: str) -> tuple[float, bytes]:
    """Wall time of one report in a process of its own, and its bytes."""
    targets = [word for target in TARGETS for word in ("--target", target)]
    command = [sys.executable, "-m", "gluon_inspect", "report", *paths, *targets, "--fail-on", "never", *options]
    start = time.perf_counter()
    done = subprocess.run(
        command, capture_output=True, check=True, env=os.environ | {"GLUON_INSPECT_CACHE": str(cache)}
    )
    return time.perf_counter() - start, done.stdout


def main() -> None:
    """Three runs, each in a cache folder that it finds empty but for the last."""
    kernels, scripts = (int(word) for word in (*sys.argv[1:], *("40", "1")[len(sys.argv) - 1 :]))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = written(folder, kernels, scripts)
        one, bytes_one = seconds(paths, folder / "one")
        two, bytes_two = seconds(paths, folder / "two", "--jobs", "2")
        again, bytes_again = seconds(paths, folder / "one")
    same = bytes_one == bytes_two == bytes_again
    found = "equal" if same else "DIFFER"
    print(f"{kernels} kernels in {scripts} scripts for {len(TARGETS)} targets; bytes {found}")
    for what, took in (("--jobs 1", one), ("--jobs 2", two), ("second run", again)):
        print(f"  {what:12} {took:7.2f} s  {took / one:6.1%}")


if __name__ == "__main__":
    main()
