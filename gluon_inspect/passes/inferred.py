"""Layouts that the compiler chose for Gluon's AutoLayout and CoalescedLayout: which, by which pass, and why."""

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gluon_inspect.axis.analysis import axis_of
from gluon_inspect.errors import InspectError
from gluon_inspect.ir.graph import Graph, graph_of
from gluon_inspect.ir.operations import gluon
from gluon_inspect.ir.verify import verified_module
from gluon_inspect.model.dump import Level
from gluon_inspect.model.encodings import AutoEncoding, BlockedEncoding, Encoding
from gluon_inspect.model.location import Location
from gluon_inspect.model.mlir import Module, Operation, Value
from gluon_inspect.model.target import Target
from gluon_inspect.model.types import TensorType
from gluon_inspect.passes.excerpts import layout_text
from gluon_inspect.passes.states import PassRun, State
from gluon_inspect.passes.timeline import Timeline
from gluon_inspect.traffic.global_memory.access import Context, GlobalAccess, find_accesses

_SETTERS = (gluon.SET_AUTO_LAYOUT.name,)
_BYTE_BITS = 8


@dataclass(frozen=True, slots=True)
class Inferred:
    """One choice: at `location` an `operation` asked for `asked`, `run` chose `layout`; `reason` in words."""

    location: Location | None
    operation: str
    asked: str
    shape: tuple[int, ...]
    layout: str
    run: PassRun
    reason: str


def inferred_layouts(timeline: Timeline, target: Target) -> tuple[Inferred, ...]:
    """Every choice, one a source line and layout, in the order of the passes that made them."""
    found: list[Inferred] = []
    for run in timeline.compilation.outer:
        if run.after is None or run.after.level is not Level.TRITON_GPU or not _mentions(run.before):
            continue
        before, after = _parsed(run.before), _parsed(run.after)
        if before is not None and after is not None:
            found.extend(_choices(run, before, after, target))
    return tuple({(_line(one.location), one.asked, one.layout): one for one in reversed(found)}.values())[::-1]


def _mentions(state: State | None) -> bool:
    if state is None:
        return False
    names = ("#gluon.auto_encoding", "#gluon.coalesced_encoding")
    return any(state.log.find(name, state.start, state.end) >= 0 for name in names)


def _parsed(state: State | None) -> Module | None:
    try:
        return None if state is None else verified_module(state.ir)
    except InspectError:
        return None


def _line(location: Location | None) -> tuple[str, int]:
    return ("", 0) if location is None else (location.file, location.line)


def _choices(run: PassRun, before: Module, after: Module, target: Target) -> Iterator[Inferred]:
    chosen = _results_by_place(after)
    asked = _results_by_place(before)
    graph = graph_of(before)
    accesses = _accesses(before, target)
    for place, values in asked.items():
        for (op, value), (_, result) in zip(values, chosen.get(place, []), strict=False):
            encoding, settled = _encoding(value), _encoding(result)
            if not isinstance(encoding, AutoEncoding) or settled is None or isinstance(settled, AutoEncoding):
                continue
            reason = _coalesced(value, settled, graph, accesses) or _propagated(value, graph)
            shape = value.type.shape if isinstance(value.type, TensorType) else ()
            layout = layout_text(settled, shape)
            yield Inferred(op.location, op.name, layout_text(encoding), shape, layout, run, reason)


def _results_by_place(module: Module) -> Mapping[object, list[tuple[Operation, Value]]]:
    """Results by operation name and place, in order: inference changes types and nothing else."""
    found: dict[object, list[tuple[Operation, Value]]] = defaultdict(list)
    for op in graph_of(module).operations:
        if op.results and op.name not in _SETTERS:
            found[op.name, op.location].append((op, op.results[0]))
    return found


def _encoding(value: Value) -> Encoding | None:
    return value.type.encoding if isinstance(value.type, TensorType) else None


def _accesses(module: Module, target: Target) -> Mapping[int, GlobalAccess]:
    found: dict[int, GlobalAccess] = {}
    graph = graph_of(module)
    for function in module.functions:
        found.update(find_accesses(graph.within(function), Context(target, axis_of(module, function), 4)))
    return found


def _propagated(value: Value, graph: Graph) -> str:
    """The nearest operation through which a layout comes in, seen along uses and definitions."""
    for op in _reached(value, graph):
        known = next(_settled((*op.results, *op.operands)), None)
        if known is not None:
            where = f"line {op.location.author.line}" if op.location is not None else "an unknown line"
            verb = "sets" if op.name in _SETTERS else "uses"
            return f"from {where}, where {op.name} {verb} {layout_text(known)}"
    return ""


def _settled(values: Sequence[Value]) -> Iterator[Encoding]:
    encodings = (_encoding(value) for value in values)
    yield from (one for one in encodings if one is not None and not isinstance(one, AutoEncoding))


def _reached(value: Value, graph: Graph) -> Iterator[Operation]:
    """Operations in the order of their distance from a value, over values whose layout is open."""
    waiting, seen = deque([value]), {value}
    told: set[int] = set()
    while waiting:
        for op in graph.touching(waiting.popleft()):
            if id(op) in told:
                continue
            told.add(id(op))
            yield op
            fresh = [each for each in (*op.results, *op.operands) if each not in seen]
            fresh = [each for each in fresh if isinstance(_encoding(each), AutoEncoding)]
            seen.update(fresh)
            waiting.extend(fresh)


def _coalesced(value: Value, settled: Encoding, graph: Graph, accesses: Mapping[int, GlobalAccess]) -> str:
    """For a coalesced layout: what is known of the addresses that the nearest access goes to."""
    encoding = _encoding(value)
    if not isinstance(encoding, AutoEncoding) or not encoding.kind.startswith("coalesced"):
        return ""
    access = next((accesses[op.span.start] for op in _reached(value, graph) if op.span.start in accesses), None)
    if access is None or not isinstance(settled, BlockedEncoding):
        return ""
    dim = settled.order[0]
    run, bits = access.context.axis[access.address], access.element_bits or _BYTE_BITS
    each = settled.size_per_thread[dim]
    place = f" at line {access.op.location.author.line}" if access.op.location is not None else ""
    return (
        f"{access.op.name}{place} has {run.contiguity[dim]} addresses in a row along dim {dim}, "
        f"multiples of {run.divisibility[dim]} bytes: {each} x {bits} bits a thread along it"
    )
