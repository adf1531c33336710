"""What conversions and reductions read from, and asynchronous stores write to, other CTAs' shared memory.

Triton 3.9 stores to a CTA's own shared memory and loads from whichever CTA has the element
(ld.shared::cluster): triton-lang/triton, ConvertLayoutOpToLLVM.cpp, and `getInterLayout` of Utility.cpp for
reductions. Bytes are those of all lanes, copies in lanes and warps included, as for other shared loads; stores
(st.async: MemoryOpToLLVM.cpp) are made once for all copies of a CTA. Not compared with counters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod

from gluon_inspect.errors import LayoutError
from gluon_inspect.ir.graph import graph_of
from gluon_inspect.ir.operations import row_of, tt, ttg, ttng
from gluon_inspect.layouts import gf2
from gluon_inspect.layouts.algebra import invert_and_compose, without_copies
from gluon_inspect.layouts.linear import LinearLayout
from gluon_inspect.layouts.lowering import linear_layout
from gluon_inspect.model.access import Access, Direction, Space
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.mlir import Module, Operation
from gluon_inspect.model.types import MemDescType, TensorType, element_bits
from gluon_inspect.model.versions import Version
from gluon_inspect.traffic.shared.memory_layout import register_layout
from gluon_inspect.traffic.shared.reduction_by_conversion import (
    Places,
    into_lanes,
    layout_of,
    reduced_within_warps,
    without_axis,
)

Executions = Callable[[Operation], int | None]
_SINCE: Version = (3, 7)
"""Earlier versions have no such conversions."""


def cluster_accesses(module: Module, executions: Executions, version: Version) -> tuple[Access, ...]:
    """A record for each operation that reads from another CTA or writes to it, in textual order."""
    if version < _SINCE or module.attributes.get("ttg.num-ctas", 1) == 1:
        return ()
    found: list[Access] = []
    for op in graph_of(module).operations:
        moved = _moved(op)
        if moved:
            found.append(_record(op, f"x{len(found)}", moved, executions(op)))
    return tuple(found)


def crossing_fraction(source: LinearLayout, target: LinearLayout, copied: int = 0) -> float:
    """Of what places of `target` load, the part that lies in another CTA. Raises LayoutError.

    `copied`: bits of the CTA's index that `source` is the same for, so that each uses its own.
    """
    conversion = invert_and_compose(target, source)
    at = conversion.outputs.index("block")
    differences = [
        (vector[at] ^ (1 << bit if name == "block" else 0)) & ~copied
        for name, vectors in conversion.bases.items()
        for bit, vector in enumerate(vectors)
    ]
    return 1.0 - 0.5 ** gf2.rank(differences)


def _moved(op: Operation) -> int:
    """Bytes that one execution moves between CTAs, all CTAs together; 0 where layouts are not understood."""
    try:
        if row_of(op) is ttng.ASYNC_SHARED_STORE:
            return _stored(op)
        if row_of(op) is ttg.CONVERT_LAYOUT:
            return _bytes(op, [(_layout(op.operands[0].type), _layout(op.results[0].type))])
        if row_of(op) is tt.REDUCE:
            return _bytes(op, list(_rounds(op)))
    except LayoutError:
        return 0
    return 0


def _stored(op: Operation) -> int:
    source, target = _layout(op.operands[0].type), op.operands[1].type
    if not isinstance(target, MemDescType) or target.encoding is None:
        raise LayoutError("no shared buffer with a layout")
    memory = linear_layout(target.encoding, target.alloc_shape[-len(target.shape) :] or target.shape)
    if "block" not in source.inputs or "block" not in memory.inputs:
        return 0
    for name in ("register", "lane", "warp"):
        source = without_copies(source, name)
    places = prod(source.size(name) for name in source.inputs)
    bits = max(element_bits(op.operands[0].type) or 8, 8)
    return round(places * bits // 8 * crossing_fraction(memory, source, memory.free_variables("block")))


def _layout(of: object) -> LinearLayout:
    if not isinstance(of, TensorType):
        raise LayoutError("no tensor")
    return register_layout(of)


def _bytes(op: Operation, pairs: list[tuple[LinearLayout, LinearLayout]]) -> int:
    total = 0.0
    for source, target in pairs:
        if "block" not in source.inputs or "block" not in target.inputs:
            continue
        kept = without_copies(target)
        places = prod(kept.size(name) for name in kept.inputs)
        for value in op.operands:
            total += places * max(element_bits(value.type) or 8, 8) // 8 * crossing_fraction(source, kept)
    return round(total)


def _rounds(op: Operation) -> Iterator[tuple[LinearLayout, LinearLayout]]:
    """The conversions of a reduction whose axis several CTAs share."""
    axis = op.attributes.get("axis")
    source = _layout(op.operands[0].type)
    if not isinstance(axis, int) or not any(basis[axis] for basis in source.bases.get("block", ())):
        return
    start = current = without_axis(reduced_within_warps(source, axis), axis, ("lane",))
    while _left(current, axis):
        gathered = into_lanes(current, axis)
        yield layout_of(current), layout_of(gathered)
        current = without_axis(gathered, axis, ("lane",))
    back = without_axis(start, axis, ("lane", "warp", "block"))
    if back != current:
        yield layout_of(current), layout_of(back)


def _left(places: Places, axis: int) -> bool:
    return any(basis[axis] for name in ("warp", "block") for basis in places[name])


def _record(op: Operation, name: str, moved: int, runs: int | None) -> Access:
    return Access(
        id=name,
        op=op.name,
        space=Space.CLUSTER,
        direction=Direction.STORE if row_of(op) is ttng.ASYNC_SHARED_STORE else Direction.LOAD,
        location=op.location,
        element_bits=element_bits(op.operands[0].type),
        bytes_requested=None if runs is None else runs * moved,
        executions=runs,
        confidence=Confidence.UNKNOWN if runs is None else Confidence.EXACT,
        model=ModelStatus.UNVALIDATED,
        reason="how often it runs is not known" if runs is None else "requests and wavefronts are not modelled",
        result_of=op.span.start,
    )
