"""Expected against measured times of the 234 launches in ../shared/truth: `python -m benchmarks.times`.

One row a family of kernels: median error, share within 20 %, how good the configuration is that the model picks,
and whether the band holds. Nothing of the profiler is used.
"""

from __future__ import annotations

import ast
import gzip
import json
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from gluon_inspect import targets
from gluon_inspect.cost.launch import launch_cost
from gluon_inspect.facts.kernel import KernelFacts, facts_of
from gluon_inspect.model.artifact import CompiledKernel, DescriptorArgument, Launch, TensorArgument

TRUTH = Path(__file__).resolve().parents[1].parent / "shared" / "truth"
_LABEL = "int64"


def launches(truth: Path = TRUTH) -> list[dict[str, Any]]:
    """The timed launches as recorded."""
    with gzip.open(truth / "times_h200.json.gz", "rt") as file:
        return json.load(file)["cases"]


def kernel_of(case: dict[str, Any], names: Sequence[str]) -> CompiledKernel:
    """A launch as a capture has it; allocations are apart."""
    x, y, z, *_ = (*case["grid"], 1, 1)
    pairs = zip(names, case["args"], strict=False)
    arguments = {name: _argument(value, at) for at, (name, value) in enumerate(pairs)}
    return CompiledKernel(
        name=case["kernel"],
        target="cuda:90",
        triton_version="3.6.0",
        stages={"ttgir": case["ttgir"], "sass": case["sass"]},
        metadata={"num_warps": case["num_warps"], "shared": case["shared"]},
        launches=(Launch("0", 1, (x, y, z), arguments),),
    )


def parameters(truth: Path = TRUTH) -> dict[str, list[str]]:
    """Run-time parameters of every recorded kernel, in order."""
    functions = (
        node for node in ast.parse((truth / "kernels_c.py").read_text()).body if isinstance(node, ast.FunctionDef)
    )
    return {each.name: [a.arg for a in each.args.args if not _is_constexpr(a)] for each in functions}


def _is_constexpr(argument: ast.arg) -> bool:
    return argument.annotation is not None and "constexpr" in ast.unparse(argument.annotation)


def _argument(value: Any, at: int) -> Any:
    base = (at + 1) << 36
    match value:
        case ["t", dtype, shape]:
            return TensorArgument(dtype, tuple(shape), _strides(shape), base)
        case ["label", size, _]:
            return TensorArgument(_LABEL, (size,), (1,), base)
        case ["desc", dtype, shape, block]:
            return DescriptorArgument(TensorArgument(dtype, tuple(shape), _strides(shape), base), tuple(block))
        case _:
            return value


def _strides(shape: Sequence[int]) -> tuple[int, ...]:
    found: list[int] = []
    size = 1
    for extent in reversed(shape):
        found.append(size)
        size *= extent
    return tuple(reversed(found))


Row = tuple[str, str, float, float, float | None, str]
"""Family, name, measured s, expected s, band, limit of one launch."""


def rows() -> list[Row]:
    """Every launch, in order."""
    names, target = parameters(), targets.find("cuda:90")
    found: list[Row] = []
    for case in launches():
        kernel = kernel_of(case, names[case["kernel"]])
        cost = launch_cost(facts_of(KernelFacts(kernel, target), kernel.launches[0], None))
        if cost is not None:
            row = (case["kernel"], case["name"], case["ms"] * 1e-3, cost.seconds, cost.band, cost.limiting.value)
            found.append(row)
    return found


def _line(name: str, own: Sequence[Row]) -> str:
    errors = [abs(expected / measured - 1) for _, _, measured, expected, _, _ in own]
    inside = sum(abs(e / m - 1) <= (band or 0.0) for _, _, m, e, band, _ in own) / len(own)
    near = sum(error <= 0.2 for error in errors) / len(own)
    return (
        f"{name:20s} {len(own):4d}  median {median(errors):6.1%}  within 20 % {near:4.0%}  in band {inside:4.0%}"
    )


def main() -> int:
    """Print the table."""
    found, families = rows(), defaultdict[str, list[Row]](list)
    for row in found:
        families[row[0]].append(row)
    for name, own in families.items():
        print(_line(name, own))
    print(_line("all", found))
    limits = defaultdict[str, list[Row]](list)
    for row in found:
        limits[row[5]].append(row)
    for name, own in limits.items():
        print(_line(f"limit: {name}"[:20], own))
    return 0


if __name__ == "__main__":
    sys.exit(main())
