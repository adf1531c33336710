"""The layouts that explain proposes for copies of a 1 GiB matrix, as cases for device/copy_layouts.py.

    python benchmarks/explain_cases.py OUT.json [sweep_h200.json]

Nine groups: three memory orders times three tiles, each starting from a layout whose lanes walk the wrong
way. With a sweep of timed layouts, the three fastest ones of each group become cases too, so that one run on a
card times the proposal beside the best that exhaustive timing found.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from gluon_inspect.explain.explanation import explain
from gluon_inspect.layouts.gluon_syntax import read_layout
from gluon_inspect.model.encodings import BlockedEncoding
from gluon_inspect.workflow.inspection import inspect

SCRIPT = """
import torch
import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl

@gluon.jit
def copy_2d(src, dst, nx, ny, sx, sy, dx, dy, layout: gl.constexpr, XB: gl.constexpr, YB: gl.constexpr):
    ix = gl.program_id(0) * XB + gl.arange(0, XB, layout=gl.SliceLayout(1, layout))
    iy = gl.program_id(1) * YB + gl.arange(0, YB, layout=gl.SliceLayout(0, layout))
    mask = (ix[:, None] < nx) & (iy[None, :] < ny)
    v = gl.load(src + ix[:, None] * sx + iy[None, :] * sy, mask=mask)
    gl.store(dst + ix[:, None] * dx + iy[None, :] * dy, v, mask=mask)

def matrix(column_major):
    kept = torch.empty((16384, 16384), device="cuda")
    return kept.T if column_major else kept

for mem, layout in {groups}:
    src, dst = matrix(mem == "cm"), matrix(mem != "rm")
    for xb, yb in {tiles}:
        grid = (triton.cdiv(16384, xb), triton.cdiv(16384, yb))
        copy_2d[grid](src, dst, 16384, 16384, *src.stride(), *dst.stride(), gl.BlockedLayout(*layout), xb, yb)
"""
GROUPS = (
    ("rm", [[1, 1], [32, 1], [4, 1], [0, 1]]),
    ("cm", [[1, 1], [1, 32], [1, 4], [1, 0]]),
    ("rm2cm", [[1, 1], [1, 32], [4, 1], [1, 0]]),
)
TILES = ((64, 64), (32, 128), (128, 32))


def proposals(tiles: tuple[tuple[int, int], ...]) -> list[dict[str, Any]]:
    """One case a group: the best layout for the whole kernel (conversions left aside)."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "copies.py"
        script.write_text(SCRIPT.replace("{groups}", repr(GROUPS)).replace("{tiles}", repr(tiles)))
        report = inspect(script, "cuda:90")
    cases: list[dict[str, Any]] = []
    for kernel in report.kernels:
        xb, yb = int(kernel.kernel.constexprs["XB"]), int(kernel.kernel.constexprs["YB"])
        sx, dx = (int(kernel.launch.arguments.get(name, 1)) for name in ("sx", "dx"))
        mem = "cm" if sx == 1 else "rm" if dx != 1 else "rm2cm"
        single = next((p for p in explain(kernel).proposals if p.substitutions), None)
        text = single.substitutions["layout"] if single else kernel.kernel.constexprs["layout"]
        cases.append(case(f"explain_{mem}_{xb}x{yb}", mem, xb, yb, text))
    return cases


def case(name: str, mem: str, xb: int, yb: int, text: str) -> dict[str, Any]:
    """A case as device/copy_layouts.py takes it."""
    layout = read_layout(text)
    assert isinstance(layout, BlockedEncoding)
    fields = [layout.size_per_thread, layout.threads_per_warp, layout.warps_per_cta, layout.order]
    return {"name": name, "mem": mem, "XB": xb, "YB": yb, "layout": [list(field) for field in fields]}


def fastest(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The three fastest timed layouts of each group."""
    groups: dict[tuple[str, int, int], list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault((row["mem"], row["XB"], row["YB"]), []).append(row)
    return [
        case(f"best{rank}_{row['name']}", row["mem"], row["XB"], row["YB"], row["layout"])
        for group in groups.values()
        for rank, row in enumerate(sorted(group, key=lambda row: row["ms"])[:3])
    ]


def main() -> None:
    """Write the cases and list them."""
    rows = json.loads(Path(sys.argv[2]).read_text())["rows"] if len(sys.argv) > 2 else []
    tiles = tuple(dict.fromkeys((row["XB"], row["YB"]) for row in rows)) or TILES
    cases = [*proposals(tiles), *fastest(rows)]
    Path(sys.argv[1]).write_text(json.dumps(cases, indent=1) + "\n")
    for each in cases:
        print(each["name"], each["layout"])


if __name__ == "__main__":
    main()
