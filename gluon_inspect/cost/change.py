"""The expected time of a launch that is changed: by the same model as the launch's own, applied to changed work.

What the assembly of the change would be is not known. It is taken to be the launch's own with the memory
instructions of the changed accesses as wide and as many as the change makes them, what computes their addresses
scaled with them, loops gone more often, and the steps of a new conversion put before the stores.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from gluon_inspect.assembly.counts import author_line
from gluon_inspect.cost.code import Code
from gluon_inspect.cost.launch import work_of_launch
from gluon_inspect.cost.model import kernel_seconds
from gluon_inspect.cost.program import Act, Pipe, Step
from gluon_inspect.cost.program import Work as Occupied
from gluon_inspect.cost.walk import Item, Repeat, executed
from gluon_inspect.facts.launched import Facts
from gluon_inspect.model.access import Access, Direction, Space
from gluon_inspect.model.asm import Instruction
from gluon_inspect.model.location import Location
from gluon_inspect.model.report import Occupancy


@dataclass(frozen=True, slots=True)
class Exchange:
    """A conversion through shared memory: instructions of a warp, bits a lane of each, and barriers."""

    stores: int = 0
    loads: int = 0
    bits: int = 128
    barriers: int = 0


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes different; None and the neutral values leave the launch as it is.

    `accesses`: all traffic as it becomes. `programs` of the grid; `trips` that each outermost loop makes for one
    that it makes now. `num_warps`, `occupancy`: what fits an SM then. `spill_bytes` of a thread (None: its own).
    `exchange` before each store; `scratch_bytes`, where they are more than the launch has.
    """

    accesses: Sequence[Access] | None = None
    programs: int | None = None
    trips: float = 1.0
    num_warps: int | None = None
    occupancy: Occupancy | None = None
    spill_bytes: int | None = None
    exchange: Exchange | None = None
    scratch_bytes: int = 0


def changed_seconds(facts: Facts, change: Change) -> float | None:
    """Expected time of the changed launch; None where that of the launch itself is not known."""
    work = work_of_launch(facts)
    if work is None or facts.cost is None:
        return None
    accesses = facts.accesses if change.accesses is None else change.accesses
    code = None if work.code is None or not facts.cost.has_code else _changed(work.code, facts, change, accesses)
    work = replace(
        work,
        code=code,
        programs=work.programs if change.programs is None else change.programs * (facts.num_ctas or 1),
        num_warps=change.num_warps or work.num_warps,
        occupancy=change.occupancy or work.occupancy,
        spill_bytes=work.spill_bytes if change.spill_bytes is None else change.spill_bytes,
        shared_bytes=max(work.shared_bytes, change.scratch_bytes),
        instructions=None if change.accesses is not None else work.instructions,
        barriers=change.exchange.barriers if change.exchange else 0,
    )
    return kernel_seconds(work, accesses)


def _changed(code: Code, facts: Facts, change: Change, accesses: Sequence[Access]) -> Code:
    ratios = _ratios(facts.accesses, accesses, facts.kernel.source_file)
    whole = (facts.num_warps or 1) / change.num_warps if change.num_warps else 1.0
    found = code.edited(_edit(ratios, facts.kernel.source_file, whole)) if ratios or whole != 1.0 else code
    if change.trips != 1.0:
        found = _gone(found, tuple(_stretched(found.way.items, change.trips)))
    return found if change.exchange is None else _with_exchange(found, change.exchange)


_Place = tuple[str, int, bool]
"""File, line, and whether the instructions store."""


def _place(location: Location, source_file: str, *, stores: bool) -> _Place:
    at = author_line(location, source_file)
    return at.file, at.line, stores


def _ratios(
    before: Sequence[Access], after: Sequence[Access], source_file: str
) -> Mapping[_Place, tuple[float, int]]:
    """By place: instructions after over before, and the bits of each then."""
    held: dict[_Place, list[tuple[int, int]]] = {}
    bits: dict[_Place, int] = {}
    new = {(access.result_of, access.direction): access for access in after if access.space is Space.GLOBAL}
    for access in before:
        other = new.get((access.result_of, access.direction))
        if access.space is not Space.GLOBAL or other is None or access.location is None or not access.widths:
            continue
        if other.widths and other.widths != access.widths:
            place = _place(access.location, source_file, stores=access.direction is Direction.STORE)
            counts = sum(w.instructions for w in access.widths), sum(w.instructions for w in other.widths)
            held.setdefault(place, []).append(counts)
            bits[place] = max(width.bits for width in other.widths)
    return {
        place: (sum(b for _, b in pairs) / sum(a for a, _ in pairs), bits[place]) for place, pairs in held.items()
    }


def _edit(
    ratios: Mapping[_Place, tuple[float, int]], source_file: str, whole: float
) -> Callable[[Instruction, Step], tuple[Step, float]]:
    """`whole`: what every step that works on the tile is scaled by, where other warps share it out."""

    def edit(each: Instruction, step: Step) -> tuple[Step, float]:
        act = step.work.act
        scaled = whole if act in _OF_TILES else 1.0
        if each.location is None:
            return step, scaled
        stores = act is Act.STORE
        place = _place(each.location, source_file, stores=stores)
        ratio, bits = ratios.get(place) or ratios.get((*place[:2], not stores)) or (1.0, 0)
        if act in (Act.LOAD, Act.STORE, Act.COPY, Act.ATOMIC) and place in ratios:
            return replace(step, work=replace(step.work, bits=bits)), ratio
        # what is computed at the line are addresses and masks of each instruction
        return step, ratio if act is Act.COMPUTE and bits else scaled

    return edit


_OF_TILES = frozenset((Act.COMPUTE, Act.LOAD, Act.STORE, Act.COPY, Act.SPECIAL, Act.SHARED_LOAD, Act.SHARED_STORE))


def _stretched(items: Sequence[Item], trips: float) -> Sequence[Item]:
    return [
        item if isinstance(item, int) else replace(item, trips=item.trips * trips, longest=item.longest * trips)
        for item in items
    ]


def _gone(code: Code, items: tuple[Item, ...], steps: Sequence[Step] | None = None) -> Code:
    """The code along another way, through other steps."""
    through = code.steps if steps is None else steps
    counts = executed(items, len(through))
    kinds: dict[int, tuple[Step, float]] = {}
    for step, times in zip(through, counts, strict=True):
        if times:
            kinds[id(step)] = (step, kinds.get(id(step), (step, 0.0))[1] + times)
    return replace(
        code, steps=through, way=replace(code.way, items=items), counts=counts, kinds=tuple(kinds.values())
    )


def _with_exchange(code: Code, exchange: Exchange) -> Code:
    """A conversion's steps before the first store: all stores of the tile, a barrier, all loads, each awaited."""
    write = Step(Occupied(Act.SHARED_STORE, Pipe.MEMORY, 1.0, exchange.bits), 0, -1, -1, 2)
    read = Step(Occupied(Act.SHARED_LOAD, Pipe.MEMORY, 1.0, exchange.bits), 0, -1, 0, 2)
    meet = Step(Occupied(Act.BARRIER, Pipe.NONE), 0, -1, -1, 2)
    use = Step(Occupied(Act.COMPUTE, Pipe.ALU), 1, -1, -1, 2)
    new = [*[write] * exchange.stores, *[meet] * exchange.barriers, *[read] * exchange.loads, use]
    first = len(code.steps)
    added = tuple(range(first, first + len(new)))
    items, found = _inserted(code.way.items, code.steps, added)
    return _gone(code, items if found else (*added, *items), [*code.steps, *new])


def _inserted(
    items: Sequence[Item], steps: Sequence[Step], added: tuple[int, ...]
) -> tuple[tuple[Item, ...], bool]:
    """The way with steps before the first store of global memory, inside the loop that it stands in."""
    for at, item in enumerate(items):
        if isinstance(item, Repeat):
            body, found = _inserted(item.body, steps, added)
            if found:
                return (*items[:at], replace(item, body=body), *items[at + 1 :]), True
        elif steps[item].work.act is Act.STORE:
            return (*items[:at], *added, *items[at:]), True
    return tuple(items), False
