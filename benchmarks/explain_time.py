"""Whether explaining a script takes at most two compilations of its kernels and two seconds more.

    python -m benchmarks.explain_time [SCRIPT …]

Two figures of one run, at the same load. The compilations: all that one run of the script makes, without dumps, in
a process that has compiled them once (a first one would import and start what later ones have). The command:
`gluon-inspect explain SCRIPT` from its start to its end, its best proposals compiled, nothing cached but bytecode.
What is left when two compilations are taken off holds Python, torch, Triton, the script's own work, the
disassembler and the analysis; two seconds of it are allowed for each kernel that is compiled. CPU seconds are
those of both processes together; on two free cores they overlap.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from gluon_inspect.recording.record import record

SCRIPTS = ("examples/copy_2d.py", "examples/row_sum.py", "examples/matmul.py", "examples/softmax.py")
_RUNS = 3
_ALLOWED_SECONDS = 2.0
_TIMED = """
import os, runpy, sys, time
import triton, triton.compiler.compiler as compiler
compile_, seconds = compiler.compile, []
def timed(*arguments, **options):
    start = time.perf_counter()
    kernel = compile_(*arguments, **options)
    seconds.append(time.perf_counter() - start)
    return kernel
compiler.compile = triton.compiler.compile = triton.compile = timed
os.environ.pop("MLIR_ENABLE_DUMP", None)
os.environ.pop("MLIR_DUMP_PATH", None)
for _ in range(2):
    seconds.clear()
    runpy.run_path({script!r}, run_name="__main__")
open({answer!r}, "w").write(f"{{sum(seconds)}} {{len(seconds)}}")
"""


def main(scripts: Sequence[str]) -> None:
    """Print one row a script: medians in seconds."""
    print(f"median of {_RUNS}, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; seconds")
    print(f"{'script':24}{'kernels':>8}{'compiled':>10}{'explain':>9}{'its CPU':>9}{'less two':>10}{'ratio':>7}")
    for script in scripts:
        rows = [(*_compilations(script), *_explain(script)) for _ in range(_RUNS + 1)][1:]
        once, kernels, wall, cpu = (statistics.median(column) for column in zip(*rows, strict=True))
        left = statistics.median(wall - 2 * once for once, _, wall, _ in rows)
        verdict = "" if left <= _ALLOWED_SECONDS * kernels else f"  over {_ALLOWED_SECONDS:g} s a kernel"
        print(f"{script:24}{kernels:8.0f}{once:10.2f}{wall:9.2f}{cpu:9.2f}{left:10.2f}{wall / once:7.1f}{verdict}")


def _compilations(script: str) -> tuple[float, int]:
    """Seconds of all compilations of one run of the script, and how many they are."""
    with tempfile.TemporaryDirectory() as folder:
        answer, wrapper = Path(folder) / "seconds", Path(folder) / "timed.py"
        wrapper.write_text(_TIMED.format(script=str(Path(script).resolve()), answer=str(answer)), encoding="utf-8")
        record(str(wrapper), "cuda:90", folder=str(Path(script).resolve().parent))
        seconds, count = answer.read_text(encoding="utf-8").split()
        return float(seconds), int(count)


def _explain(script: str) -> tuple[float, float]:
    """Seconds of the whole command, and of the processors."""
    command = [sys.executable, "-m", "gluon_inspect", "explain", script]
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "GLUON_INSPECT_CACHE": folder}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        before, start = _children_cpu(), time.perf_counter()
        subprocess.run(command, env=environment, check=True, capture_output=True)
        return time.perf_counter() - start, _children_cpu() - before


def _children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main(sys.argv[1:] or SCRIPTS)
