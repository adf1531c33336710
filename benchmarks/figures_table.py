"""The committed figures from what `benchmarks/device/figures.sh` brought back.

    python benchmarks/figures_table.py FIGURES_FOLDER [../shared/truth/headline_h200.json]

Prints Markdown: the tutorial's table, counters against predictions of every example, the repeated timing.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_ROWS = (
    *(f"memcpy_1d_X{block}_R{elements}" for block in (1024, 2048, 8192) for elements in (1, 2, 4, 8, 16)),
    "memcpy_2d",
    "memcpy_2d_transposed_input_same_layout",
    "memcpy_2d_transposed_fixed",
    "noncontig_2d",
    "noncontig_2d_transposed",
    "inout_order10",
    "inout_order01",
    "inout_convert_128x64",
    "inout_convert_64x64",
    "inout_convert_128x128",
)
"""The launches of benchmarks/headline.py, in their order there."""
_LAUNCH, _LINES = "measured_launch", "measured_lines"


def _load(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text())


def _by_launch(report: dict[str, Any]) -> list[dict[str, Any]]:
    """Kernels in the order of their launches, which is that of the script."""
    return sorted(report["kernels"], key=lambda kernel: int(kernel["launch"]["id"].removeprefix("launch")))


def _headline(folder: Path, truth: dict[str, float]) -> Iterator[str]:
    yield "| launch | measured TB/s | before | difference | expected TB/s |"
    yield "|---|---|---|---|---|"
    for name, kernel in zip(_ROWS, _by_launch(_load(folder / "headline.json")), strict=True):
        found, metrics = kernel["measurement"], {m["key"]: m["value"] for m in kernel["metrics"]}
        moved = found["bytes"] if found else None
        expected = moved / metrics["expected_time"] / 1e6 if moved else None
        rate, before = (found["gbps"] / 1e3 if found else None), truth.get(name)
        apart = f"{rate / before - 1:+.1%}" if rate and before else ""
        yield f"| {name} | {_number(rate)} | {_number(before)} | {apart} | {_number(expected)} |"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _counters(folder: Path) -> Iterator[str]:
    yield "| script | kernel | whole launch equal | by line equal | not equal |"
    yield "|---|---|---|---|---|"
    totals = {_LAUNCH: [0, 0], _LINES: [0, 0]}
    for path in sorted(folder.glob("*.json")):
        for kernel in _by_launch(_load(path)):
            tables = {table["key"]: table for table in kernel["tables"] if table["key"] in totals}
            shown, apart = [], []
            for key in totals:
                table = tables.get(key, {"rows": []})
                rows = [row for row in table["rows"] if None not in row[2:4]]
                equal = sum(row[4] == "equal" for row in rows)
                totals[key][0] += equal
                totals[key][1] += len(rows)
                shown.append(f"{equal} of {len(rows)}")
                apart += [f"{row[1]} {row[4]}" for row in rows if row[4] != "equal"]
            yield f"| {path.stem} | {kernel['name']} | {shown[0]} | {shown[1]} | {'; '.join(apart)} |"
    whole, lines = totals[_LAUNCH], totals[_LINES]
    yield f"| all | | {_share(whole)} | {_share(lines)} | |"


def _share(pair: list[int]) -> str:
    return f"{pair[0]} of {pair[1]} ({pair[0] / pair[1]:.1%})" if pair[1] else "none"


def _repeated(folder: Path) -> Iterator[str]:
    kernels = [_load(folder / f"half{n}.json")["kernels"][0] for n in (1, 2)]
    times = [kernel["measurement"]["time_ms"]["median"] for kernel in kernels]
    apart = times[1] / times[0] - 1
    yield f"A copy of 1 GiB in two runs: {times[0]:.4f} and {times[1]:.4f} ms, {apart:+.2%} apart."


def main() -> None:
    """Everything as Markdown."""
    folder = Path(sys.argv[1])
    truth = _load(Path(sys.argv[2])) if len(sys.argv) > 2 else {}
    for title, lines in (
        ("The tutorial's copies", _headline(folder, truth)),
        ("Predicted and measured counters", _counters(folder)),
        ("Repeatability", _repeated(folder)),
    ):
        print(f"\n## {title}\n")
        print("\n".join(lines))


if __name__ == "__main__":
    main()
