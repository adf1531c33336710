"""How much of a kernel's IR is understood, run by run.

    python benchmarks/coverage.py RUN.gi SCRIPT.py KERNEL.ttgir ... [--target cuda:90]

A capture or IR is read, a script recorded. Each distinct TTGIR counts once. Prints Markdown; the exit code is 1
where a run stays under the wanted share.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from gluon_inspect.capture.files import load
from gluon_inspect.capture.record import record
from gluon_inspect.errors import InspectError
from gluon_inspect.model.artifact import Capture
from gluon_inspect.parsers.mlir import parse_module

WANTED = 0.99


def _capture(path: Path, target: str) -> Capture:
    return record(str(path), target) if path.suffix == ".py" else load(path)


def _row(path: Path, target: str) -> tuple[float, str]:
    """Share understood (1 where there is no operation at all) and the table's row."""
    modules = {kernel.stages["ttgir"] for kernel in _capture(path, target).kernels if "ttgir" in kernel.stages}
    parsed = [parse_module(module) for module in modules]
    unknown = Counter(op.name for module in parsed for op in module.walk() if op.name in module.opaque_names)
    operations = sum(1 for module in parsed for _ in module.walk())
    understood = operations - unknown.total()
    share = understood / operations if operations else 1.0
    names = ", ".join(f"`{name}` {unknown[name]}" for name in sorted(unknown))
    return share, f"| {path.stem} | {len(modules)} | {operations} | {understood} | {share:.2%} | {names} |"


def _rows(paths: list[Path], target: str) -> Iterator[tuple[float, str]]:
    for path in paths:
        try:
            yield _row(path, target)
        except InspectError as error:
            yield 0.0, f"| {path.stem} | ? | ? | ? | ? | {error} |"


def main() -> int:
    """Prints a row a run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=Path)
    parser.add_argument("--target", default="cuda:90", help="what scripts are recorded for")
    options = parser.parse_args()
    print("| run | modules | operations | understood | share | not understood |")
    print("|---|---|---|---|---|---|")
    lowest = 1.0
    for share, row in _rows(options.runs, options.target):
        print(row, flush=True)
        lowest = min(lowest, share)
    return int(lowest < WANTED)


if __name__ == "__main__":
    sys.exit(main())
