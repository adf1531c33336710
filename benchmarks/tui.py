"""How quick the TUI is: first paint in a terminal, and key presses on a large IR.

    .venv/bin/python benchmarks/tui.py [--megabytes 5] [--presses 100] [--starts 7]

Wall time in a pseudo-terminal, so on an idle machine only. First paint: from starting the process to the first
screen with its footer, on a script that records for ever. Key press: from writing the key to the last byte of
the painting.
"""

from __future__ import annotations

import argparse
import os
import pty
import select
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from gluon_inspect.model.artifact import CompiledKernel, Launch
from gluon_inspect.model.report import KernelReport, Report
from gluon_inspect.model.request import Request
from gluon_inspect.tui.app import InspectApp

FIGURE_MS, FIRST_PAINT_MS = 60.0, 700.0
QUIET_SECONDS, SETTLED_SECONDS = 0.15, 3.0
KEYS = (b"\x06", b"j", b"G", b"k", b"g", b"\x1b[B", b"\x1b[F", b"\x1b[A", b"\x02", b"\x1b[H")
"""A page down, a line down, the last line, … and back."""
HEAD = "#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>"
LINE = '    %v{0} = arith.addf %v{1}, %v{1} : tensor<128xf32, #blocked> loc("k.py":{2}:5)'


def main(arguments: Sequence[str]) -> int:
    """Print both figures; 1 if one of them is missed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--megabytes", type=float, default=5.0)
    parser.add_argument("--presses", type=int, default=100)
    parser.add_argument("--starts", type=int, default=7)
    asked = parser.parse_args(arguments)
    paints = [first_paint() for _ in range(asked.starts + 1)][1:]
    first = told("first paint", paints, FIRST_PAINT_MS)
    ir = large_ir(asked.megabytes)
    sys.stdout.write(f"IR of {len(ir) / 1e6:.1f} MB, {ir.count(chr(10)):,} lines\n")
    wall = told("key press", key_presses(ir, asked.presses), FIGURE_MS)
    return int(statistics.median(first) > FIRST_PAINT_MS or statistics.median(wall) > FIGURE_MS)


def told(name: str, seconds: Sequence[float], figure_ms: float) -> list[float]:
    """Print the middle and the slow end of some times; they come back in milliseconds."""
    found = sorted(1e3 * each for each in seconds)
    p95 = found[min(round(0.95 * len(found)), len(found) - 1)]
    middle = statistics.median(found)
    sys.stdout.write(f"{name:<22} p50 {middle:6.1f} ms  p95 {p95:6.1f} ms  (figure {figure_ms:.0f} ms)\n")
    return found


def first_paint() -> float:
    """Seconds until the footer stands on the screen of a new process."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "endless.py"
        script.write_text("import time\ntime.sleep(1000)\n", encoding="utf-8")
        start = time.perf_counter()
        child, terminal = pty.fork()
        if not child:
            os.environ.update(TERM="xterm-256color", COLUMNS="120", LINES="40")
            os.execv(sys.executable, [sys.executable, "-m", "gluon_inspect", "tui", str(script)])
        seen = b""
        while b"Maximise" not in seen and select.select([terminal], [], [], 60.0)[0]:
            seen += os.read(terminal, 1 << 16)
        took = time.perf_counter() - start
        os.write(terminal, b"q")
        leave(child, terminal)
    return took


def leave(child: int, terminal: int) -> None:
    """Read what is still written, so that the child can end; kill it where it does not."""
    end = time.monotonic() + 10.0
    while time.monotonic() < end and not os.waitpid(child, os.WNOHANG)[0]:
        if select.select([terminal], [], [], 0.05)[0]:
            try:
                os.read(terminal, 1 << 16)
            except OSError:
                continue
    else:
        if time.monotonic() >= end:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    os.close(terminal)


def large_ir(megabytes: float) -> str:
    """A module of that size, every operation at a line of its own."""
    lines = [HEAD, "module {", "  tt.func @k(%v0: tensor<128xf32, #blocked>) {"]
    size = 0
    while size < megabytes * 1e6:
        number = len(lines) - 2
        lines.append(LINE.format(number, number - 1, number % 2000 + 1))
        size += len(lines[-1]) + 1
    return "\n".join([*lines, "    tt.return", "  }", "}", ""])


def key_presses(ir: str, count: int) -> list[float]:
    """Seconds from writing each key to the last byte of the painting that it causes, links included."""
    child, terminal = pty.fork()
    if not child:
        os.environ.update(TERM="xterm-256color", COLUMNS="200", LINES="60")
        InspectApp(Request(("k.py",)), report=report_of(ir)).run()
        os._exit(0)
    painted(terminal, SETTLED_SECONDS, b"linked")
    os.write(terminal, b"2")
    painted(terminal, 1.0)
    found: list[float] = []
    for number in range(count):
        start = time.perf_counter()
        os.write(terminal, KEYS[number % len(KEYS)])
        found.append(painted(terminal, QUIET_SECONDS) - start)
    os.write(terminal, b"q")
    leave(child, terminal)
    return found


def report_of(ir: str) -> Report:
    """A kernel with this IR and a source that it points into."""
    source = "\n".join(f"line_{number} = {number}" for number in range(2000))
    kernel = CompiledKernel("k", "cuda:90", stages={"ttgir": ir}, source_file="k.py", source_line=1)
    return Report((KernelReport(kernel, Launch("launch0")),), "k.py", {"k.py": source})


def painted(terminal: int, quiet_seconds: float, word: bytes = b"") -> float:
    """Read until `word` has come and nothing more for a while; the clock at the last byte."""
    seen, last = b"", 0.0
    while select.select([terminal], [], [], quiet_seconds if last and word in seen else 120.0)[0]:
        seen += os.read(terminal, 1 << 16)
        last = time.perf_counter()
    return last


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
