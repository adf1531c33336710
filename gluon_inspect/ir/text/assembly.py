"""From what was read of operations, blocks and regions to the model's objects."""

from __future__ import annotations

from collections.abc import Sequence

from gluon_inspect.ir.operations import scf, ttg
from gluon_inspect.ir.operations.enumerations import normalised
from gluon_inspect.ir.operations.kinds import OperationKind
from gluon_inspect.ir.text.attributes import Attributes
from gluon_inspect.ir.text.frames import OperationFrame, RegionFrame
from gluon_inspect.ir.text.header import Header
from gluon_inspect.ir.text.locations import Locations
from gluon_inspect.ir.text.results import result_types, unnamed_types
from gluon_inspect.ir.text.roles import generic_roles
from gluon_inspect.ir.text.scopes import Scopes
from gluon_inspect.ir.text.tokenizer import LOCATION, SSA, Tokens, error
from gluon_inspect.ir.text.typelists import TypeLists
from gluon_inspect.model.location import Location
from gluon_inspect.model.mlir import Attribute, Block, Operation, Region, Value
from gluon_inspect.model.types import ScalarType, Type
from gluon_inspect.source import Span


class Assembler:
    """Builds operations, blocks and regions; holds what they share: names, types, locations."""

    def __init__(self, tokens: Tokens, aliases: dict[str, tuple[str, int]]) -> None:
        self._tokens = tokens
        self._scopes = Scopes(tokens.source)
        self._attributes = Attributes(tokens.source, aliases)
        self._locations = Locations(tokens.source, aliases)
        self._lists = TypeLists(tokens, self._attributes)
        self.header = Header(tokens, self._attributes, self._scopes, self._lists)
        self.opaque: set[str] = set()
        self.functions: list[Operation] = []
        """Those with a body, in order."""

    def finish(self, region: RegionFrame) -> None:
        """The text ends; raises ParseError for names and blocks without a definition."""
        self._scopes.finish()
        self._require_blocks(region)

    def add_dictionary(self, frame: OperationFrame, index: int, end: int) -> None:
        """Add an attribute dictionary, the tokens from `index` to before `end`."""
        text = self._tokens.slice(index, end)
        frame.attributes.update(self._attributes.dictionary(text, self._tokens.starts[index]))

    def enter(self, frame: OperationFrame, dialect: str) -> str:
        """A region of this operation begins; the dialect of bare names in it."""
        row = frame.row
        self._scopes.enter(isolated=self._isolates(frame), lenient=row is None)
        if row is None or not (row.dialect or row.isolated):
            return dialect
        return row.dialect

    def _isolates(self, frame: OperationFrame) -> bool:
        """Whether a region may use names of the text around it again: only partitions may."""
        return frame.row is ttg.PARTITIONS or (frame.row is ttg.WARP_SPECIALIZE and frame.opened > 1)

    def bound(self, frame: OperationFrame) -> tuple[Value, ...]:
        """The values of the names that a header gives to its region, which has begun."""
        values: list[Value] = []
        for one in frame.bindings:
            location = self._locations.read(one.location, one.offset) if one.location else None
            values.extend(self._scopes.define(one.name, [one.type], location, one.offset))
        if frame.row is scf.FOR and values and frame.colon >= 0 and not frame.generic:
            self._retype(values[0], self._lists.listed(frame.last_colon + 1)[:1])
        frame.bindings = []
        return tuple(values)

    def _retype(self, value: Value, types: list[Type]) -> None:
        """The induction variable's type, where the loop names it."""
        if types and isinstance(types[0], ScalarType):
            object.__setattr__(value, "type", types[0])

    def block_arguments(self, index: int) -> tuple[Value, ...]:
        """The arguments of a block, whose `(` is at token `index`."""
        tokens = self._tokens
        values: list[Value] = []
        end, index = tokens.partner[index], index + 1
        while index < end:
            if tokens.kinds[index] != SSA or tokens.texts[index + 1] != ":":
                raise tokens.error(index, "expected a block argument and its type")
            name, offset = tokens.texts[index], tokens.starts[index]
            of, index = self._lists.at(index + 2)
            location = None
            if tokens.kinds[index] == LOCATION:
                location = self._locations.read(tokens.texts[index], tokens.starts[index])
                index += 1
            values.extend(self._scopes.define(name, [of], location, offset))
            index += tokens.texts[index] == ","
        return tuple(values)

    def close_block(self, region: RegionFrame) -> None:
        """The current block of a region ends."""
        region.blocks.append(Block(region.label, region.arguments, tuple(region.operations)))
        region.operations = []
        region.label = ""

    def close_region(self, region: RegionFrame, index: int) -> None:
        """A region ends at token `index`; it is added to its operation."""
        owner = region.owner
        if owner.row is not None and owner.row.terminator and not owner.generic:
            self._terminate(region, owner.row.terminator, index)
        if region.in_block or region.operations or region.arguments:
            self.close_block(region)
        self._require_blocks(region)
        self._scopes.leave()
        owner.regions.append(Region(region.name, tuple(region.blocks)))

    def _require_blocks(self, region: RegionFrame) -> None:
        for label, offset in region.used:
            if label not in region.labels:
                raise error(self._tokens.source, offset, f"^{label} is never defined")

    def _terminate(self, region: RegionFrame, terminator: str, index: int) -> None:
        """Add the terminator that the text may leave out."""
        if region.operations and region.operations[-1].name == terminator:
            return
        start = self._tokens.starts[index]
        region.operations.append(Operation(terminator, (), (), {}, (), None, Span(start, start)))

    def operation(self, frame: OperationFrame, end: int, location: int) -> Operation:
        """The finished operation, its last token before `end`; `location` is the token of its `loc(…)`, or -1."""
        tokens = self._tokens
        where = self._locations.read(tokens.texts[location], tokens.starts[location]) if location >= 0 else None
        if frame.row is None:
            self.opaque.add(frame.name)
        stop = tokens.end(location if location >= 0 else end - 1)
        if frame.row is ttg.WARP_SPECIALIZE and not frame.generic:
            frame.attributes["partitionNumWarps"] = _partition_warps(tokens.texts, frame.head, end)
            _wrap_partitions(frame, where, stop)
        if frame.bindings:
            raise error(
                tokens.source,
                frame.bindings[0].offset,
                f"{frame.bindings[0].name} is bound, but no region follows",
            )
        count = sum(group[1] for group in frame.results)
        types = result_types(frame, count, self._lists) if count else unnamed_types(frame, self._lists)
        operation = Operation(
            frame.name,
            tuple(frame.operands),
            (),
            self._finished_attributes(frame),
            tuple(frame.regions),
            where,
            Span(frame.start, stop),
            tuple(frame.successors),
        )
        if types:
            object.__setattr__(operation, "results", self._results(frame, types, operation))
        if frame.regions and frame.row is not None and frame.row.kind is OperationKind.FUNCTION:
            self.functions.append(operation)
        return operation

    def _results(self, frame: OperationFrame, types: list[Type], operation: Operation) -> tuple[Value, ...]:
        if not frame.results:
            return self._scopes.anonymous(types, operation.location)
        values: list[Value] = []
        at = 0
        for name, count, offset in frame.results:
            values.extend(self._scopes.define(name, types[at : at + count], operation.location, offset))
            at += count
        return tuple(values)

    def _finished_attributes(self, frame: OperationFrame) -> dict[str, Attribute]:
        attributes, row = frame.attributes, frame.row
        if row is None:
            return attributes
        if row.kind is OperationKind.FUNCTION:
            return attributes
        if frame.generic:
            for name in row.words:
                if name in attributes:
                    attributes[name] = normalised(frame.name, name, attributes[name])
        if row.roles.positional and frame.operands:
            groups = frame.groups
            if frame.generic:
                groups = generic_roles(row.roles, len(frame.operands), attributes)
            attributes["operand_groups"] = {role: tuple(indices) for role, indices in groups.items()}
        return attributes


def _partition_warps(texts: Sequence[str], first: int, end: int) -> tuple[int, ...]:
    """The N of each `num_warps(N)` in front of a partition, which the generic form has as an attribute."""
    places = (at for at in range(first, end - 2) if texts[at] == "num_warps" and texts[at + 1] == "(")
    return tuple(int(texts[at + 2]) for at in places if texts[at + 2].isdigit())


def _wrap_partitions(frame: OperationFrame, where: Location | None, end: int) -> None:
    """The partitions are regions of an operation of their own, in the second region, as MLIR holds them."""
    captures, partitions = tuple(frame.operands), tuple(frame.regions[1:])
    holder = Operation(ttg.PARTITIONS.name, captures, (), {}, partitions, where, Span(frame.start, end))
    frame.regions[1:] = [Region("partitions", (Block("", (), (holder,)),))]
