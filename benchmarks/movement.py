"""Of the operations that move data or are MMAs, how many have an access record, run by run.

    python benchmarks/movement.py RUN.gi KERNEL.ttgir ... [--first 20]

Each distinct TTGIR counts once, with its first launch. `moving`: operations that move data through memory or are
MMAs; `recorded`: those with a record, its numbers or why there are none; `counted`: those with numbers. Prints
Markdown; the exit code is 1 where a run stays under the wanted share.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

from gluon_inspect import inspect
from gluon_inspect.errors import InspectError
from gluon_inspect.facts.movement import moving_operations
from gluon_inspect.ir.text import parse_module
from gluon_inspect.loading import load
from gluon_inspect.model.artifact import Capture, CompiledKernel
from gluon_inspect.model.confidence import Confidence

WANTED = 0.95


@dataclass(slots=True)
class Tally:
    """Sums over the modules of a run."""

    modules: int = 0
    moving: int = 0
    recorded: int = 0
    counted: int = 0
    left: Counter[str] = field(default_factory=Counter[str])

    def add(self, kernel: CompiledKernel) -> None:
        """One module, under one launch."""
        moving = moving_operations(parse_module(kernel.stages["ttgir"]))
        reports = inspect(Capture("movement", (kernel,))).kernels
        accesses = reports[0].accesses if reports else ()
        seen = {each.result_of for each in accesses}
        known = seen - {each.result_of for each in accesses if each.confidence is Confidence.UNKNOWN}
        left = Counter(op.name for op in moving if op.span.start not in seen)
        self.modules += 1
        self.moving += len(moving)
        self.recorded += len(moving) - left.total()
        self.counted += sum(op.span.start in known for op in moving)
        self.left += left

    def row(self, name: str) -> str:
        """The table's row."""
        left = ", ".join(f"`{each}` {count}" for each, count in sorted(self.left.items()))
        shares = (f"{part} ({_share(part, self.moving):.1%})" for part in (self.recorded, self.counted))
        return f"| {name} | {self.modules} | {self.moving} | {' | '.join(shares)} | {left} |"


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def _tally(path: Path, first: int | None) -> Tally:
    kernels = {kernel.stages["ttgir"]: kernel for kernel in load(path).kernels if "ttgir" in kernel.stages}
    found = Tally()
    for text, kernel in list(kernels.items())[:first]:
        found.add(replace(kernel, launches=kernel.launches[:1], stages={"ttgir": text}, dumps={}))
    return found


def main() -> int:
    """Prints a row a run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=Path)
    parser.add_argument("--first", type=int, metavar="N", help="of each run only so many modules")
    options = parser.parse_args()
    print("| run | modules | moving | recorded | counted | not recorded |")
    print("|---|---|---|---|---|---|")
    enough = True
    for path in options.runs:
        try:
            found = _tally(path, options.first)
        except InspectError as error:
            print(f"| {path.stem} | ? | ? | ? | ? | {error} |", flush=True)
            enough = False
            continue
        print(found.row(path.stem), flush=True)
        enough = enough and _share(found.recorded, found.moving) >= WANTED
    return int(not enough)


if __name__ == "__main__":
    sys.exit(main())
