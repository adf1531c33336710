"""Predicted gains beside measured ones, of the pairs in gains.py.

`gains_table.py predict CAPTURE FILE` writes what is expected, before anything is measured; `gains_table.py
PREDICTED MEASURED` puts the two side by side. `claimed`: what the findings of the dearest rule say that the change
gives back; `expected`: of the expected time of the changed kernel, compiled. A gain is the time before over the
time after.
"""

import json
import math
import statistics
import sys
from pathlib import Path

from gluon_inspect.loading.disassemble import with_sass
from gluon_inspect.loading.load import load
from gluon_inspect.model.report import KernelReport
from gluon_inspect.pipeline import inspect

NAMES = (
    "copy_down_rows", "copy_far_apart", "tail_masked", "tail_one_a_lane", "turned_store", "swizzle",
    "redundant_conversion", "invariant_conversion", "gemm_odd_rows", "gemm_spills", "rows_odd", "rows_narrow_half",
    "one_warp", "view_from_1", "division_constant", "division_argument", "rope_pairs", "complex_pairs",
    "thin_tile", "column_sum", "few_programs", "one_address", "stages",
)  # fmt: skip
"""In the order of `gains.pairs`: two launches each."""


def predict(capture: str) -> dict[str, dict]:
    """Each pair's expected microseconds before and after, the first rule and what it says is lost."""
    kernels = inspect(with_sass(load(capture))).kernels
    if len(kernels) != 2 * len(NAMES):
        raise SystemExit(f"{len(kernels)} launches for {len(NAMES)} pairs")
    return {name: _pair(kernels[2 * at], kernels[2 * at + 1]) for at, name in enumerate(NAMES)}


def _pair(before: KernelReport, after: KernelReport) -> dict:
    first = max(before.findings, key=lambda f: f.cost or 0.0, default=None)
    alike = [finding.cost or 0.0 for finding in before.findings if first and finding.rule == first.rule]
    return {
        "before": before.cost.seconds * 1e6 if before.cost else None,
        "after": after.cost.seconds * 1e6 if after.cost else None,
        "rule": first.rule if first else "",
        "lost": round(sum(alike), 4),
        "help": first.help if first else "",
    }


def compare(predicted: dict[str, dict], measured: dict[str, dict]) -> None:
    """A row a pair, then the median of |log ratio| and those on the wrong side of 10 %."""
    errors, claims, wrong = [], [], []
    print(
        f"{'pair':22}{'rule':7}{'first':7}{'measured µs':>20}{'gain':>7}{'expected µs':>20}{'gain':>7}{'claim':>9}"
    )
    for name, guess in predicted.items():
        real = measured.get(name, {"error": "not measured"})
        if "error" in real:
            print(f"{name:22}{real['error'][:80]}")
            continue
        gain, expected = real["before"] / real["after"], guess["before"] / guess["after"]
        claimed = 1.0 / (1.0 - min(guess["lost"], 0.999))
        errors.append(abs(math.log(expected / gain)))
        claims.append(abs(math.log(claimed / gain)))
        if (expected > 1.1 and gain < 1 / 1.1) or (expected < 1 / 1.1 and gain > 1.1):
            wrong.append(name)
        print(
            f"{name:22}{real['rule']:7}{guess['rule']:7}{real['before']:10.1f}{real['after']:10.1f}{gain:7.2f}"
            f"{guess['before']:10.1f}{guess['after']:10.1f}{expected:7.2f}{claimed:9.2f}"
        )
    print(
        f"{len(errors)} pairs; median |log ratio| {statistics.median(errors):.3f} of the changed kernel's time, "
        f"{statistics.median(claims):.3f} of the finding's claim; wrong side of 10 %: {wrong or 'none'}"
    )


def main() -> None:
    """Predict, or compare."""
    if sys.argv[1] == "predict":
        Path(sys.argv[3]).write_text(json.dumps(predict(sys.argv[2]), indent=1, ensure_ascii=False) + "\n")
        return
    predicted, measured = (json.loads(Path(path).read_text()) for path in sys.argv[1:3])
    compare(predicted, measured["pairs"])


if __name__ == "__main__":
    main()
