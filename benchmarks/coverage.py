"""How much of a kernel's IR is understood, run by run.

    python benchmarks/coverage.py RUN.gi SCRIPT.py KERNEL.ttgir ... [--target cuda:90]

A capture or IR is read, a script recorded. Each distinct TTGIR counts once, with its first launch. `moving`:
operations that move data through memory or are MMAs; `recorded`: those with an access record or, in registers,
nothing to record; `counted`: those whose record has numbers. Prints Markdown; the exit code is 1 where a run
stays under one of the wanted shares.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

from gluon_inspect import inspect
from gluon_inspect.capture.files import load
from gluon_inspect.capture.record import record
from gluon_inspect.errors import InspectError
from gluon_inspect.model.artifact import Capture, CompiledKernel
from gluon_inspect.model.confidence import Confidence
from gluon_inspect.parsers.mlir import parse_module
from gluon_inspect.pipeline.movement import moving_operations

WANTED = 0.99
"""Of all operations, understood."""
WANTED_MOVING = 0.95
"""Of those that move data or are MMAs, recorded."""


@dataclass(slots=True)
class Tally:
    """Sums over the modules of a run."""

    modules: int = 0
    operations: int = 0
    understood: int = 0
    moving: int = 0
    recorded: int = 0
    counted: int = 0
    names: Counter[str] = field(default_factory=Counter[str])

    def add(self, kernel: CompiledKernel) -> None:
        """One module, under one launch."""
        module = parse_module(kernel.stages["ttgir"])
        names = Counter(op.name for op in module.walk() if op.name in module.opaque_names)
        total = sum(1 for _ in module.walk())
        reports = inspect(Capture("coverage", (kernel,))).kernels
        accesses = reports[0].accesses if reports else ()
        seen = {each.result_of for each in accesses}
        known = seen - {each.result_of for each in accesses if each.confidence is Confidence.UNKNOWN}
        moving = moving_operations(module)
        left = Counter(op.name for op in moving if op.span.start not in seen)
        self.modules += 1
        self.operations += total
        self.understood += total - names.total()
        self.moving += len(moving)
        self.recorded += len(moving) - left.total()
        self.counted += sum(op.span.start in known for op in moving)
        self.names += names + left

    def row(self, name: str) -> str:
        """The table's row."""
        names = ", ".join(f"`{each}` {count}" for each, count in sorted(self.names.items()))
        shares = f"{self.understood} ({_share(self.understood, self.operations):.2%})"
        moved = f"{self.recorded} ({_share(self.recorded, self.moving):.1%})"
        return (
            f"| {name} | {self.modules} | {self.operations} | {shares} | {self.moving} | {moved} "
            f"| {self.counted} ({_share(self.counted, self.moving):.1%}) | {names} |"
        )

    @property
    def is_enough(self) -> bool:
        """Whether both wanted shares are reached."""
        enough = _share(self.recorded, self.moving) >= WANTED_MOVING
        return enough and _share(self.understood, self.operations) >= WANTED


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def _capture(path: Path, target: str) -> Capture:
    return record(str(path), target) if path.suffix == ".py" else load(path)


def _tally(path: Path, target: str) -> Tally:
    found, seen = Tally(), set[str]()
    for kernel in _capture(path, target).kernels:
        text = kernel.stages.get("ttgir")
        if text is not None and text not in seen:
            seen.add(text)
            found.add(replace(kernel, launches=kernel.launches[:1], stages={"ttgir": text}, dump=""))
    return found


def main() -> int:
    """Prints a row a run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=Path)
    parser.add_argument("--target", default="cuda:90", help="what scripts are recorded for")
    options = parser.parse_args()
    print("| run | modules | operations | understood | moving | recorded | counted | not understood |")
    print("|---|---|---|---|---|---|---|---|")
    enough = True
    for path in options.runs:
        try:
            found = _tally(path, options.target)
            print(found.row(path.stem), flush=True)
            enough = enough and found.is_enough
        except InspectError as error:
            print(f"| {path.stem} | ? | ? | ? | ? | ? | ? | {error} |", flush=True)
            enough = False
    return int(not enough)


if __name__ == "__main__":
    sys.exit(main())
