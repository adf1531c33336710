"""Every change of layout, explicit or hidden in another operation, and whether it pays."""

from __future__ import annotations

from collections.abc import Sequence

from gluon_inspect.addresses.global_ops import operand
from gluon_inspect.addresses.launch import Evaluated
from gluon_inspect.addresses.shared.beyond import global_side
from gluon_inspect.addresses.shared.end_costs import End, wavefront_seconds
from gluon_inspect.addresses.shared.ends import World, ends_of
from gluon_inspect.addresses.shared.invariance import is_invariant
from gluon_inspect.addresses.shared.lowering import Surroundings, kind_of
from gluon_inspect.addresses.shared.memory_layout import NEWEST, Version, register_layout
from gluon_inspect.addresses.shared.records import Executions, SharedSide, shared_sides
from gluon_inspect.addresses.shared.structure import Structure
from gluon_inspect.addresses.shared.tally import add_up
from gluon_inspect.errors import LayoutError
from gluon_inspect.layouts.gluon_syntax import write_layout
from gluon_inspect.layouts.linear import LinearLayout
from gluon_inspect.model.access import Conversion, ConversionKind
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.mlir import Module, Operation, Value
from gluon_inspect.model.target import Target
from gluon_inspect.model.types import TensorType, element_bits

_HIDDEN = frozenset({"tt.reduce", "tt.scan", "tt.gather"})
_FREE = (ConversionKind.TRIVIAL, ConversionKind.REGISTER)


def conversions(
    module: Module,
    target: Target,
    executions: Executions,
    *,
    version: Version = NEWEST,
    evaluated: Evaluated | None = None,
) -> tuple[Conversion, ...]:
    """Explicit conversions and those hidden in reductions, scans and gathers, in textual order."""
    beyond = global_side(evaluated)
    sides = {side.op: side for side in shared_sides(module, target, executions, version=version, beyond=beyond)}
    structure = Structure.of(module)
    around = Surroundings(target, version, beyond.vectors, beyond.addresses, structure.warps)
    world = World(structure, around, {} if evaluated is None else evaluated.accesses, executions)
    records: list[Conversion] = []
    for op in module.walk():
        side = sides.get(op)
        if op.name == "ttg.convert_layout":
            records.append(_explicit(op, side, world, f"c{len(records)}"))
        elif op.name in _HIDDEN and side is not None:
            records.append(_hidden(op, side, world, f"c{len(records)}"))
    return tuple(records)


def _written(value: Value | None) -> str:
    of = None if value is None else value.type
    if not isinstance(of, TensorType) or of.encoding is None:
        return "" if of is None else "scalar"
    return write_layout(of.encoding, of.shape)


def _kind(op: Operation, world: World) -> ConversionKind | None:
    try:
        return kind_of(op, world.around.version)
    except LayoutError:
        return None


def _explicit(op: Operation, side: SharedSide | None, world: World, name: str) -> Conversion:
    kind = _kind(op, world)
    source = operand(op, "src")
    pays, why = _judge(op, kind, side, world)
    return _record(
        op, side, world, name, kind or ConversionKind.SHARED, _written(source), pays, why, kind is not None
    )


def _hidden(op: Operation, side: SharedSide, world: World, name: str) -> Conversion:
    source = op.operands[0]
    why = f"the elements that {op.name} combines lie in several warps"
    return _record(op, side, world, name, ConversionKind.SHARED, _written(source), None, why, side.lowering.known)


def _record(
    op: Operation,
    side: SharedSide | None,
    world: World,
    name: str,
    kind: ConversionKind,
    source: str,
    pays: bool | None,
    why: str,
    known: bool,
) -> Conversion:
    runs = world.executions(op)
    totals = None if side is None else add_up(side.lowering.steps)
    count = None if side is None else side.executions
    free = side is None
    return Conversion(
        id=name,
        op=op.name,
        location=op.location,
        source=source,
        target=_written(op.results[0]),
        kind=kind,
        scratch_bytes=0 if side is None else side.lowering.scratch_bytes,
        wavefronts=0 if free else _scaled(None if totals is None else totals.wavefronts, count),
        wavefronts_ideal=0 if free else _scaled(None if totals is None else totals.wavefronts_ideal, count),
        executions=runs,
        barriers=0 if side is None else side.lowering.barriers,
        loop_depth=world.structure.depths.get(op, 0),
        pays=pays,
        why=why,
        confidence=_confidence(side, known),
        model=ModelStatus.VALIDATED if world.around.target.name == "cuda:90" else ModelStatus.DOCUMENTED,
        result_of=op.span.start,
        bytes_moved=_bytes(op.results[0]),
        loop_invariant=is_invariant(op, world.structure),
    )


def _scaled(value: float | None, count: int | None) -> int | None:
    return None if value is None or count is None else round(value * count)


def _confidence(side: SharedSide | None, known: bool) -> Confidence:
    if not known or (side is not None and (not side.lowering.known or side.executions is None)):
        return Confidence.UNKNOWN
    return Confidence.ASSUMED if side is not None and side.lowering.assumed else Confidence.EXACT


def _bytes(value: Value) -> int | None:
    of, bits = value.type, element_bits(value.type)
    if not isinstance(of, TensorType) or bits is None:
        return None
    elements = 1
    for size in of.shape:
        elements *= size
    return elements * max(bits, 8) // 8


def _judge(
    op: Operation, kind: ConversionKind | None, side: SharedSide | None, world: World
) -> tuple[bool | None, str]:
    """Whether a conversion is cheaper than giving both its ends one layout, and the reason in words."""
    source, target = operand(op, "src"), op.results[0]
    if kind is None or source is None:
        return None, "a layout is not understood"
    if kind in _FREE:
        return None, "it moves nothing between threads"
    before, after = ends_of(source, op, world), ends_of(target, op, world)
    layouts = [register_layout(v.type) for v in (source, target) if isinstance(v.type, TensorType)]
    if any(end.cost is None for end in (*before, *after)) or len(layouts) != 2:
        unknown = next((end.what for end in (*before, *after) if end.cost is None), "an end")
        return None, f"what {unknown} costs in another layout is not known"
    return _compare(before, after, (layouts[0], layouts[1]), _own_cost(op, side, world))


def _own_cost(op: Operation, side: SharedSide | None, world: World) -> float:
    totals = None if side is None else add_up(side.lowering.steps)
    runs = world.executions(op) or 0
    return wavefront_seconds(world.around.target, (totals.wavefronts or 0 if totals else 0) * runs)


def _compare(
    before: Sequence[End],
    after: Sequence[End],
    layouts: tuple[LinearLayout, LinearLayout],
    own: float,
) -> tuple[bool | None, str]:
    first, second = _total(before, layouts[0]), _total(after, layouts[1])
    if first is None or second is None:
        return None, "what its ends cost now is not known"
    with_it = first + second + own
    options = {
        "the source's": _sum(first, _total(after, layouts[0])),
        "the target's": _sum(_total(before, layouts[1]), second),
    }
    possible = {name: cost for name, cost in options.items() if cost is not None}
    ends = " and ".join(dict.fromkeys(end.what for end in (*before, *after))) or "nothing"
    if not possible:
        return True, f"its ends ({ends}) cannot have one layout"
    name, without = min(possible.items(), key=lambda item: item[1])
    if with_it < without:
        return True, f"without it {ends} would take {_times(without, with_it)} as long in {name} layout"
    others = "; ".join(
        f"in {other} layout they would take {_times(cost, without)} as long"
        for other, cost in possible.items()
        if cost > with_it
    )
    return False, f"{ends} would be no slower in {name} layout, and the conversion vanishes; {others}".rstrip("; ")


def _times(longer: float, shorter: float) -> str:
    return f"{longer / shorter:.1f} times" if shorter else "many times"


def _sum(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else first + second


def _total(ends: Sequence[End], layout: LinearLayout) -> float | None:
    total = 0.0
    for end in ends:
        cost = None if end.cost is None else end.cost(layout)
        if cost is None:
            return None
        total += cost
    return total
