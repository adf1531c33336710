"""Timed launches with their facts: the 234 of ../shared/truth and the pairs of ../shared/truth/pairs.

Facts do not depend on the time model, so they are kept in build/times until a source that they come from changes.
"""

from __future__ import annotations

import ast
import gzip
import hashlib
import json
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import gluon_inspect
from gluon_inspect import targets
from gluon_inspect.facts.kernel import KernelFacts, facts_of
from gluon_inspect.facts.launched import Facts
from gluon_inspect.loading.disassemble import with_sass
from gluon_inspect.model.artifact import CompiledKernel, DescriptorArgument, Launch, TensorArgument

_ROOT = Path(__file__).resolve().parents[1]
TRUTH = _ROOT.parent / "shared" / "truth"
_KEPT = _ROOT / "build" / "times"
_ROOMS = ("assembly", "axis", "evaluate", "facts", "ir", "layouts", "model", "targets", "traffic")
_LABEL = "int64"


@dataclass(frozen=True, slots=True)
class Timed:
    """One launch on an H200. `problem`: what stays the same when only its configuration changes."""

    family: str
    name: str
    problem: str
    seconds: float
    facts: Facts
    profile: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Pair:
    """The same work written in two ways."""

    name: str
    sides: tuple[Timed, Timed]


def launches(truth: Path = TRUTH / "times_h200.json.gz", only: str = "") -> list[Timed]:
    """The timed launches of one file, those whose name or kernel holds `only`."""
    with gzip.open(truth, "rt") as file:
        cases = json.load(file)["cases"]
    every = _kept(truth, "launches", lambda: [_facts_of_case(case) for case in cases])
    return [
        Timed(case["kernel"], case["name"], repr(case["args"]), case["ms"] * 1e-3, facts, case["profile"])
        for case, facts in zip(cases, every, strict=True)
        if only in case["name"] or only in case["kernel"]
    ]


def pairs(folder: Path = TRUTH / "pairs") -> list[Pair]:
    """The pairs whose two launches were recorded without a GPU as they were timed."""
    measured = json.loads((folder / "measured.json").read_text())["pairs"]
    recorded = [
        each
        for script in ("pairs.py", "pairs_gluon.py")
        for each in _kept(folder / script, script, lambda script=script: _facts_of_script(folder / script))
    ]
    return list(_matched(measured, recorded))


def _matched(measured: dict[str, Any], recorded: list[Facts]) -> Iterator[Pair]:
    # a launch that a script makes again is one record that counts both, at the place of the first
    left = [(each, each.kernel.launches[0].count) for each in recorded]
    for name, sides in measured.items():
        found = [_first_like(side, left) for side in sides]
        if None not in found:
            first, second = (
                Timed(each.kernel.name, name, name, side["ms"] * 1e-3, each)
                for side, each in zip(sides, found, strict=True)
                if each is not None
            )
            yield Pair(name, (first, second))


def _first_like(side: dict[str, Any], left: list[tuple[Facts, int]]) -> Facts | None:
    grid = tuple((*side["grid"], 1, 1)[:3])
    for at, (each, count) in enumerate(left):
        if each.kernel.name == side["kernel"] and each.kernel.launches[0].grid == grid:
            left[at : at + 1] = [(each, count - 1)] if count > 1 else []
            return each
    return None


def _kept(source: Path, name: str, gathered: Callable[[], list[Facts]]) -> list[Facts]:
    """Facts from build/times, or gathered and put there: a file that only this program writes."""
    path = _KEPT / f"{name}-{_key(source)}.pickle"
    if path.exists():
        return pickle.loads(path.read_bytes())  # noqa: S301  written below
    found = gathered()
    path.parent.mkdir(parents=True, exist_ok=True)
    for old in path.parent.glob(f"{name}-*.pickle"):
        old.unlink()
    path.write_bytes(pickle.dumps(found))
    return found


def _key(source: Path) -> str:
    found = hashlib.sha256(source.read_bytes())
    for room in _ROOMS:
        for path in sorted((_ROOT / "gluon_inspect" / room).rglob("*.py")):
            if path.name != "clocks.py":
                found.update(path.read_bytes())
    return found.hexdigest()[:16]


def _slim(facts: Facts) -> Facts:
    """Facts without what the time model does not read."""
    bare = replace(facts.kernel, stages={})
    return replace(facts, module=None, graph=None, shared=(), bulk={}, kernel=bare)


def _facts_of_case(case: dict[str, Any]) -> Facts:
    kernel = kernel_of(case, case.get("parameters") or parameters()[case["kernel"]])
    return _slim(facts_of(KernelFacts(kernel, targets.find("cuda:90")), kernel.launches[0], None))


def _facts_of_script(script: Path) -> list[Facts]:
    """Facts of all launches of a script, in order."""
    _KEPT.mkdir(parents=True, exist_ok=True)
    recorded = _KEPT / f"{script.stem}.gi"
    order = ("capture", "--target", "cuda:90", "-o", str(recorded), str(script))
    subprocess.run((sys.executable, "-m", "gluon_inspect", *order), check=True, stdout=subprocess.DEVNULL)
    kernels = with_sass(gluon_inspect.load(recorded)).kernels
    ordered = sorted(
        ((launch, kernel) for kernel in kernels for launch in kernel.launches),
        key=lambda each: _number(each[0].id),
    )
    return [
        _slim(facts_of(KernelFacts(replace(kernel, launches=(launch,)), targets.find("cuda:90")), launch, None))
        for launch, kernel in ordered
    ]


def _number(identifier: str) -> int:
    return int("".join(filter(str.isdigit, identifier)) or 0)


def kernel_of(case: dict[str, Any], names: Sequence[str]) -> CompiledKernel:
    """A launch as a capture has it; allocations are apart."""
    x, y, z, *_ = (*case["grid"], 1, 1)
    named = zip(names, case["args"], strict=False)
    arguments = {name: _argument(value, at) for at, (name, value) in enumerate(named)}
    return CompiledKernel(
        name=case["kernel"],
        target="cuda:90",
        triton_version="3.6.0",
        stages={"ttgir": case["ttgir"], "sass": case["sass"]},
        metadata={"num_warps": case["num_warps"], "shared": case["shared"]},
        launches=(Launch("0", 1, (x, y, z), arguments),),
    )


def parameters(source: Path = TRUTH / "kernels_c.py") -> dict[str, list[str]]:
    """Run-time parameters of every recorded kernel, in order."""
    functions = (node for node in ast.parse(source.read_text()).body if isinstance(node, ast.FunctionDef))
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
