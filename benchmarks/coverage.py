"""Which kernels a run reaches, how long its report takes, and how much of its IR is understood.

    python -m benchmarks.coverage RUN.gi SCRIPT.py KERNEL.ttgir ... [--target cuda:90]
    python -m benchmarks.coverage --upstream CHECKOUT [--only moe]

A capture or IR is read, a script recorded; then it is reported on. Kernels are distinct compilations that were
launched (in IR: that are there). Seconds are CPU time, the script's and the compiler's included. --upstream takes
a checkout of Triton and runs its Gluon tutorials and examples as they are (05-moe imports python/triton_kernels),
with the kernels that a recorder of the driver's calls alone found in them. Prints Markdown; the exit code is 1
where a run stays under the wanted share or has fewer kernels.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gluon_inspect.errors import InspectError
from gluon_inspect.ir.text import parse_module
from gluon_inspect.model.artifact import Capture
from gluon_inspect.model.request import Request, silent
from gluon_inspect.workflow.steps import capture_of, report_of

WANTED = 0.99
_TUTORIALS, _EXAMPLES = "python/tutorials/gluon", "python/examples/gluon"
UPSTREAM = (
    (f"{_TUTORIALS}/01-intro.py", "cuda:90", 6),
    (f"{_TUTORIALS}/02-layouts.py", "cuda:90", 31),
    (f"{_TUTORIALS}/03-async-copy.py", "cuda:90", 4),
    (f"{_TUTORIALS}/04-tma.py", "cuda:90", 3),
    (f"{_TUTORIALS}/05-wgmma.py", "cuda:90", 21),
    (f"{_TUTORIALS}/06-tcgen05.py", "cuda:100", 10),
    (f"{_TUTORIALS}/07-persistence.py", "cuda:100", 14),
    (f"{_TUTORIALS}/08-warp-specialization.py", "cuda:100", 3),
    (f"{_TUTORIALS}/09-tma-gather-scatter.py::", "cuda:100", 16),
    (f"{_TUTORIALS}/10-tcgen05-copy.py::", "cuda:100", 132),
    (f"{_TUTORIALS}/11-tcgen05-mma-scaled.py", "cuda:100", 24),
    (f"{_TUTORIALS}/12-cluster-launch-control.py", "cuda:100", 2),
    (f"{_TUTORIALS}/13-conv-im2col.py", "cuda:100", 5),
    (f"{_TUTORIALS}/14-multicta.py", "cuda:100", 12),
    (f"{_EXAMPLES}/01-attention-forward.py", "cuda:100", 15),
    (f"{_EXAMPLES}/02-conv-dgrad.py", "cuda:100", 71),
    (f"{_EXAMPLES}/02-conv-fprop.py", "cuda:100", 23),
    (f"{_EXAMPLES}/02-conv-wgrad.py", "cuda:100", 77),
    (f"{_EXAMPLES}/03-matmul-multicta.py", "cuda:100", 1),
    (f"{_EXAMPLES}/04-2cta-block-scale-matmul.py", "cuda:100", 16),
    (f"{_EXAMPLES}/05-moe-bmm1-fused-gather.py", "cuda:100", 200),
    (f"{_EXAMPLES}/06-overlapping-accumulator.py", "cuda:100", 8),
)


@dataclass(frozen=True, slots=True)
class Run:
    """Something to report on; `kernels`: distinct ones wanted."""

    path: str
    target: str
    kernels: int | None = None


@dataclass(frozen=True, slots=True)
class Reached:
    """What came of it."""

    kernels: int
    seconds: float
    operations: int
    unknown: Counter[str]

    @property
    def share(self) -> float:
        """Of the operations what is understood; 1 where there are none."""
        return 1.0 - self.unknown.total() / self.operations if self.operations else 1.0


def _reach(run: Run) -> Reached:
    before = sum(os.times()[:4])
    request = Request((run.path,), (run.target,))
    capture = capture_of(run.path, run.target, request, silent)
    report_of(capture, request, silent)
    return Reached(_distinct(capture), sum(os.times()[:4]) - before, *_operations(capture))


def _distinct(capture: Capture) -> int:
    launched = sum(1 for kernel in capture.kernels if kernel.launches)
    return launched or len(capture.kernels)


def _operations(capture: Capture) -> tuple[int, Counter[str]]:
    """Each distinct TTGIR counts once."""
    modules = {kernel.stages["ttgir"] for kernel in capture.kernels if "ttgir" in kernel.stages}
    parsed = [parse_module(module) for module in modules]
    unknown = Counter(op.name for module in parsed for op in module.walk() if op.name in module.opaque_names)
    return sum(1 for module in parsed for _ in module.walk()), unknown


def _row(run: Run) -> tuple[bool, str]:
    """Whether the run is good enough, and the table's row."""
    name = Path(run.path).name.removesuffix("::")
    try:
        reached = _reach(run)
    except InspectError as error:
        return False, f"| {name} | {run.target} | ? | ? | ? | ? | {error} |"
    unknown = ", ".join(f"`{name}` {count}" for name, count in sorted(reached.unknown.items()))
    wanted = "" if run.kernels is None else f" of {run.kernels}"
    good = reached.share >= WANTED and reached.kernels >= (run.kernels or 0)
    return good, (
        f"| {name} | {run.target} | {reached.kernels}{wanted} | {reached.seconds:.0f} | {reached.operations} "
        f"| {reached.share:.2%} | {unknown} |"
    )


def _runs(options: argparse.Namespace) -> Iterator[Run]:
    yield from (Run(path, options.target) for path in options.runs)
    for script, target, kernels in UPSTREAM if options.upstream else ():
        if options.only in script:
            yield Run(f"{options.upstream}/{script}", target, kernels)


def main() -> int:
    """Prints a row a run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="*")
    parser.add_argument("--target", default="cuda:90", help="what scripts are recorded for")
    parser.add_argument("--upstream", metavar="CHECKOUT", help="Triton's Gluon tutorials and examples")
    parser.add_argument("--only", default="", metavar="TEXT", help="those of upstream with this in their name")
    print("| run | target | kernels | seconds | operations | understood | not understood |")
    print("|---|---|---|---|---|---|---|", flush=True)
    good = True
    for run in _runs(parser.parse_args()):
        enough, row = _row(run)
        print(row, flush=True)
        good &= enough
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())
