"""Operations of one state as blame and counts see them: what they are, how laid out, how wide."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from gluon_inspect.axis.analysis import axis_of
from gluon_inspect.errors import InspectError
from gluon_inspect.ir.graph import graph_of
from gluon_inspect.ir.operations import lookup, row_of
from gluon_inspect.ir.operations.kinds import OperationKind as K
from gluon_inspect.layouts.conversion import conversion_kind
from gluon_inspect.layouts.lowering import linear_layout
from gluon_inspect.model.encodings import Encoding
from gluon_inspect.model.location import Location
from gluon_inspect.model.mlir import Module, Operation
from gluon_inspect.model.target import Target
from gluon_inspect.model.types import MemDescType, TensorType, Type
from gluon_inspect.model.versions import Version
from gluon_inspect.traffic.global_memory.access import Context, find_accesses

_WARPS = 4
"""Only counts of scalar accesses depend on it; widths do not."""

_FAMILIES = {
    K.GLOBAL_LOAD: "load",
    K.GLOBAL_TO_SHARED: "load",
    K.BULK_LOAD: "load",
    K.GLOBAL_STORE: "store",
    K.SHARED_TO_GLOBAL: "store",
    K.BULK_STORE: "store",
    K.GLOBAL_ATOMIC: "atomic",
    K.MMA: "dot",
    K.CONVERSION: "conversion",
    K.REDUCTION: "reduction",
    K.SCAN: "scan",
    K.GATHER: "gather",
    K.SHARED_ALLOC: "shared memory",
    K.SHARED_LOAD: "shared memory",
    K.SHARED_STORE: "shared memory",
    K.SHARED_ATOMIC: "shared memory",
    K.TENSOR_ALLOC: "tensor memory",
    K.TENSOR_LOAD: "tensor memory",
    K.TENSOR_STORE: "tensor memory",
    K.TENSOR_COPY: "tensor memory",
}


@dataclass(frozen=True, slots=True)
class Sighting:
    """One operation of a state. `vector_bits` a lane moves by one instruction; `kind` of a conversion.

    Two that are equal differ in nothing that counts: names, places and spans are not compared.
    """

    name: str
    source: Type | None
    result: Type | None
    vector_bits: int | None = None
    kind: str = ""
    location: Location | None = field(default=None, compare=False)
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)

    @property
    def family(self) -> str:
        """What it is for ("load", "dot", "conversion" …), whatever a pass made of it; empty for arithmetic."""
        return family_of(self.name)

    @property
    def layouts(self) -> tuple[Encoding, ...]:
        """The layouts it reads and writes, each once."""
        found = (_encoding(of) for of in (self.source, self.result))
        return tuple(dict.fromkeys(encoding for encoding in found if encoding is not None))


def family_of(name: str) -> str:
    """The family of an operation's name, empty where it has none."""
    row = lookup(name)
    return _FAMILIES.get(row.kind, "") if row is not None else ""


def sightings(module: Module, target: Target, version: Version) -> Iterator[Sighting]:
    """Every operation that has a family or makes a tensor with a layout."""
    widths = _widths(module, target)
    for op in graph_of(module).operations:
        result = _plain(op.results[0].type) if op.results else None
        if not family_of(op.name) and _encoding(result) is None:
            continue
        source = _source(op)
        kind = kind_between(source, result, version) if family_of(op.name) == "conversion" else ""
        span = op.span
        yield Sighting(op.name, source, result, widths.get(span.start), kind, op.location, span.start, span.end)


def _source(op: Operation) -> Type | None:
    """The type of the first operand that has a layout; without one, that of the first tensor."""
    types = [value.type for value in op.operands if isinstance(value.type, TensorType | MemDescType)]
    return next((_plain(of) for of in types if _encoding(of) is not None), types[0] if types else None)


def _plain(of: Type) -> Type:
    """A type without what says nothing of its layout: whether memory may be written, what it is part of."""
    return replace(of, mutable=False, alloc_shape=()) if isinstance(of, MemDescType) else of


def _encoding(of: Type | None) -> Encoding | None:
    return of.encoding if isinstance(of, TensorType | MemDescType) else None


def kind_between(source: Type | None, result: Type | None, version: Version) -> str:
    """How a conversion between two types is made; "unknown" where a layout is not understood."""
    if not isinstance(source, TensorType) or not isinstance(result, TensorType):
        return "unknown"
    if source.encoding is None or result.encoding is None:
        return "unknown"
    return _kind(source.encoding, result.encoding, source.shape, version)


@lru_cache(maxsize=4096)
def _kind(source: Encoding, result: Encoding, shape: tuple[int, ...], version: Version) -> str:
    try:
        return conversion_kind(linear_layout(source, shape), linear_layout(result, shape), version).value
    except InspectError:
        return "unknown"


def _widths(module: Module, target: Target) -> Mapping[int, int]:
    found: dict[int, int] = {}
    graph = graph_of(module)
    for function in module.functions:
        operations = [op for op in graph.within(function) if row_of(op).lanes is not None]
        if not operations:
            continue
        context = Context(target, axis_of(module, function), _WARPS)
        for start, access in find_accesses(operations, context).items():
            if access.layout is not None and access.element_bits:
                found[start] = access.vector * access.element_bits
    return found
