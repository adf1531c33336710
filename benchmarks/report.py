"""What a report costs beside the compilation it reports on: ratios of one run.

    python -m benchmarks.report [SCRIPT [TARGET]]

As the command line does it, what the report needs is imported while the script runs in its own process. The
second report is what each further kernel costs. The vendor's disassembler, a process of its own, is listed apart.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from threading import Thread
from typing import Any


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """What the work gives, and the seconds it took."""
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


def main() -> None:
    """Record, disassemble, report twice, render; print seconds and shares of the compilation."""
    script = sys.argv[1] if len(sys.argv) > 1 else "examples/matmul.py"
    target = sys.argv[2] if len(sys.argv) > 2 else "cuda:90"
    from gluon_inspect.loading.disassemble import with_sass
    from gluon_inspect.pipeline import warm_up
    from gluon_inspect.recording.record import record

    Thread(target=warm_up, daemon=True).start()
    capture = record(script, target)
    compilation = sum(kernel.compile_seconds or 0.0 for kernel in capture.kernels)
    whole, disassembly = timed(lambda: with_sass(capture))

    def report() -> str:
        from gluon_inspect.pipeline import inspect
        from gluon_inspect.report.text import render

        return render(inspect(whole))

    _, first = timed(report)
    _, second = timed(report)
    print(f"{script} for {target}: {len(capture.kernels)} kernels")
    for name, seconds in (
        ("compilation", compilation),
        ("disassembler", disassembly),
        ("first report", first),
        ("further report", second),
    ):
        print(f"  {name:15} {seconds:7.3f} s  {seconds / compilation:6.1%} of the compilation")


if __name__ == "__main__":
    main()
