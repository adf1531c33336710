"""Random integer expressions as IR, and what they are: every element, computed the slow way."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from hypothesis import strategies as st

INSTANCES, SHAPE = 3, (8, 16)
_LAYOUT = "#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>"
_TENSOR = "tensor<8x16xi32, #b>"
_BINARY: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "addi": operator.add,
    "subi": operator.sub,
    "muli": operator.mul,
    "minsi": np.minimum,
    "maxsi": np.maximum,
    "andi": operator.and_,
    "ori": operator.or_,
    "xori": operator.xor,
}
_BY_CONSTANT: dict[str, Callable[[np.ndarray, int], np.ndarray]] = {
    "muli": operator.mul,
    "divsi": lambda a, b: np.trunc(a / b).astype(np.int64),
    "remsi": lambda a, b: np.fmod(a, b),
    "shli": operator.lshift,
    "shrsi": operator.rshift,
}
_COMPARED = {
    "slt": operator.lt,
    "sle": operator.le,
    "sgt": operator.gt,
    "sge": operator.ge,
    "eq": operator.eq,
    "ne": operator.ne,
}


@dataclass
class Expression:
    """A function's lines, its parameters, and the elements of each tensor it makes, in each of some instances.

    `parameters`: divisibility and the value in each instance. `values`: (instances, *SHAPE) by name, `masks` too.
    """

    lines: list[str] = field(default_factory=list)
    parameters: list[tuple[int, np.ndarray]] = field(default_factory=list)
    values: dict[str, np.ndarray] = field(default_factory=dict)
    masks: dict[str, np.ndarray] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The module."""
        taken = ", ".join(
            f"%a{n}: i32 {{tt.divisibility = {d} : i32}}" for n, (d, _) in enumerate(self.parameters)
        )
        body = "\n".join(self.lines)
        return (
            f'#b = {_LAYOUT}\nmodule attributes {{"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"}} {{\n'
            f"tt.func public @k({taken}) {{\n{body}\ntt.return\n}}\n}}\n"
        )

    def add(self, line: str, value: np.ndarray, type_of: str = _TENSOR) -> str:
        """One more operation."""
        name = f"%v{len(self.lines)}"
        self.lines.append(f"{name} = {line}")
        if type_of == _TENSOR:
            self.values[name] = np.broadcast_to(value, (INSTANCES, *SHAPE))
        return name

    def rising(self, dim: int, start: int) -> str:
        """A range along one dimension, the same along the other."""
        size, other = SHAPE[dim], 1 - dim
        inner = f"#ttg.slice<{{dim = {other}, parent = #b}}>"
        line = f"tensor<{size}xi32, {inner}>"
        flat = self.add(
            f"tt.make_range {{end = {start + size} : i32, start = {start} : i32}} : {line}", np.empty(0), ""
        )
        one = "x".join("1" if d == other else str(size) for d in (0, 1))
        shape = f"tensor<{one}xi32, #b>"
        up = self.add(f"tt.expand_dims {flat} {{axis = {other} : i32}} : {line} -> {shape}", np.empty(0), "")
        values = np.arange(start, start + size)
        return self.add(f"tt.broadcast {up} : {shape} -> {_TENSOR}", values[None, :] if dim else values[:, None])


@st.composite
def expressions(draw: st.DrawFn) -> Expression:
    """A few ranges, arguments and constants, and operations on them; all elements stay below 2^31."""
    made = Expression()
    for dim in (0, 1):
        made.rising(dim, draw(st.sampled_from([0, 1, 4, 8, 16, 24])))
    for _ in range(draw(st.integers(1, 2))):
        divisor = draw(st.sampled_from([1, 2, 4, 16]))
        value = divisor * np.array([draw(st.integers(0, 40)) for _ in range(INSTANCES)])
        made.parameters.append((divisor, value))
        made.add(f"tt.splat %a{len(made.parameters) - 1} : i32 -> {_TENSOR}", value[:, None, None])
    made.add(*_constant(draw(st.integers(0, 40))))
    for _ in range(draw(st.integers(1, 7))):
        _one_more(draw, made)
    return made


def _constant(value: int) -> tuple[str, np.ndarray]:
    return f"arith.constant dense<{value}> : {_TENSOR}", np.array(value)


def _one_more(draw: st.DrawFn, made: Expression) -> None:
    names = list(made.values)
    left, right = draw(st.sampled_from(names)), draw(st.sampled_from(names))
    a, b = made.values[left], made.values[right]
    match draw(st.sampled_from(["binary", "by constant", "select"])):
        case "binary":
            name = draw(st.sampled_from(sorted(_BINARY)))
            _keep(made, f"arith.{name} {left}, {right} : {_TENSOR}", _BINARY[name](a, b))
        case "by constant":
            name = draw(st.sampled_from(sorted(_BY_CONSTANT)))
            number = draw(st.integers(0, 4) if name[:2] == "sh" else st.sampled_from([1, 2, 3, 4, 8, 12, 16, 32]))
            if name[:2] in ("di", "re", "sh") and a.min() < 0:
                return
            constant = made.add(*_constant(number))
            _keep(made, f"arith.{name} {left}, {constant} : {_TENSOR}", _BY_CONSTANT[name](a, number))
        case _:
            name = draw(st.sampled_from(sorted(_COMPARED)))
            mask = made.add(f"arith.cmpi {name}, {left}, {right} : {_TENSOR}", np.empty(0), "")
            made.masks[mask] = _COMPARED[name](a, b)
            chosen = np.where(made.masks[mask], a, b)
            mask_type = _TENSOR.replace("i32", "i1")
            made.add(f"arith.select {mask}, {left}, {right} : {mask_type}, {_TENSOR}", chosen)


def _keep(made: Expression, line: str, value: np.ndarray) -> None:
    if value.min() >= -(1 << 31) and value.max() < 1 << 31:
        made.add(line, value)
