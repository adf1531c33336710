"""Each example timed twice on the GPU that is here: by its script with its own data, and from its recording alone.

    python benchmarks/device/replay_check.py [SCRIPT ...]

Prints both times side by side; then the same of one kernel's IR. Exit code 1 if a launch was timed one way only,
or if the two times differ by more than 5 % without a note that says why (data that was not recorded).
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from gluon_inspect.loading import load
from gluon_inspect.loading.save import load_capture, save_capture
from gluon_inspect.measure.jobs import of_launches, of_script
from gluon_inspect.measure.saved import ZEROS
from gluon_inspect.measure.session import measured
from gluon_inspect.model.artifact import TensorArgument
from gluon_inspect.model.report import KernelReport
from gluon_inspect.model.request import Request
from gluon_inspect.pipeline import inspect
from gluon_inspect.recording.record import record

_EXAMPLES = ("copy_1d", "copy_2d", "opposite_layouts", "row_sum", "softmax", "tma_copy", "wgmma_matmul")
_TARGET = "cuda:90"
_APART = 0.05


def main() -> int:
    """0 where both ways give every launch the same time."""
    root = Path(__file__).parents[2] / "examples"
    scripts = sys.argv[1:] or [str(root / f"{name}.py") for name in _EXAMPLES]
    print(f"{'kernel':28} {'grid':>14} {'script ms':>11} {'capture ms':>11} {'apart':>7}  SM MHz")
    worst = [_compared(script) for script in scripts]
    _ir(scripts[0])
    return max(worst)


def _compared(script: str) -> int:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "run.gi"
        save_capture(record(script, _TARGET), path)
        report = inspect(load_capture(path))
    request = Request((script,))
    by_script = measured(report, of_script(report, script, request), count=False)
    by_capture = measured(report, of_launches(report, "run.gi", request), count=False)
    for note in (*by_script.notes, *by_capture.notes):
        print(f"  note: {note}")
    return max(_row(one, two) for one, two in zip(by_script.kernels, by_capture.kernels, strict=True))


def _row(one: KernelReport, two: KernelReport) -> int:
    first, second = _milliseconds(one), _milliseconds(two)
    grid = "x".join(map(str, one.launch.grid or ()))
    apart = None if first is None or second is None else second / first - 1
    clock = two.measurement.sm_clock if two.measurement else None
    shown = "" if apart is None else f"{apart:+.1%}"
    clocks = "?" if clock is None else f"{clock.before_mhz} to {clock.after_mhz}"
    print(f"{one.name[:28]:28} {grid:>14} {_number(first):>11} {_number(second):>11} {shown:>7}  {clocks}")
    reasons = [*_reasons(one), *_reasons(two)]
    for reason in reasons:
        print(f"  {reason}")
    return int(apart is None or (abs(apart) > _APART and not reasons))


def _reasons(kernel: KernelReport) -> Iterator[str]:
    yield from (problem for problem in kernel.problems if problem.startswith("not measured"))
    if kernel.measurement is not None:
        yield from (note for note in kernel.measurement.notes if note == ZEROS or note.startswith("inconclusive"))


def _milliseconds(kernel: KernelReport) -> float | None:
    time = kernel.measurement.time_ms if kernel.measurement else None
    return None if time is None else time.median


def _number(value: float | None) -> str:
    return "?" if value is None else f"{value:.4f}"


def _ir(script: str) -> None:
    """The first kernel of a script from its TTGIR alone, with its scalar arguments given by hand."""
    kernel = record(script, _TARGET).kernels[0]
    launch = kernel.launches[0]
    scalars = {name: value for name, value in launch.arguments.items() if not isinstance(value, TensorArgument)}
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / f"{kernel.name}.ttgir"
        path.write_text(kernel.stages["ttgir"], encoding="utf-8")
        given = {key: value for key, value in scalars.items() if isinstance(value, int)}
        capture = load(str(path), asm=None, args=given, grid=launch.grid, target=_TARGET)
        report = inspect(capture)
        timed = measured(report, of_launches(report, str(path), Request((str(path),))), count=False)
    print(
        f"\nfrom {kernel.name}.ttgir alone: {_number(_milliseconds(timed.kernels[0]))} ms",
        *_reasons(timed.kernels[0]),
    )
    print(*(f"  note: {note}" for note in timed.notes), sep="\n")


if __name__ == "__main__":
    sys.exit(main())
