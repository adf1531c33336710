"""Load in one layout, store in another, convert in between: what it costs and what it buys."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from gluon_inspect.cost.change import Exchange
from gluon_inspect.errors import InspectError
from gluon_inspect.explaining.costs import changed_time
from gluon_inspect.explaining.counterfactual import WhatIf
from gluon_inspect.explaining.group import Group, Trials
from gluon_inspect.explaining.wording import layout_assignment
from gluon_inspect.ir.operations import ttg
from gluon_inspect.layouts.gluon_syntax import write_layout
from gluon_inspect.layouts.lowering import linear_layout
from gluon_inspect.model.access import Access, Direction, Space
from gluon_inspect.model.confidence import Confidence
from gluon_inspect.model.encodings import Encoding
from gluon_inspect.model.explanation import Effect, Proposal
from gluon_inspect.traffic.shared.lowering import lower_conversion
from gluon_inspect.traffic.shared.steps import Lowering, add_up
from gluon_inspect.traffic.shared.transfer import Transfer
from gluon_inspect.wording.numbers import plural

_EACH = 3
"""Layouts of the loads and of the stores that are tried with each other."""


@dataclass(frozen=True, slots=True)
class Convert:
    """Loads in one layout and stores in another, and the kernel's expected time, the conversion's included."""

    load: Encoding
    store: Encoding
    lowering: Lowering
    seconds: float

    def accesses(self, what_if: WhatIf, group: Group) -> tuple[Access, ...]:
        """The global accesses with both layouts in place, counted on a sample of programs."""
        loads = what_if.accesses({group.encoding: self.load})
        stores = what_if.accesses({group.encoding: self.store})
        return tuple(s if s.direction is Direction.STORE else a for a, s in zip(loads, stores, strict=True))


def best_conversion(what_if: WhatIf, trials: Trials, most_seconds: float) -> Convert | None:
    """The pair of layouts with the least expected time; None without loads or stores, or where it is more."""
    group = trials.group
    loads, stores = group.positions(Direction.LOAD), group.positions(Direction.STORE)
    if not loads or not stores or len(loads) + len(stores) != len(group.accesses):
        return None
    pairs = [
        (load, store)
        for load in trials.best(loads, _EACH)
        for store in trials.best(stores, _EACH)
        if load != store
    ]
    found = [convert for pair in pairs if (convert := _tried(what_if, trials, *pair)) is not None]
    best = min(found, key=lambda convert: convert.seconds, default=None)
    if best is None or best.seconds > most_seconds:
        return None
    return _on_many_programs(what_if, trials, best)


def _tried(what_if: WhatIf, trials: Trials, load: Encoding, store: Encoding) -> Convert | None:
    lowering = _lowered(what_if, trials.group, load, store)
    if lowering is None:
        return None
    seconds = _seconds(what_if, trials, load, store, lowering, ())
    return None if seconds is None else Convert(load, store, lowering, seconds)


def _on_many_programs(what_if: WhatIf, trials: Trials, found: Convert) -> Convert | None:
    accesses = found.accesses(what_if, trials.group)
    seconds = _seconds(what_if, trials, found.load, found.store, found.lowering, accesses)
    return None if seconds is None else replace(found, seconds=seconds)


def _seconds(
    what_if: WhatIf,
    trials: Trials,
    load: Encoding,
    store: Encoding,
    lowering: Lowering,
    accesses: tuple[Access, ...],
) -> float | None:
    """Expected time with the conversion: its wavefronts and barriers, and the occupancy its scratch leaves."""
    row = [
        trials.table[store if access.direction is Direction.STORE else load][i]
        for i, access in enumerate(trials.group.accesses)
    ]
    held = trials.guess.occupancy(row, lowering.scratch_bytes)
    if held is None:
        return None
    stores = [trial.access for trial in row if trial.access.direction is Direction.STORE]
    traffic = [moved for access in stores for moved in _scratch_traffic(access, lowering)]
    return changed_time(
        what_if,
        accesses or [trial.access for trial in row],
        held,
        exchange=_exchange(lowering, len(stores)),
        scratch_bytes=lowering.scratch_bytes,
        shared=(*what_if.shared, *traffic),
    )


def _exchange(lowering: Lowering, times: int) -> Exchange:
    """A conversion before each of `times` stores, as a warp executes it."""

    def instructions(*, store: bool) -> int:
        return sum(s.transfer.instructions * s.times for s in lowering.of(store=store)) * times

    widths = [step.transfer.bits for step in lowering.steps if isinstance(step.transfer, Transfer)]
    return Exchange(
        instructions(store=True), instructions(store=False), max(widths, default=32), lowering.barriers * times
    )


def _scratch_traffic(store: Access, lowering: Lowering) -> Iterator[Access]:
    """What converting the value of one store moves through shared memory, over the whole launch."""
    runs = store.executions or 0
    for step in lowering.steps:
        found = add_up((step,))
        yield Access(
            id=f"{store.id}-{'in' if step.store else 'out'}",
            op=ttg.CONVERT_LAYOUT.name,
            space=Space.SHARED,
            direction=Direction.STORE if step.store else Direction.LOAD,
            location=store.location,
            requests=round(found.requests * runs),
            wavefronts=round((found.wavefronts or 0) * runs),
            wavefronts_ideal=round((found.wavefronts_ideal or 0) * runs),
            executions=runs,
            confidence=Confidence.EXACT,
        )


def _lowered(what_if: WhatIf, group: Group, load: Encoding, store: Encoding) -> Lowering | None:
    """The conversion as Triton lowers it; None where it cannot be known."""
    try:
        source, target = (linear_layout(layout, group.shape) for layout in (load, store))
        bits = group.accesses[0].element_bits or 32
        found = lower_conversion(source, target, bits, what_if.target, what_if.report.kernel.version)
    except InspectError:
        return None
    return found if found.known else None


def conversion_proposal(group: Group, convert: Convert, effect: Effect) -> Proposal:
    """The pair of layouts as source, and what the conversion itself costs."""
    shape, lowering = group.shape, convert.lowering
    waves = sum(add_up((step,)).wavefronts or 0 for step in lowering.steps)
    return Proposal(
        title="load in one layout, store in another, and convert in between",
        source=(
            layout_assignment("load_layout", convert.load, shape),
            layout_assignment("store_layout", convert.store, shape),
            "value = gl.convert_layout(value, store_layout)  # between the load and the store",
        ),
        effect=effect,
        replaces=write_layout(group.encoding, shape),
        layouts=(write_layout(convert.load, shape), write_layout(convert.store, shape)),
        where="index the load by load_layout and the store by store_layout",
        note=(
            f"the conversion is counted: {lowering.scratch_bytes:,} bytes of shared memory, "
            f"{waves:,.0f} wavefronts and {plural(lowering.barriers, 'barrier')} a program"
        ),
    )
