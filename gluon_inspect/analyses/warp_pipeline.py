"""AMD's warp pipelines: the stages of a loop that its warps take turns in, and what each stage does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from gluon_inspect.facts.launched import Facts
from gluon_inspect.ir.graph import graph_of
from gluon_inspect.ir.operations import row_of
from gluon_inspect.ir.operations.kinds import OperationKind
from gluon_inspect.model.access import Direction, Space
from gluon_inspect.model.finding import AnalysisResult, Column, Rule, Scalar, Table
from gluon_inspect.model.location import Location
from gluon_inspect.model.mlir import Module, Operation

RULES: tuple[Rule, ...] = ()
_MEMORIES = {Space.GLOBAL: "global", Space.SCALAR: "global", Space.SHARED: "LDS"}
_STAGE, _PRIORITY = "triton.warp_pipeline.stage", "triton.warp_pipeline.priority"
_WORK = (
    Column("global loads", "right"),
    Column("global stores", "right"),
    Column("LDS loads", "right"),
    Column("LDS stores", "right"),
    Column("MMAs", "right"),
)


def run(facts: Facts) -> AnalysisResult:
    """A table of the stages; nothing for kernels without any."""
    if facts.module is None:
        return AnalysisResult()
    found = list(_stages(facts.module))
    if not found:
        return AnalysisResult()
    kinds = _kinds(facts)
    columns = (Column("loop"), Column("stage"), Column("priority", "right"), *_WORK)
    rows = tuple(_row(loop, stage, kinds) for loop, stage in found)
    places = tuple(_first_place(stage) for _, stage in found)
    note = "operations as they stand in the code; a priority that is not set is the hardware's"
    return AnalysisResult(
        tables=(Table("warp-pipeline", "Stages of warp pipelines", columns, rows, places, note),)
    )


def _stages(module: Module) -> Iterator[tuple[Operation, Operation]]:
    """Loop and stage, in textual order."""
    for loop in graph_of(module).operations:
        for region in loop.regions if row_of(loop).loop else ():
            for block in region.blocks:
                yield from ((loop, op) for op in block.operations if _STAGE in op.attributes)


def _kinds(facts: Facts) -> Mapping[int, tuple[str, ...]]:
    """What each operation counts as, by its span start; an asynchronous copy is a load and a store."""
    found: dict[int, tuple[str, ...]] = {}
    for access in facts.accesses:
        memory = _MEMORIES.get(access.space)
        if memory is None:
            continue
        before = found.get(access.result_of, ())
        # of a copy: global memory comes first, and what is not loaded from it is stored to it
        loads = access.direction is Direction.LOAD or (
            access.direction is Direction.COPY and (memory == "global" or "global stores" in before)
        )
        found[access.result_of] = (*before, f"{memory} {'loads' if loads else 'stores'}")
    return found


def _row(loop: Operation, stage: Operation, kinds: Mapping[int, tuple[str, ...]]) -> tuple[Scalar, ...]:
    work = Counter(kind for op in stage.walk() for kind in kinds.get(op.span.start, ()))
    work["MMAs"] = sum(row_of(op).kind is OperationKind.MMA for op in stage.walk())
    name, priority = stage.attributes[_STAGE], stage.attributes.get(_PRIORITY)
    return (
        "" if loop.location is None else f"line {loop.location.author.line}",
        name if isinstance(name, str) else "",
        priority if isinstance(priority, int) else "not set",
        *(work[column.title] for column in _WORK),
    )


def _first_place(stage: Operation) -> Location | None:
    inner = (op.location for region in stage.regions for block in region.blocks for op in block.operations)
    return next((place for place in inner if place is not None), stage.location)
