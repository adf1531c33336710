"""What if a layout were another: the same addresses, placed anew and counted again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from gluon_inspect import targets
from gluon_inspect.cost.launch import launch_cost
from gluon_inspect.errors import InspectError
from gluon_inspect.facts.kernel import KernelFacts, facts_of
from gluon_inspect.facts.launched import Facts
from gluon_inspect.facts.lowered import lowered_operations
from gluon_inspect.ir.parameters import argument_name
from gluon_inspect.layouts.lowering import linear_layout
from gluon_inspect.model.access import Access, Locality, Space, Width
from gluon_inspect.model.artifact import ArgumentValue, TensorArgument
from gluon_inspect.model.encodings import Encoding
from gluon_inspect.model.mlir import Attribute, Operation
from gluon_inspect.model.report import KernelReport
from gluon_inspect.model.types import TensorType
from gluon_inspect.traffic.global_memory.access import GlobalAccess, PlacedExecution
from gluon_inspect.traffic.global_memory.meetings import Meetings
from gluon_inspect.traffic.global_memory.records import global_records
from gluon_inspect.traffic.launch import Evaluated, evaluate_launch
from gluon_inspect.traffic.shared.operations import SharedOperation

_MOST_PROGRAMS = 1 << 11
"""Programs that are evaluated at most for each candidate; more are sampled."""
_WORD_BYTES = 4


@dataclass(frozen=True, slots=True)
class Trial:
    """One access under one layout: its record for the whole launch, taken from the first program alone.

    `words`: 32-bit registers that hold a thread's elements; `instructions` that move them.
    """

    layout: Encoding
    access: Access
    words: int
    instructions: int


class WhatIf:
    """One kernel and launch, to be evaluated under other layouts.

    `warps`: with another number of them. `multiples`: with other values of these arguments, which the compiler
    knows to be multiples of 16. Layouts stay as they are unless replaced.
    """

    def __init__(
        self, report: KernelReport, *, warps: int | None = None, multiples: Mapping[str, int] | None = None
    ) -> None:
        self.report = report
        self.target = targets.find(report.kernel.target)
        self._kernel = KernelFacts(report.kernel, self.target)
        self.warps = warps or report.num_warps or 4
        self.total_warps = warps or report.total_warps or self.warps
        self._multiples = multiples or {}
        self._counted: dict[tuple[tuple[Encoding, Encoding], ...], tuple[Access, ...]] = {}

    @cached_property
    def base(self) -> Evaluated | None:
        """The launch as it is, on a sample of programs; None without IR or without a grid."""
        return self._evaluated({})

    @cached_property
    def facts(self) -> Facts | None:
        """The launch as it is, with its expected time, on a sample of programs; None where that is not known."""
        if self.report.launch.grid is None or self._kernel.module is None or self._kernel.function is None:
            return None
        found = facts_of(self._kernel, self.report.launch, _MOST_PROGRAMS)
        cost = launch_cost(found)
        return None if cost is None else replace(found, cost=cost)

    @cached_property
    def lowered(self) -> tuple[SharedOperation, ...]:
        """What the operations of the launch as it is do to shared memory; none without IR."""
        module, graph = self._kernel.module, self._kernel.graph
        found = self.base or self._run({})
        if module is None or graph is None or found is None:
            return ()
        version = self._kernel.version
        return lowered_operations(
            module, graph, self.target, version, found.executions, found.accesses, found.scale
        )

    @cached_property
    def records(self) -> Mapping[int, Access]:
        """The launch's global accesses as they are, by the span start of their operation."""
        found = () if self.base is None else global_records(self.base)
        return {record.result_of: record for record in found}

    @cached_property
    def shared(self) -> tuple[Access, ...]:
        """Shared-memory traffic, which candidates are taken to leave as it is."""
        return tuple(access for access in self.report.accesses if access.space is Space.SHARED)

    def accesses(self, layouts: Mapping[Encoding, Encoding]) -> tuple[Access, ...]:
        """Access records with encodings replaced; counts are scaled from a sample of programs."""
        key = tuple(layouts.items())
        if key not in self._counted:
            evaluated = self._evaluated(layouts) if layouts else self.base
            self._counted[key] = () if evaluated is None else global_records(evaluated)
        return self._counted[key]

    def _evaluated(self, layouts: Mapping[Encoding, Encoding]) -> Evaluated | None:
        return None if self.report.launch.grid is None else self._run(layouts)

    def _run(self, layouts: Mapping[Encoding, Encoding]) -> Evaluated | None:
        module, function, launch = self._kernel.module, self._kernel.function, self.report.launch
        if module is None or function is None:
            return None
        return evaluate_launch(
            module,
            _hinted(function, self._multiples) if self._multiples else function,
            replace(launch, arguments=_given(launch.arguments, self._multiples)),
            self.target,
            self.warps,
            _MOST_PROGRAMS,
            layouts,
        )

    def trial(self, access: GlobalAccess, layout: Encoding) -> Trial | None:
        """One access under a candidate; None where the layout does not fit or nothing is known."""
        record = self.records.get(access.op.span.start)
        if access.tally.sample is None or not isinstance(access.tensor, TensorType) or record is None:
            return None
        try:
            linear = linear_layout(layout, access.tensor.shape)
        except InspectError:
            return None
        placed = access.placed_in(linear)
        if placed is None or not record.executions:
            return None
        elements = 1 << sum(1 for basis in linear.flat_bases("register") if basis)
        each, vector = access.tally.element_bytes, placed.vector
        packed = each >= _WORD_BYTES or vector * each >= _WORD_BYTES
        words = -(-elements * each // _WORD_BYTES) if packed else elements
        instructions = max(1, elements // vector)
        counted = replace(
            self._counted_as(placed, record, record.executions),
            vector_bits=vector * each * 8,
            widths=(Width(vector * each * 8, instructions),),
        )
        return Trial(layout, counted, words, instructions)

    def _counted_as(self, placed: PlacedExecution, record: Access, runs: int) -> Access:
        """The record with the counts of the first program's addresses in a layout, times all executions."""
        found = placed.traffic
        meetings = Meetings()
        meetings.add(None, placed.addresses, placed.active, placed.access_bytes, self.target)
        meetings.repeat(None, 1)
        return replace(
            record,
            requests=found.requests * runs,
            sectors=found.sectors * runs,
            lines=found.lines * runs,
            sectors_ideal=found.sectors_ideal * runs,
            bytes_requested=found.lanes * placed.access_bytes * runs,
            locality=_as_neighbours(meetings.locality(runs, self.target.sector_bytes), record.locality),
        )


def _given(arguments: Mapping[str, ArgumentValue], values: Mapping[str, int]) -> Mapping[str, ArgumentValue]:
    """The arguments with other values, tensors with other addresses."""

    def changed(name: str, value: ArgumentValue) -> ArgumentValue:
        if name not in values:
            return value
        return replace(value, address=values[name]) if isinstance(value, TensorArgument) else values[name]

    return {name: changed(name, value) for name, value in arguments.items()}


def _hinted(function: Operation, names: Mapping[str, int]) -> Operation:
    """The function with these arguments marked as Triton marks multiples of 16."""
    hints = function.attributes.get("arg_attrs")
    rows = hints if isinstance(hints, tuple) else ()
    marked: list[Attribute] = []
    for number, argument in enumerate(function.regions[0].blocks[0].arguments):
        row = rows[number] if number < len(rows) else None
        own: Mapping[str, Attribute] = row if isinstance(row, Mapping) else {}
        marked.append({**own, "tt.divisibility": 16} if argument_name(argument) in names else own)
    return replace(function, attributes={**function.attributes, "arg_attrs": tuple(marked)})


def _as_neighbours(own: Locality | None, known: Locality | None) -> Locality | None:
    """What programs make of each other's addresses does not depend on the layout."""
    if own is None or known is None:
        return own
    return replace(
        own,
        run_bytes=known.run_bytes,
        run_bytes_window=known.run_bytes_window,
        run_bytes_resident=known.run_bytes_resident,
        distinct_share=known.distinct_share,
    )
