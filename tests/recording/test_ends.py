"""However a recording ends, what was recorded and said so far is kept; and ways to end it early."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from gluon_inspect.recording.record import Progress, record
from tests.recording.scripts import ADD, write

MANY = (
    ADD
    + """
x = torch.ones(1024, device="cuda")
add[(1,)](x, x, x, 8)
assert x.sum().item() == 0.0
for number in range(1, 100):
    try:
        add[(number,)](x, x, x.half(), 1024)
    except Exception:
        raise SystemExit("heard of it")
"""
)
WAITS = MANY + "\nimport time\ntime.sleep(600)\n"


def test_a_script_ends_after_the_launches_that_were_asked_for(tmp_path: Path) -> None:
    capture = record(write(tmp_path, MANY), "cuda:90", only_launches=5)
    assert capture.error is None
    assert sum(launch.count for kernel in capture.kernels for launch in kernel.launches) == 5
    assert "the script was ended after the launches that --only-launches asked for" in capture.notes


def test_sigterm_keeps_what_was_recorded_and_said(tmp_path: Path) -> None:
    def enough(progress: Progress) -> None:
        if progress.launches == 100:
            os.kill(os.getpid(), signal.SIGTERM)

    before = signal.getsignal(signal.SIGTERM)
    capture = record(write(tmp_path, WAITS), "cuda:90", progress=enough)
    assert capture.error is not None
    assert capture.error.message == "stopped by SIGTERM"
    assert sum(launch.count for kernel in capture.kernels for launch in kernel.launches) == 100
    assert any("a scalar read from the GPU" in note for note in capture.notes)
    assert signal.getsignal(signal.SIGTERM) is before


READS = (
    ADD
    + """
x = torch.ones(64, device="cuda")
add[(1,)](x, x, x, 8)
count = (x > 3).sum().item()
assert count == 40, count
found = torch.nonzero(x > 3)
assert found.shape == (50, 1), found.shape
"""
)


def test_what_a_script_reads_can_be_assumed_by_place(tmp_path: Path) -> None:
    path = write(tmp_path, READS)
    lines = Path(path).read_text().splitlines()
    at = {
        word: lines.index(line) + 1 for line in lines for word in ("count = ", "found = ") if line.startswith(word)
    }
    assumed = {f"kernels.py:{at['count = ']}": 40, f"kernels.py:{at['found = ']}": 50}
    capture = record(path, "cuda:90", assumed=assumed)
    assert capture.error is None, capture.error.traceback
    assert any(
        "made up 2 x: what the script reads there (taken as --assume says), at kern" in n for n in capture.notes
    )


BENCHMARKED = (
    ADD
    + """
import sys, subprocess



@triton.testing.perf_report(triton.testing.Benchmark(
    x_names=["n"], x_vals=[256, 512], line_arg="kind", line_vals=["a", "b"], line_names=["A", "B"],
    ylabel="GB/s", plot_name="add", args={}))
def bench(n, kind, extra=0):
    x = torch.ones(n, device="cuda")
    add[(n // 256,)](x, x, x, n)
    return n / triton.testing.do_bench(lambda: None)

bench.run(print_data=True, save_precision=3, extra=1)
asked = ["nvidia-smi", "--query-gpu=name,memory.total,compute_cap", "--format=csv,noheader,nounits"]
said = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
assert said == "NVIDIA H200 SXM, 144384, 9.0\\n", said
"""
)


def test_a_report_makes_its_launches_where_it_cannot_be_drawn(tmp_path: Path) -> None:

    capture = record(write(tmp_path, BENCHMARKED), "cuda:90")
    assert capture.error is None, capture.error.traceback
    assert sum(launch.count for kernel in capture.kernels for launch in kernel.launches) == 4
