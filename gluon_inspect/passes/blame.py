"""Which pass made the operations of a source line what they are."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from gluon_inspect.model.dump import Level
from gluon_inspect.model.location import Location
from gluon_inspect.model.types import MemDescType, TensorType, Type
from gluon_inspect.passes.contents import Contents
from gluon_inspect.passes.excerpts import excerpt
from gluon_inspect.passes.sightings import Sighting, family_of
from gluon_inspect.passes.states import PassRun
from gluon_inspect.passes.timeline import Timeline


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is followed: a line (any if 0) of a file (any if empty), and operations of some name.

    `operation` stands for its family: a `tt.load` is followed when it becomes a copy to shared memory.
    """

    line: int = 0
    file: str = ""
    operation: str = ""

    def matches(self, one: Sighting) -> bool:
        """Whether an operation is one of those followed; a helper's operations are its callers' too."""
        if self.operation and one.name != self.operation:
            family = family_of(self.operation)
            if not family or one.family != family:
                return False
        if not self.line:
            return bool(self.operation)
        return one.location is not None and any(self._here(place) for place in one.location.chain)

    def _here(self, place: Location) -> bool:
        return place.line == self.line and (not self.file or place.file.endswith(self.file))


class What(StrEnum):
    """What a pass did to an operation."""

    CREATED = "created"
    CHANGED = "changed"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class Change:
    """What a pass did, `count` times alike; the excerpts are readable IR, empty where there is none."""

    what: What
    before: Sighting | None
    after: Sighting | None
    before_text: str = ""
    after_text: str = ""
    count: int = 1


@dataclass(frozen=True, slots=True)
class Step:
    """A pass that changed what is followed. `unread`: passes before it whose result could not be read."""

    run: PassRun
    changes: tuple[Change, ...]
    unread: tuple[PassRun, ...] = ()


@dataclass(frozen=True, slots=True)
class Blame:
    """What was followed from the first state (`origin`, with excerpts) through `steps` to `final`."""

    wanted: Wanted
    origin: tuple[tuple[Sighting, str], ...]
    steps: tuple[Step, ...]
    final: tuple[Sighting, ...]


def blame(timeline: Timeline, wanted: Wanted) -> Blame:
    """The passes that created or changed the operations followed, in order, down to the LLVM level."""
    states = list(_states(timeline))
    arithmetic = not any(one.family for _, contents in states for one in contents.seen if wanted.matches(one))
    steps: list[Step] = []
    last: tuple[Contents, list[Sighting]] | None = None
    origin: tuple[tuple[Sighting, str], ...] = ()
    unread: list[PassRun] = []
    for run, contents in states:
        if contents.state is None:
            unread += [run] if run is not None else []
            continue
        found = [one for one in contents.seen if wanted.matches(one) and (arithmetic or one.family)]
        if last is None:
            origin = tuple((one, excerpt(one, contents)) for one in found)
        elif run is not None and (changes := tuple(_changes(*last, contents, found))):
            steps.append(Step(run, changes, tuple(unread)))
        last, unread = (contents, found), []
    return Blame(wanted, origin, tuple(steps), tuple(last[1]) if last else ())


def _states(timeline: Timeline) -> Iterator[tuple[PassRun | None, Contents]]:
    """Every state in order with the pass that left it (None: the first)."""
    runs = timeline.compilation.outer
    if runs and runs[0].before is not None:
        yield None, timeline.contents(runs[0].before)
    for run in runs:
        if run.after is not None and run.after.level is not Level.LLVM:
            yield run, timeline.contents(run.after)


def _changes(
    old: Contents, before: Sequence[Sighting], new: Contents, after: Sequence[Sighting]
) -> Iterator[Change]:
    """What differs between two states, alike changes once with their number."""
    if old is new:
        return
    gone, fresh = _difference(before, after)
    counted: dict[
        tuple[What, Sighting | None, Sighting | None], list[tuple[Sighting | None, Sighting | None]]
    ] = {}
    for left, right in _paired(gone, fresh):
        what = What.CREATED if left is None else What.REMOVED if right is None else What.CHANGED
        counted.setdefault((what, left, right), []).append((left, right))
    for (what, _, _), pairs in counted.items():
        left, right = pairs[0]
        texts = (excerpt(left, old) if left else "", excerpt(right, new) if right else "")
        yield Change(what, left, right, *texts, count=len(pairs))


def _difference(before: Sequence[Sighting], after: Sequence[Sighting]) -> tuple[list[Sighting], list[Sighting]]:
    """Those only before and those only after, as multisets."""
    return _without(before, Counter(after)), _without(after, Counter(before))


def _without(these: Sequence[Sighting], others: Counter[Sighting]) -> list[Sighting]:
    rest: list[Sighting] = []
    for one in these:
        if others[one] > 0:
            others[one] -= 1
        else:
            rest.append(one)
    return rest


def _paired(gone: list[Sighting], fresh: list[Sighting]) -> Iterator[tuple[Sighting | None, Sighting | None]]:
    """Operations that became others at the same place: of one name and data first, then of one family."""
    for alike in (_same_data, _same_name, _same_use):
        for left in tuple(gone):
            right = next((one for one in fresh if _place(left) == _place(one) and alike(left, one)), None)
            if right is not None:
                gone.remove(left)
                fresh.remove(right)
                yield left, right
    yield from ((left, None) for left in gone)
    yield from ((None, right) for right in fresh)


def _place(one: Sighting) -> tuple[str, int, int] | None:
    at = one.location
    return None if at is None else (at.file, at.line, at.column)


def _same_data(left: Sighting, right: Sighting) -> bool:
    return left.name == right.name and _data(left.result) == _data(right.result)


def _same_name(left: Sighting, right: Sighting) -> bool:
    """A conversion of other data is another conversion."""
    return left.name == right.name and left.family != "conversion"


def _same_use(left: Sighting, right: Sighting) -> bool:
    return left.family == right.family in ("load", "store", "atomic", "dot")


def _data(of: Type | None) -> object:
    return (of.shape, of.element) if isinstance(of, TensorType | MemDescType) else of
