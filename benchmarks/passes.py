"""`gluon-inspect passes` on the dump of a large compilation, against the compilation's own time.

Compiles the attention kernel for Blackwell with its dump (about 50 MB), then reads it in a process of its own:
the list of passes, the timeline with the blame of one conversion, the peak memory. All times are CPU times of one
process; the compiler's leave out the assembler, which is a process of its own.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

COPIES = 2
LIST_SECONDS = 0.5
RATIO = 0.2
PEAK_MB = 250


def compile_with_dump(log: Path, cache: str) -> float:
    """Seconds that the compiler took; its dump goes to `log`."""
    environment = {"MLIR_ENABLE_DUMP": "1", "TRITON_ALWAYS_COMPILE": "1", "TRITON_CACHE_DIR": cache}
    with log.open("wb") as file:
        run = subprocess.run(
            [sys.executable, __file__, "compile"],
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=file,
            check=True,
        )
    return float(run.stdout)


def compile_here() -> None:
    """Prints the seconds of one compilation."""
    from attention import compile_attention

    start = time.process_time()
    compile_attention(copies=COPIES)
    print(time.process_time() - start)


def read_here(path: str) -> None:
    """Prints the seconds of the list, those of timeline and blame, and the peak in megabytes."""
    from gluon_inspect.loading import load
    from gluon_inspect.passes.blame import Wanted, blame
    from gluon_inspect.passes.subjects import subjects

    start = time.process_time()
    (subject,) = subjects((load(path),))
    assert subject.timeline is not None
    passes = len(subject.timeline.compilation.runs)
    listed = time.process_time()
    rows = subject.timeline.rows()
    first = next(
        one for row in rows for one in row.after.seen if one.family == "conversion" and one.location is not None
    )
    assert first.location is not None
    followed = blame(subject.timeline, Wanted(first.location.line, first.location.file, first.name))
    assert followed.steps
    done = time.process_time()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(listed - start, done - start, peak, passes)


def main() -> None:
    """Compile, read, print the ratios."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "attention.log")
        compiled = compile_with_dump(log, folder)
        run = subprocess.run([sys.executable, __file__, "read", str(log)], stdout=subprocess.PIPE, check=True)
        megabytes = log.stat().st_size / 1e6
    listed, whole, peak, passes = map(float, run.stdout.split())
    print(f"{megabytes:.1f} MB of dump, {passes:.0f} passes, compiled in {compiled:.1f} s")
    print(f"list of passes              {listed:6.2f} s   (at most {LIST_SECONDS})")
    print(
        f"timeline and one blame      {whole:6.2f} s   {whole / compiled:.3f} of the compilation (at most {RATIO})"
    )
    print(f"peak memory                 {peak:6.0f} MB  (at most {PEAK_MB})")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["compile"]:
            compile_here()
        case ["read", path]:
            read_here(path)
        case _:
            main()
