"""Evaluate a whole launch: bind arguments, run the programs in batches, collect accesses and counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod

from gluon_inspect.axis.analysis import AxisAnalysis, axis_of
from gluon_inspect.evaluate.batches import Batches, chosen_programs
from gluon_inspect.evaluate.descriptors import Descriptors, host_parts
from gluon_inspect.evaluate.known_tensors import KnownMemory
from gluon_inspect.evaluate.launch_control import STARTS_UNKNOWN, ControlledLoop, outside
from gluon_inspect.evaluate.programs import Evaluation, Frame
from gluon_inspect.evaluate.values import AnyValue, Unknown
from gluon_inspect.ir.graph import Graph, graph_of
from gluon_inspect.ir.operations import row_of, scf
from gluon_inspect.ir.operations.kinds import OperationKind
from gluon_inspect.ir.parameters import argument_name
from gluon_inspect.ir.partitions import homes
from gluon_inspect.ir.slices import is_integral
from gluon_inspect.model.artifact import ArgumentValue, DescriptorArgument, Launch, TensorArgument
from gluon_inspect.model.encodings import Encoding
from gluon_inspect.model.mlir import Module, Operation
from gluon_inspect.model.report import Programs
from gluon_inspect.model.target import Target
from gluon_inspect.model.types import PointerType
from gluon_inspect.traffic.bulk.copies import BulkAccess, find_bulk
from gluon_inspect.traffic.global_memory.access import Context, GlobalAccess, find_accesses

DEFAULT_BASE_BYTES = 1 << 20
"""Where tensors of unknown address are taken to start, apart from each other and aligned as torch aligns."""
DEFAULT_PROGRAMS = 1 << 18
"""Programs that are evaluated at most unless all are asked for; more are sampled."""
CHEAP_RUNS = 1 << 21
"""Runs of blocks (programs x trips) that are evaluated unless a number is asked for: about a second's work."""
_PILOT = 1 << 8
"""Programs that show how long a program's loops are, before more are chosen."""
_BEYOND = 1 << 62
_MULTIPLE = 4096


@dataclass(slots=True)
class Evaluated:
    """What running a launch gave. `assumed` names arguments whose value was taken, not given."""

    accesses: Mapping[int, GlobalAccess]
    block_runs: dict[int, int]
    block_unknown: dict[int, str]
    programs: Programs
    scale: float
    assumed: tuple[str, ...]
    axis: AxisAnalysis
    function: Operation
    graph: Graph
    bulk: Mapping[int, tuple[BulkAccess, ...]] = field(default_factory=dict[int, tuple[BulkAccess, ...]])
    active_runs: Mapping[int, int] = field(default_factory=dict[int, int])
    active_unknown: Mapping[int, str] = field(default_factory=dict[int, str])
    """Of operations with a predicate that is evaluated (`predicated`): by their span start."""
    on_assumed_tiles: frozenset[int] = frozenset()
    """Span starts of operations whose tile reaches them in a way that is not followed (cluster launch control)."""
    longest: Mapping[int, int] = field(default_factory=dict[int, int])
    """The most trips that any program makes of each counted loop, by its span start."""
    _runs: dict[int, tuple[int, str]] = field(default_factory=dict[int, tuple[int, str]])

    @property
    def operations(self) -> Sequence[Operation]:
        """The function and all that it nests, in textual order."""
        return self.graph.within(self.function)

    def executions(self, op: Operation) -> int | None:
        """How often an operation runs in the whole launch (programs x trips); None where unknown."""
        if not self._runs:
            self._index(self.function, 0, "not reached")
        runs, reason = self._runs.get(op.span.start, (0, "not reached"))
        if not reason and op.span.start in self.active_runs:
            runs, reason = self.active_runs[op.span.start], self.active_unknown.get(op.span.start, "")
            return None if reason else round(runs * self.scale)
        return None if reason and runs == 0 else round(runs * self.scale)

    def _index(self, op: Operation, runs: int, reason: str) -> None:
        stack = [(op, runs, reason)]
        while stack:
            current, count, why = stack.pop()
            self._runs[current.span.start] = (0, why) if why else (count, "")
            for region in current.regions:
                for block in region.blocks:
                    if not block.operations:
                        continue
                    key = block.operations[0].span.start
                    inherits = row_of(current).combines
                    inner = count if inherits else self.block_runs.get(key, 0)
                    unknown = why if inherits else self.block_unknown.get(key, "")
                    stack.extend((nested, inner, unknown) for nested in block.operations)


def entry_function(module: Module, name: str = "") -> Operation | None:
    """The kernel among a module's functions: by name, else the first public one, else the first."""
    functions = module.functions
    named = [f for f in functions if f.attributes.get("sym_name") == name]
    public = [f for f in functions if f.attributes.get("sym_visibility", "public") != "private"]
    return next(iter((*named, *public, *functions)), None)


def bind(function: Operation, launch: Launch) -> tuple[list[AnyValue], tuple[str, ...]]:
    """One value a parameter, and the pointers whose address had to be assumed."""
    assumed: list[str] = []
    values: list[AnyValue] = []
    arguments = function.regions[0].blocks[0].arguments
    parts = host_parts(function, launch)
    for position, argument in enumerate(arguments):
        name = argument_name(argument)
        if argument.index in parts:
            values.append(parts[argument.index])
            continue
        given = launch.arguments.get(name, launch.arguments.get(argument.name.lstrip("%")))
        if given is None and isinstance(argument.type, PointerType):
            values.append(DEFAULT_BASE_BYTES + position * (1 << 36))
            assumed.append(name)
        else:
            values.append(_value(name, given))
    return values, tuple(assumed)


def _value(name: str, given: ArgumentValue) -> AnyValue:
    match given:
        case bool() | int():
            return _counted(name, int(given))
        case TensorArgument():
            return _counted(name, given.address)
        case DescriptorArgument():
            return Unknown(f"the descriptor {name}")
        case None:
            return Unknown(f"the argument {name} is not given")
        case _:
            return Unknown(f"the argument {name} is no integer")


def _counted(name: str, value: int) -> AnyValue:
    """Evaluation works in 64 bits; seeds and masks that fill them are no addresses or sizes."""
    return value if abs(value) < _BEYOND else Unknown(f"the argument {name} is {value}, too large to count with")


def assumed_launch(function: Operation, launch: Launch) -> Launch:
    """The launch with something plausible for whatever is not given: the grid, and integer arguments.

    One program; integers that the compiler knows as multiples of 16 become 4096, others 4095, so that the
    width the compiler chose and the addresses agree.
    """
    hints = function.attributes.get("arg_attrs")
    rows = hints if isinstance(hints, tuple) else ()
    arguments = dict(launch.arguments)
    for position, argument in enumerate(function.regions[0].blocks[0].arguments):
        name = argument_name(argument)
        if name in arguments or not is_integral(argument.type) or isinstance(argument.type, PointerType):
            continue
        row = rows[position] if position < len(rows) else None
        multiple = row.get("tt.divisibility") if isinstance(row, Mapping) else None
        arguments[name] = _MULTIPLE if multiple else _MULTIPLE - 1
    return replace(launch, grid=launch.grid or (1, 1, 1), arguments=arguments)


def evaluate_launch(
    module: Module,
    function: Operation,
    launch: Launch,
    target: Target,
    warps: int,
    limit: int | None = DEFAULT_PROGRAMS,
    layouts: Mapping[Encoding, Encoding] | None = None,
    runs: int | None = CHEAP_RUNS,
) -> Evaluated:
    """Run a kernel's integer part for a launch. `limit`: programs at most, None for all.

    `runs`: of long loops fewer programs, so that blocks run about that often (None: whatever it takes).

    `layouts`: what if these encodings of accessed tensors were replaced by others.

    Without a grid nothing is counted: accesses have their widths and executions stay unknown.
    """
    graph = graph_of(module)
    operations = graph.within(function)
    axis = axis_of(module, function)
    partitions = {start: part.warps for start, part in homes(module).items()}
    accesses = find_accesses(operations, Context(target, axis, warps, layouts or {}), partitions)
    bulk = find_bulk(operations, Descriptors(function, graph, launch), target)
    copies = tuple(access for parts in bulk.values() for access in parts)
    arguments, assumed = bind(function, launch)
    functions = {str(f.attributes.get("sym_name", "")): f for f in module.functions}

    def listen(op: Operation, frame: Frame) -> None:
        found = accesses.get(op.span.start)
        for access in (found,) if found else bulk.get(op.span.start, ()):
            access.observe(frame)

    if launch.grid is None:
        run = Evaluation(_is_access, listen, functions, graph, KnownMemory(launch.arguments.values()))
        run.run(function, arguments, {}, 1)
        for access in (*accesses.values(), *copies):
            access.tally.unknown = access.tally.unknown or "the grid is not given"
        for access in copies:
            access.tally.executions_unknown = "the grid is not given"
        unknown = dict.fromkeys(run.block_runs, "the grid is not given")
        return Evaluated(accesses, {}, unknown, Programs(None, None), 1.0, assumed, axis, function, graph, bulk)
    total = prod(launch.grid)
    run = Evaluation(_is_access, listen, functions, graph, KnownMemory(launch.arguments.values()))
    everything = (*accesses.values(), *copies)
    counted = [each.tally for each in everything] + [each.tally.meetings for each in accesses.values()]
    if (
        runs is not None
        and min(total, limit or total) > _PILOT
        and any(row_of(op).loop or row_of(op) is scf.COND_BR for op in operations)
    ):
        apart = Evaluation(_is_access, _count_nothing, functions, graph, run.memory)
        pilot = Batches(launch.grid, apart, function, arguments)
        limit = min(limit or total, max(_PILOT, int(runs / _blocks_a_program(pilot))))
    chosen = chosen_programs(total, limit)
    if not Batches(launch.grid, run, function, arguments, counted).execute(chosen):
        for access in everything:
            access.tally.unknown = "one program is too large to evaluate"
    scale = total / len(chosen) if len(chosen) else 1.0
    programs = Programs(len(chosen), total)
    _forget_starts(functions.values(), run, everything)
    return Evaluated(
        accesses,
        run.block_runs,
        run.block_unknown,
        programs,
        scale,
        assumed,
        axis,
        function,
        graph,
        bulk,
        run.active_runs,
        run.active_unknown,
        _on_assumed_tiles(run.controlled.values(), graph),
        longest=run.longest,
    )


def _on_assumed_tiles(loops: Iterable[ControlledLoop], graph: Graph) -> frozenset[int]:
    assumed = (loop.op for loop in loops if not loop.follows_program)
    return frozenset(op.span.start for loop in assumed for op in graph.within(loop))


def _forget_starts(
    functions: Iterable[Operation], run: Evaluation, accesses: Sequence[GlobalAccess | BulkAccess]
) -> None:
    """Under cluster launch control it is unknown how often code outside the controlled loops runs."""
    if not run.controlled:
        return
    loops = tuple(run.controlled.values())
    free = {op.span.start for function in functions for op in outside(function, run.graph, loops)}
    run.block_unknown.update((key, STARTS_UNKNOWN) for key in run.block_runs if key in free)
    for access in accesses:
        if access.op.span.start not in free:
            continue
        access.tally.unknown = access.tally.unknown or STARTS_UNKNOWN
        if isinstance(access, BulkAccess):
            access.tally.executions_unknown = access.tally.executions_unknown or STARTS_UNKNOWN


def _blocks_a_program(pilot: Batches) -> float:
    """How many blocks a program runs on average, at least one, by a run whose counts serve nothing else."""
    chosen = chosen_programs(prod(pilot.grid), _PILOT)
    pilot.execute(chosen)
    return max(1.0, sum(pilot.evaluation.block_runs.values()) / len(chosen))


def _count_nothing(op: Operation, frame: Frame) -> None:
    del op, frame


def _is_access(op: Operation) -> bool:
    """Descriptors count: their operands must be known for the copies that use them."""
    return row_of(op).is_global_access or row_of(op).kind is OperationKind.DESCRIPTOR
