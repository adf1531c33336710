"""A parsed MLIR module: operations, values, regions. Unknown operations are kept, opaque and lossless."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from gluon_inspect.model.brief import brief, spot
from gluon_inspect.model.encodings import Encoding
from gluon_inspect.model.location import Location
from gluon_inspect.model.types import Type
from gluon_inspect.source import SourceText, Span


@dataclass(frozen=True, slots=True)
class Value:
    """An SSA value. `index` is unique in the module, so values compare by it and can be dict keys."""

    index: int
    name: str = field(compare=False)
    type: Type = field(compare=False)
    location: Location | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class DenseElements:
    """dense<…>: one value (a splat) or all of them in row-major order."""

    values: tuple[int | float | bool, ...]
    type: Type
    is_splat: bool


@dataclass(frozen=True, slots=True)
class SymbolReference:
    """@name or @module::@name."""

    name: str


@dataclass(frozen=True, slots=True)
class OpaqueAttribute:
    """An attribute that is not understood, as it stands, aliases expanded."""

    text: str


Attribute = (
    int
    | float
    | bool
    | str
    | None
    | tuple["Attribute", ...]
    | Mapping[str, "Attribute"]
    | DenseElements
    | SymbolReference
    | Encoding
    | Type
    | OpaqueAttribute
)


@dataclass(frozen=True, slots=True, eq=False)
class Operation:
    """One operation. `name` is dotted in full ("tt.load"), also where the text abbreviates it.

    `attributes` holds the attribute dictionary and what the custom syntax says outright
    (`arith.cmpi slt` -> "predicate", `tt.get_program_id x` -> "axis", `arith.constant` -> "value"),
    as the dialect's table names it.
    "operand_groups" maps the roles of operands ("ptr", "mask" …) to their places.
    """

    name: str
    operands: tuple[Value, ...]
    results: tuple[Value, ...]
    attributes: Mapping[str, Attribute]
    regions: tuple[Region, ...]
    location: Location | None
    span: Span
    successors: tuple[tuple[str, tuple[Value, ...]], ...] = ()

    def __repr__(self) -> str:
        values = ", ".join(value.name for value in self.results)
        return brief(f"<Operation {f'{values} = ' if values else ''}{self.name} at {spot(self.location)}>")

    def walk(self) -> Iterator[Operation]:
        """This operation and all nested ones, in textual order."""
        stack: list[Operation] = [self]
        while stack:
            operation = stack.pop()
            yield operation
            for region in reversed(operation.regions):
                for block in reversed(region.blocks):
                    stack.extend(reversed(block.operations))


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """A basic block: label without ^ (empty for an unlabelled entry), arguments, operations."""

    label: str
    arguments: tuple[Value, ...]
    operations: tuple[Operation, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """A region; `name` as in `partition0(…)` of ttg.warp_specialize, else empty."""

    name: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Module:
    """A whole text: its top-level operations (usually one module) and its functions that have a body, in order."""

    operations: tuple[Operation, ...]
    source: SourceText
    attributes: Mapping[str, Attribute]
    opaque_names: frozenset[str] = frozenset()
    functions: tuple[Operation, ...] = ()

    def __repr__(self) -> str:
        functions = ", ".join(str(each.attributes.get("sym_name", "")) for each in self.functions)
        return brief(f"<Module of {sum(1 for _ in self.walk())} operations: {functions}>")

    def walk(self) -> Iterator[Operation]:
        """Every operation of the text, nested ones included, in textual order."""
        for operation in self.operations:
            yield from operation.walk()
