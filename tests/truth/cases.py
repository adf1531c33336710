"""The launches of ../shared/truth as captures, read where they lie."""

from __future__ import annotations

import ast
import gzip
import json
from functools import cache
from math import prod
from pathlib import Path

import pytest

from gluon_inspect.model.artifact import CompiledKernel, Launch, TensorArgument

SHARED = Path(__file__).resolve().parents[2].parent / "shared"
TRUTH = SHARED / "truth"
_BYTES = {"float32": 4, "float16": 2, "bfloat16": 2, "float64": 8, "int8": 1, "int16": 2, "int32": 4, "int64": 8}


def needs_truth():
    """Skip where the hardware's counters are not at hand."""
    return pytest.mark.skipif(not TRUTH.is_dir(), reason="../shared/truth (recorded hardware counters) is absent")


@cache
def load(name):
    """All cases of one file ("h200", "h200b"), in order."""
    with gzip.open(TRUTH / f"{name}.json.gz", "rt") as file:
        return json.load(file)["cases"]


@cache
def parameters():
    """Run-time parameter names of every recorded kernel, in order."""
    names = {}
    for file in ("kernels.py", "kernels_b.py"):
        for node in ast.parse((TRUTH / file).read_text()).body:
            if isinstance(node, ast.FunctionDef):
                names[node.name] = [
                    a.arg
                    for a in node.args.args
                    if a.annotation is None or "constexpr" not in ast.unparse(a.annotation)
                ]
    return names


def argument(value, position):
    """A recorded argument as the capture model has it; allocations are 512-byte aligned and apart."""
    base = (position + 1) << 36
    match value:
        case ["tensor", dtype, shape, strides, offset]:
            size = _BYTES[dtype]
            return TensorArgument(dtype, tuple(shape), tuple(strides), base + offset * size)
        case ["index", _, n]:
            return TensorArgument("int32", (n,), (1,), base)
        case ["descriptor", *_]:
            return None
        case _:
            return value


def kernel_of(case):
    """A case as a compiled kernel with one launch."""
    names = parameters()[case["kernel"]]
    arguments = {n: argument(v, i) for i, (n, v) in enumerate(zip(names, case["args"], strict=False))}
    grid = (*case["grid"], 1, 1)[:3]
    launch = Launch("0", 1, grid, arguments)
    return CompiledKernel(
        name=case["kernel"],
        target="cuda:90",
        triton_version="3.6.0",
        stages={"ttgir": case["ttgir"], "sass": case["sass"]},
        metadata={"num_warps": case["num_warps"], "shared": case["shared"]},
        launches=(launch,),
    )


def programs(case):
    """Programs of a case's launch."""
    return prod(case["grid"])
