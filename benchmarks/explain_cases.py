"""What explain proposes for copies, against the best there is: cases to time on a card, and the judgement.

    python benchmarks/explain_cases.py prepare CASES.json                  here
    python benchmarks/device/copy_layouts.py compile CASES.json            on the card's machine
    python benchmarks/device/copy_layouts.py time CASES.json TIMES.json    there
    python benchmarks/explain_cases.py judge TIMES.json                    anywhere

Nine groups of a 1 GiB matrix, three memory orders times three tiles, each starting from a layout whose lanes walk
the wrong way: what explain proposes first (a layout, or two with a conversion between them) beside every way to
share lanes, warps and vector width between the two dimensions, layouts that hold copies included; where source and
destination disagree, beside every conversion between two of those as well, lanes at least 8 along memory and no
copies. And the five examples: the proposal beside the tutorial's fix
(its `get_layout_for_gmem_access`, on the example's tile and on the tutorial's; a conversion; R = 4).
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from gluon_inspect import inspect
from gluon_inspect.explaining.explanation import explain
from gluon_inspect.layouts.gluon_syntax import read_layout
from gluon_inspect.model.encodings import BlockedEncoding
from gluon_inspect.model.report import KernelReport

Case = dict[str, Any]
_KERNELS = Path(__file__).parent / "device" / "copy_layouts.py"
_WANTED = {"listed": 0.97, "fix": 0.97}
"""Share of the speed of the best listed layout, and of the tutorial's fix."""
_MOST_ELEMENTS = 256
"""Elements of a thread beyond which a float32 layout can only spill."""
TILES = ((64, 64), (16, 256), (256, 16))
STARTS = {
    "rm": [[1, 1], [32, 1], [4, 1], [0, 1]],
    "cm": [[1, 1], [1, 32], [1, 4], [1, 0]],
    "rm2cm": [[1, 1], [1, 32], [4, 1], [1, 0]],
}
ROWS, COLUMNS, FLAT = [[1, 1], [1, 32], [1, 4], [1, 0]], [[1, 1], [32, 1], [4, 1], [0, 1]], [[4], [32], [4], [0]]
"""What the tutorial's helper returns for row-major and column-major tensors; R = 4."""
_WIDE = [[1, 4], [1, 32], [4, 1], [1, 0]]
"""The layout of examples/strided_view.py."""
_COPY = {"shape": [16384, 16384], "XB": 64, "YB": 64}
_HALF = {"mem": "rm", "shape": [8192, 8192], "XB": 16, "YB": 256}
EXAMPLES: dict[str, tuple[Case, list[Case]]] = {
    "transposed": (
        {**_COPY, "mem": "cm", "layout": [*ROWS[:2], [4, 1], [1, 0]]},
        [{"layout": COLUMNS}, {"layout": COLUMNS, "XB": 2048, "YB": 1}],
    ),
    "every second row": (
        {**_HALF, "step": [2, 1], "layout": _WIDE},
        [{"layout": ROWS}, {"layout": ROWS, "XB": 1, "YB": 2048}],
    ),
    "every second column": (
        {**_HALF, "step": [1, 2], "layout": _WIDE},
        [{"layout": ROWS}, {"layout": ROWS, "XB": 1, "YB": 2048}],
    ),
    "opposite": (
        {**_COPY, "mem": "rm2cm", "layout": STARTS["rm2cm"]},
        [{"layout": ROWS, "layout_out": COLUMNS}],
    ),
    "R = 16": (
        {"mem": "flat", "shape": [1 << 28], "XB": 2048, "layout": [[16], [32], [4], [0]]},
        [{"layout": FLAT}, {"layout": [[2], *FLAT[1:]]}, {"layout": [[1], *FLAT[1:]]}],
    ),
}
"""A case as it is and the tutorial's fixes of it."""


def prepared() -> Iterator[Case]:
    """All cases, group by group."""
    starts = [
        {"mem": mem, "XB": xb, "YB": yb, "shape": [16384, 16384], "layout": layout}
        for (xb, yb), (mem, layout) in product(TILES, STARTS.items())
    ]
    examples = [case for case, _ in EXAMPLES.values()]
    reports = _reports([*starts, *examples])
    for start in starts:
        group = f"{start['mem']}_{start['XB']}x{start['YB']}"
        yield {
            **start,
            **_proposed(reports[_key(start)]),
            "group": group,
            "role": "ours",
            "name": group,
        }
        yield from _listed(start, group)
    for group, (start, fixes) in EXAMPLES.items():
        yield {
            **start,
            **_proposed(reports[_key(start)]),
            "group": group,
            "role": "ours",
            "name": group,
        }
        for number, fix in enumerate(fixes):
            yield {**start, **fix, "group": group, "role": "fix", "name": f"{group} fix {number}"}


def _key(case: Case) -> tuple[Any, ...]:
    """What tells a case's launch from others."""
    rows, columns = case["shape"][0], case["shape"][-1]
    down, across = case.get("step", (1, 1))
    flat, turned = case["mem"] == "flat", case["mem"] == "cm"
    sx, sy = (1, 1) if flat else (down, rows * down * across) if turned else (columns * down * across, across)
    return str(case["layout"]), case["XB"], case.get("YB"), sx, sy, flat or case["mem"] != "rm"


def _key_of(kernel: KernelReport) -> tuple[Any, ...]:
    constants = kernel.kernel.constexprs
    sx, sy, dx = (int(kernel.launch.arguments.get(name, 1)) for name in ("sx", "sy", "dx"))
    height = constants.get("YB")
    return str(_fields(constants["layout"])), int(constants["XB"]), height and int(height), sx, sy, dx == 1


def _reports(cases: list[Case]) -> dict[tuple[Any, ...], KernelReport]:
    """The kernels of the timing script, recorded at the cases' sizes."""
    text = (
        f"import runpy\nof = runpy.run_path({str(_KERNELS)!r})\nfor case in {cases!r}:\n"
        "    of['_launcher'](case, of['_tensors'](case))()\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "copies.py"
        script.write_text(text)
        return {_key_of(kernel): kernel for kernel in inspect(script, "cuda:90").kernels}


def _proposed(kernel: KernelReport) -> Case:
    """The layouts of the first proposal that has any; nothing where none is better."""
    pairs = (proposal.layouts for proposal in explain(kernel).proposals if proposal.layouts)
    return dict(zip(("layout", "layout_out"), map(_fields, next(pairs, ())), strict=False))


def _fields(text: str) -> list[list[int]]:
    layout = read_layout(text)
    assert isinstance(layout, BlockedEncoding)
    fields = (layout.size_per_thread, layout.threads_per_warp, layout.warps_per_cta, layout.order)
    return [list(field) for field in fields]


def _listed(start: Case, group: str) -> Iterator[Case]:
    """Every layout, and for a copy between memory orders every conversion."""
    tile = start["XB"], start["YB"]
    case = {**start, "group": group, "role": "listed"}
    for name, layout in _shared((1, 0), range(6)):
        if _held(layout, tile) <= _MOST_ELEMENTS:
            yield {**case, "layout": layout, "name": f"{group} {name}"}
    if start["mem"] != "rm2cm":
        return
    for (read, layout), (written, layout_out) in product(_shared((1,), _ALONG), _shared((0,), _ALONG)):
        if all(_covers_once(each, tile) for each in (layout, layout_out)):
            yield {**case, "layout": layout, "layout_out": layout_out, "name": f"{group} {read}-{written}"}


def _held(layout: list[list[int]], tile: tuple[int, int]) -> int:
    """Elements of a thread, copies included."""
    each, lanes, warps, _ = layout
    return prod(max(tile[d] // (lanes[d] * warps[d]), each[d]) for d in (0, 1))


def _covers_once(layout: list[list[int]], tile: tuple[int, int]) -> bool:
    each, lanes, warps, _ = layout
    return all(each[d] * lanes[d] * warps[d] <= tile[d] for d in (0, 1))


_ALONG = range(3, 6)
"""log2 of the lanes along memory in a conversion's layouts: fewer cannot fill a sector with four bytes each."""


def _shared(fast: tuple[int, ...], lanes: range) -> Iterator[tuple[str, list[list[int]]]]:
    """Every way to share 32 lanes, 4 warps and up to 4 elements between two dimensions, with a name for each."""
    for dim, width, lane, warp in product(fast, (1, 2, 4), lanes, range(3)):
        shares = [[1, 1], [1, 1], [1, 1], [dim, 1 - dim]]
        shares[0][dim] = width
        shares[1][dim], shares[1][1 - dim] = 1 << lane, 32 >> lane
        shares[2][dim], shares[2][1 - dim] = 1 << warp, 4 >> warp
        yield f"{dim}{width}{lane}{warp}", shares


def judged(rows: list[Case]) -> Iterator[tuple[str, Case, Case, bool]]:
    """Of each group its name, ours, the best of the others, and whether ours is near enough."""
    for group in dict.fromkeys(row["group"] for row in rows):
        own = next(row for row in rows if row["group"] == group and row["role"] == "ours")
        others = [row for row in rows if row["group"] == group and row["role"] != "ours" and row["correct"]]
        best = min(others, key=lambda row: row["ms"])
        yield group, own, best, own["correct"] and best["ms"] >= _WANTED[best["role"]] * own["ms"]


def main() -> None:
    """Prepare the cases or judge their times."""
    mode, path = sys.argv[1:3]
    if mode == "prepare":
        cases = list(prepared())
        Path(path).write_text(json.dumps(cases) + "\n")
        print(f"{len(cases)} cases")
        for each in cases:
            if each["role"] == "ours":
                print(each["name"], each["layout"], each.get("layout_out", ""))
        return
    failed = 0
    for group, own, best, good in judged(json.loads(Path(path).read_text())["rows"]):
        failed += not good
        ours = [own["layout"], *([own["layout_out"]] if "layout_out" in own else [])]
        print(f"{group:20} {best['ms'] / own['ms']:6.1%}  ours {own['ms']:.4f} ms {ours}")
        print(f"{'':28} best {best['ms']:.4f} ms {best['layout']} ({best['name']})")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
