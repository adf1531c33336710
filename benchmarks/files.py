"""How long a Triton cache of many entries takes to list, and how much memory a dump log takes to read.

    python -m benchmarks.files [ENTRIES] [MEGABYTES]

Prints seconds and files read for the listing, and the peak of memory as a multiple of the log, through load().
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
import tracemalloc
from pathlib import Path

from gluon_inspect.loading import load

_METADATA = {"name": "kernel", "target": {"backend": "cuda", "arch": 90, "warp_size": 32}, "num_warps": 4}
_LINE = "  // a line of IR of ordinary length, which nobody reads for this figure\n"
_MODULE = (
    'module attributes {{"ttg.num-warps" = 4 : i32}} {{\n  tt.func public @kernel{number}() {{\n{lines}  }}\n}}\n'
)


def main(entries: int, megabytes: int) -> None:
    """Both figures."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _list_tree(folder / "tree", entries)
        _read_log(folder / "dump.log", megabytes)


def _list_tree(folder: Path, entries: int) -> None:
    for number in range(entries):
        entry = folder / f"ENTRY{number:06}"
        entry.mkdir(parents=True)
        for suffix in ("source", "ttgir", "llir", "ptx"):
            (entry / f"kernel.{suffix}").write_text(_LINE * 1000)
        (entry / "kernel.cubin").write_bytes(b"\x7fELF" + bytes(200_000))
        (entry / "kernel.json").write_text(json.dumps(_METADATA))
    start = time.perf_counter()
    kernels = load(folder).kernels
    print(f"{len(kernels)} entries listed in {time.perf_counter() - start:.2f} s")


def _read_log(path: Path, megabytes: int) -> None:
    lines = _LINE * 1000
    with path.open("w") as log:
        number = 0
        while log.tell() < megabytes << 20:
            for _ in range(30):
                log.write("// -----// IR Dump Before Pass (pass) ('builtin.module' operation) //----- //\n")
                log.write(_MODULE.format(number=number, lines=lines))
            number += 1
    tracemalloc.start()
    start = time.perf_counter()
    kernels = load(path).kernels
    seconds, size = time.perf_counter() - start, path.stat().st_size
    peak = tracemalloc.get_traced_memory()[1] / size
    print(f"{size >> 20} MiB of {len(kernels)} compilations in {seconds:.1f} s (traced), peak {peak:.2f}x")


if __name__ == "__main__":
    given = [int(each) for each in sys.argv[1:]]
    main(*given, *(1000, 50)[len(given) :])
