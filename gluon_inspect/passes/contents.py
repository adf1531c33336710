"""What one state holds: operations, layout conversions by kind, accesses by vector width, shared bytes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from gluon_inspect.addresses.axis_analysis import AxisAnalysis
from gluon_inspect.addresses.global_access import Context, find_accesses
from gluon_inspect.errors import InspectError
from gluon_inspect.layouts.conversion import classify
from gluon_inspect.layouts.lowering import linear_layout
from gluon_inspect.model.dump import Level
from gluon_inspect.model.mlir import Module, Operation
from gluon_inspect.model.target import Target
from gluon_inspect.model.types import TensorType
from gluon_inspect.parsers.mlir import parse_module
from gluon_inspect.passes.states import State

_OPERATION = re.compile(r"^\s*(?:%[^=\n]*= )?\"?([a-z_]\w*\.[\w.]+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Contents:
    """Counts of one state. `problem` says why there is no more; at the LLVM level only operations count."""

    operations: Mapping[str, int] = field(default_factory=dict[str, int])
    conversions: Mapping[str, int] = field(default_factory=dict[str, int])
    widths: Mapping[str, int] = field(default_factory=dict[str, int])
    """Accesses by operation and bits a lane: "tt.load 128"."""
    layouts: Mapping[str, int] = field(default_factory=dict[str, int])
    """How many results have each encoding."""
    shared_bytes: int | None = None
    problem: str = ""

    @property
    def total(self) -> int:
        """All operations."""
        return sum(self.operations.values())


def contents_of(state: State, target: Target) -> Contents:
    """Parse a state and count; LLVM modules are counted line by line without parsing."""
    text = state.ir or ""
    if state.level is Level.LLVM:
        return Contents(dict(Counter(_OPERATION.findall(text))))
    try:
        module = parse_module(text)
    except InspectError as error:
        return Contents(dict(Counter(_OPERATION.findall(text))), problem=str(error))
    return Contents(
        operations=dict(Counter(op.name for op in module.walk())),
        conversions=dict(Counter(_conversions(module))),
        widths=dict(Counter(_widths(module, target))),
        layouts=dict(Counter(_layouts(module))),
        shared_bytes=_shared(module),
    )


def _conversions(module: Module) -> Iterator[str]:
    for op in module.walk():
        if op.name != "ttg.convert_layout":
            continue
        source, result = op.operands[0].type, op.results[0].type
        if isinstance(source, TensorType) and isinstance(result, TensorType):
            yield _kind(source, result)


def _kind(source: TensorType, result: TensorType) -> str:
    if source.encoding is None or result.encoding is None:
        return "unknown"
    try:
        layouts = (linear_layout(of.encoding, of.shape) for of in (source, result) if of.encoding is not None)
        return classify(*layouts).value
    except InspectError:
        return "unknown"


def _widths(module: Module, target: Target) -> Iterator[str]:
    for function in module.functions():
        context = Context(target, AxisAnalysis(function), 4)
        for access in find_accesses(function, context).values():
            if access.tensor is not None and access.layout is not None and access.element_bits:
                yield f"{access.op.name} {access.vector * access.element_bits}"


def _layouts(module: Module) -> Iterator[str]:
    for op in module.walk():
        for result in op.results:
            if isinstance(result.type, TensorType) and result.type.encoding is not None:
                yield repr(result.type.encoding)


def _shared(module: Module) -> int | None:
    found = module.attributes.get("ttg.shared")
    return found if isinstance(found, int) else None


def by_location(module: Module) -> Iterator[tuple[str, Operation]]:
    """Operations with the file and line they come from."""
    for op in module.walk():
        if op.location is not None:
            yield f"{op.location.file}:{op.location.line}", op
