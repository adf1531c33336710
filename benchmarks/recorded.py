"""Kernels that a script launches against those in its recording or named in its notes.

    python -m benchmarks.recorded SCRIPT.py ... [--target cuda:90] [--path FOLDER ...]
    python -m benchmarks.recorded benchmarks/libraries/liger.py --path site-packages

Launches are counted where scripts make them, by wrapping JITFunction.run and Inductor's CachingAutotuner.run while
the script is recorded; what a configuration tried while tuning launches counts as well. Prints a Markdown row a
script: calls that went well (see libraries/calls.py), kernels in the recording or named in a note against those
launched, launches recorded and made, CPU and wall seconds. The exit code is 1 where a launched kernel is neither
recorded nor named.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from gluon_inspect.errors import InspectError
from gluon_inspect.model.artifact import Capture
from gluon_inspect.recording.record import record

_COUNTING = """
import atexit, collections, json, os, runpy, sys
sys.path[:0] = {paths!r}
import triton.runtime.jit as jit
made = collections.Counter()

def counting(owner, name_of):
    run = owner.run
    def counted(self, *args, **kwargs):
        result = run(self, *args, **kwargs)
        if not kwargs.get("warmup") and made is not None:
            made[name_of(self, result)] += 1
            with open({counts!r}, "w") as file:
                json.dump(made, file)
        return result
    owner.run = counted

def by_binary(self, kernel):
    return f"{{getattr(kernel, 'name', self.fn.__name__)}} {{getattr(kernel, 'hash', '')}}"

counting(jit.JITFunction, by_binary)

class Late:
    # Inductor's launcher, counted once its module is there.
    def find_spec(self, name, path, target=None):
        if name == "torch._inductor.codecache":
            from torch._inductor.runtime.triton_heuristics import CachingAutotuner
            sys.meta_path.remove(self)
            counting(CachingAutotuner, lambda self, _: f"{{self.fn.__name__}} inductor")

sys.meta_path.insert(0, Late())
runpy.run_path({script!r}, run_name="__main__")
"""


@dataclass(frozen=True, slots=True)
class Counts:
    """What the script launched, by "name hash", and its calls with what they raised."""

    launches: Counter[str]
    calls: tuple[tuple[str, str], ...]


def _recorded(script: Path, target: str, paths: list[str], limit: float) -> tuple[Capture, Counts]:
    with tempfile.TemporaryDirectory() as folder:
        counts, calls = Path(folder) / "counts.json", Path(folder) / "calls.jsonl"
        counting = Path(folder) / "counting.py"
        added = [str(script.parent), *paths]
        counting.write_text(_COUNTING.format(paths=added, script=str(script), counts=str(counts)))
        os.environ["CALLS"] = str(calls)
        capture = record(str(counting), target, timeout_seconds=limit)
        made = json.loads(counts.read_text()) if counts.exists() else {}
        lines = calls.read_text().splitlines() if calls.exists() else []
        return capture, Counts(Counter(made), tuple((name, error) for name, error in map(json.loads, lines)))


def _row(script: Path, target: str, paths: list[str], limit: float, details: bool) -> tuple[bool, str]:
    cpu, wall = sum(os.times()[:4]), time.perf_counter()
    try:
        capture, counts = _recorded(script, target, paths, limit)
    except InspectError as error:
        return False, f"| {script.stem} | ? | ? | ? | ? | {str(error)[:200]} | | |"
    launched: Counter[str] = Counter()
    for key, count in counts.launches.items():
        launched[key.partition(" ")[0]] += count
    held: Counter[str] = Counter()
    for kernel in capture.kernels:
        held[kernel.name] += sum(launch.count for launch in kernel.launches)
    told = "\n".join((*capture.notes, capture.error.message if capture.error else ""))
    short = {name: (count, held[name]) for name, count in launched.items() if held[name] < count}
    missing = {name: counts for name, counts in short.items() if name not in told}
    failed = [f"{name}: {error[:160]}" for name, error in counts.calls if error]
    if details:
        for line in (*failed, *capture.notes, *(f"missing: {name} {of}" for name, of in missing.items())):
            print(f"    {script.stem}: {line}", file=sys.stderr, flush=True)
        if capture.error:
            print(
                f"    {script.stem}: {capture.error.message}\n{capture.error.traceback[-1500:]}", file=sys.stderr
            )
    seconds = f"{sum(os.times()[:4]) - cpu:.0f} | {time.perf_counter() - wall:.0f}"
    calls = f"{len(counts.calls) - len(failed)} of {len(counts.calls)}"
    kernels = f"{len(launched) - len(missing)} of {len(launched)}"
    row = f"| {script.stem} | {calls} | {kernels} | {held.total()} of {launched.total()} | {seconds} |"
    return not missing and not capture.error, row


def main() -> int:
    """Prints a row a script."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scripts", nargs="+", type=Path)
    parser.add_argument("--target", default="cuda:90")
    parser.add_argument("--path", action="append", default=[], help="where libraries are found")
    parser.add_argument("--timeout", type=float, default=180, help="seconds for each")
    parser.add_argument("--details", action="store_true", help="what failed, and notes, on standard error")
    options = parser.parse_args()
    print("| script | calls | kernels recorded or named | launches recorded | CPU s | wall s |")
    print("|---|---|---|---|---|---|", flush=True)
    good = True
    for script in options.scripts:
        enough, row = _row(script.resolve(), options.target, options.path, options.timeout, options.details)
        print(row, flush=True)
        good &= enough
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())
