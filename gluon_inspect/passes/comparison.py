"""Two compilations of one kernel: the first pass where they part, in operations and in layouts."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from gluon_inspect.passes.contents import Contents
from gluon_inspect.passes.excerpts import layout_text
from gluon_inspect.passes.states import PassRun, State
from gluon_inspect.passes.timeline import Timeline

_View = Callable[[Contents], Counter[str]]


@dataclass(frozen=True, slots=True)
class Parting:
    """The pass from which on two compilations differ in `what`.

    `left` or `right` None: only the other side ran such a pass there; both None: they differ from the start.
    `difference` lists what only one side has, as "thing: 2 -> 0". `for_good` False: they agree again later.
    """

    what: str
    left: PassRun | None
    right: PassRun | None
    difference: tuple[str, ...]
    for_good: bool


@dataclass(frozen=True, slots=True)
class _Pair:
    """States that stand at the same point of the two compilations, and the passes that left them."""

    left_run: PassRun | None
    right_run: PassRun | None
    left: Contents
    right: Contents


def partings(left: Timeline, right: Timeline) -> tuple[Parting, ...]:
    """Where layouts, conversions, access widths and operations part, each on its own; nothing that never does."""
    pairs = list(_pairs(left, right))
    views: tuple[tuple[str, _View, bool], ...] = (
        ("layouts", layouts_of, True),
        ("conversions", conversions_of, True),
        ("access widths", widths_of, True),
        ("operations", lambda contents: Counter(contents.operations), False),
    )
    found = (_parting(what, view, pairs, parsed) for what, view, parsed in views)
    return tuple(parting for parting in found if parting is not None)


def layouts_of(contents: Contents) -> Counter[str]:
    """How many operations of each line and name have each layout."""
    return Counter(
        f"line {_line(one.location)} {one.name} in {layout_text(layout)}"
        for one in contents.seen
        if one.family
        for layout in one.layouts[-1:]
    )


def conversions_of(contents: Contents) -> Counter[str]:
    """Layout conversions by line and kind."""
    return Counter(f"line {_line(one.location)} {one.name} ({one.kind})" for one in contents.seen if one.kind)


def widths_of(contents: Contents) -> Counter[str]:
    """Accesses by line and bits a lane."""
    return Counter(
        f"line {_line(one.location)} {one.name} of {one.vector_bits} bits a lane"
        for one in contents.seen
        if one.vector_bits is not None
    )


def _line(location: object) -> str:
    return str(getattr(location, "line", "unknown"))


def _parting(what: str, view: _View, pairs: list[_Pair], parsed: bool) -> Parting | None:
    """The first pair after the last agreement; if they agree in the end, the first that ever differed."""
    comparable = [pair for pair in pairs if not parsed or _both_parsed(pair)]
    differs = [view(pair.left) != view(pair.right) for pair in comparable]
    if not any(differs):
        return None
    for_good = differs[-1]
    first = len(differs) - differs[::-1].index(False) if for_good and False in differs else differs.index(True)
    pair = comparable[first]
    difference = tuple(_difference(view(pair.left), view(pair.right)))
    return Parting(what, pair.left_run, pair.right_run, difference, for_good)


def _both_parsed(pair: _Pair) -> bool:
    return pair.left.state is not None and pair.right.state is not None


def _difference(left: Counter[str], right: Counter[str]) -> Iterator[str]:
    for key in sorted(left | right):
        if left[key] != right[key]:
            yield f"{key}: {left[key]} -> {right[key]}"


def _pairs(left: Timeline, right: Timeline) -> Iterator[_Pair]:
    """States side by side: the first ones, then those after each pass, aligned by the passes' names."""
    sides = (left, right)
    states = [_first(timeline) for timeline in sides]
    yield from _side_by_side(sides, states, (None, None))
    for runs in _aligned(left.compilation.outer, right.compilation.outer):
        states = [
            state if run is None or run.after is None else run.after
            for state, run in zip(states, runs, strict=True)
        ]
        yield from _side_by_side(sides, states, runs)


def _first(timeline: Timeline) -> State | None:
    runs = timeline.compilation.outer
    return runs[0].before if runs else None


def _side_by_side(
    sides: tuple[Timeline, Timeline], states: list[State | None], runs: tuple[PassRun | None, PassRun | None]
) -> Iterator[_Pair]:
    """The pair, if both states were printed and are lowered equally far."""
    one, other = states
    if one is None or other is None or (one.level, one.is_llvm_ir) != (other.level, other.is_llvm_ir):
        return
    left, right = sides
    yield _Pair(*runs, left.contents(one), right.contents(other))


def _aligned(
    left: tuple[PassRun, ...], right: tuple[PassRun, ...]
) -> Iterator[tuple[PassRun | None, PassRun | None]]:
    """Passes paired by name, in order; one that only one side ran stands alone."""
    names = [[_key(run) for run in runs] for runs in (left, right)]
    for tag, i, j, k, n in SequenceMatcher(None, *names, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from zip(left[i:j], right[k:n], strict=True)
            continue
        yield from ((run, None) for run in left[i:j])
        yield from ((None, run) for run in right[k:n])


def _key(run: PassRun) -> str:
    return run.argument or run.name.removesuffix("Pass")
