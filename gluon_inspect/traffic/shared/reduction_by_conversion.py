"""tt.reduce across warps, as Triton lowers it from 3.7 on: a chain of layout conversions.

Rules: triton-lang/triton, lib/Analysis/Utility.cpp (`ReduceOpHelper::getInterLayout`). After registers
and lanes are reduced, the warps' partial results move into lanes through swizzled scratch, lanes are
reduced again, and so on; a last conversion brings the results back where other lanes lent their place.
"""

from __future__ import annotations

from collections.abc import Sequence

from gluon_inspect.layouts.conversion import conversion_kind
from gluon_inspect.layouts.flat import flat
from gluon_inspect.layouts.linear import LinearLayout
from gluon_inspect.model.access import ConversionKind
from gluon_inspect.model.encodings import Bases
from gluon_inspect.model.versions import Version
from gluon_inspect.traffic.shared.conversion import MatrixSupport, through_scratch
from gluon_inspect.traffic.shared.steps import Lowering, Step

Places = dict[str, list[tuple[int, ...]]]


def lower_by_conversion(
    source: LinearLayout, axis: int, element_bits: Sequence[int], support: MatrixSupport, version: Version
) -> Lowering:
    """The shared-memory steps of a reduction along `axis` within a CTA."""
    steps: list[Step] = []
    scratch = barriers = 0
    start = without_axis(reduced_within_warps(source, axis), axis, ("lane",))
    current = start
    while _moves(current["warp"], axis):
        gathered = into_lanes(current, axis)
        scratch = max(scratch, _convert(current, gathered, element_bits, support, version, steps))
        barriers += 1
        current = without_axis(gathered, axis, ("lane",))
    if steps and _lent(start, current, axis):
        back = without_axis(start, axis, ("lane", "warp"))
        scratch = max(scratch, _convert(current, back, element_bits, support, version, steps))
        barriers += 1
    return Lowering(tuple(steps), scratch, barriers, assumed=bool(steps))


def reduced_within_warps(source: LinearLayout, axis: int) -> Places:
    """Where partial results lie once each thread and warp has combined its own."""
    kept = [basis for basis in source.bases.get("register", ()) if any(basis) and not basis[axis]]
    return {"register": kept} | {name: list(source.bases.get(name, ())) for name in ("lane", "warp", "block")}


def without_axis(places: Places, axis: int, names: Sequence[str]) -> Places:
    """Those dimensions reduced along the axis, and what is left along it renumbered from 1."""
    cleared = {
        name: [_at(b, axis, 0) for b in bases] if name in names else list(bases) for name, bases in places.items()
    }
    step = 1
    for bases in cleared.values():
        for i, basis in enumerate(bases):
            if basis[axis]:
                bases[i] = _at(basis, axis, step)
                step *= 2
    return cleared


def _at(basis: tuple[int, ...], axis: int, value: int) -> tuple[int, ...]:
    return (*basis[:axis], value, *basis[axis + 1 :])


def _moves(bases: Sequence[tuple[int, ...]], axis: int) -> bool:
    return any(basis[axis] for basis in bases)


def into_lanes(places: Places, axis: int) -> Places:
    """Warp and block bits along the axis change places with lane bits: free ones where there are enough.

    Where all lane bits do not suffice, blocks wait for the next round.
    """
    found = {name: list(bases) for name, bases in places.items()}
    lanes = found["lane"]
    moving = [(name, i) for name in ("warp", "block") for i, basis in enumerate(found[name]) if basis[axis]]
    free = [i for i, basis in enumerate(lanes) if not any(basis)]
    seats = free if len(free) >= len(moving) else list(range(len(lanes)))
    if len(moving) > len(lanes):
        moving = [(name, i) for name, i in moving if name == "warp"]
    for seat, (name, i) in zip(seats, moving, strict=False):
        lanes[seat], found[name][i] = found[name][i], lanes[seat]
    return found


def _lent(start: Places, current: Places, axis: int) -> bool:
    """Whether lanes that held results gave up their place, so that results must move back."""
    return [_at(b, axis, 0) for b in start["lane"]] != [_at(b, axis, 0) for b in current["lane"]]


def layout_of(places: Places) -> LinearLayout:
    """The places as a layout of what is left of the tensor."""
    bases: dict[str, Bases] = {name: tuple(vectors) for name, vectors in places.items()}
    every = [basis for vectors in bases.values() for basis in vectors]
    rank = len(every[0]) if every else 1
    shape = tuple(1 << max((basis[dim].bit_length() for basis in every), default=0) for dim in range(rank))
    return LinearLayout(bases, shape)


def _within_a_cta(places: Places) -> LinearLayout:
    return layout_of(places | {"block": []})


def _convert(
    source: Places,
    target: Places,
    element_bits: Sequence[int],
    support: MatrixSupport,
    version: Version,
    steps: list[Step],
) -> int:
    """Append one conversion of all operands to the steps; its scratch bytes."""
    first, second = _within_a_cta(source), _within_a_cta(target)
    if conversion_kind(first, second, version) is not ConversionKind.SHARED:
        return 0
    total = 0
    for bits in element_bits:
        plan = through_scratch(flat(first), flat(second), bits, support)
        steps += [Step(True, plan.store, plan.repetitions), Step(False, plan.load, plan.repetitions)]
        total += plan.scratch_bytes
    return total
