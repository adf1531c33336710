"""Whether two layouts put the same elements in the same places, and what it costs to go from one to the other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gluon_inspect.errors import LayoutError
from gluon_inspect.layouts.algebra import same_mapping, without_copies
from gluon_inspect.layouts.conversion import conversion_kind, must_exchange
from gluon_inspect.layouts.gluon_syntax import write_layout
from gluon_inspect.layouts.linear import LinearLayout
from gluon_inspect.layouts.lowering import linear_layout
from gluon_inspect.model.access import ConversionKind
from gluon_inspect.model.encodings import Encoding
from gluon_inspect.model.versions import NEWEST

_COST = {
    ConversionKind.TRIVIAL: "nothing: no data moves",
    ConversionKind.REGISTER: "registers are renamed within each thread; no data leaves it",
    ConversionKind.SHUFFLE: "lanes of a warp exchange values by shuffles; no shared memory",
    ConversionKind.SHARED: "values go through shared memory: a store, a barrier, a load",
    ConversionKind.CLUSTER: "values go through the shared memory of other CTAs: a cluster barrier",
}
_ORDER = ("register", "lane", "warp", "block")


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two layouts at one shape. `kind` is None where no conversion leads from one to the other (shared memory)."""

    one: str
    other: str
    shape: tuple[int, ...]
    same: bool
    kind: ConversionKind | None
    exchanged: frozenset[str]
    difference: str

    def lines(self) -> list[str]:
        """The answer in words, the verdict first."""
        at = "x".join(map(str, self.shape))
        found = [f"{'same' if self.same else 'different'} mapping at {at}"]
        found += [f"  {self.one}", f"  {self.other}"]
        if self.difference:
            found.append(f"first difference: {self.difference}")
        if self.kind is not None:
            found.append(f"conversion: {self.kind} ({_COST[self.kind]})")
        moving = [name for name in _ORDER if name in self.exchanged]
        if moving:
            found.append(f"exchanged between: {', '.join(moving)}")
        return found


def compare(one: Encoding, other: Encoding, shape: tuple[int, ...]) -> Comparison:
    """Compare two layouts of one kind of memory.

    Raises LayoutError where one has no layout at this shape, or one is in registers and the other in memory.
    """
    first, second = linear_layout(one, shape), linear_layout(other, shape)
    if set(first.inputs) - {"block"} != set(second.inputs) - {"block"}:
        raise LayoutError(f"cannot compare a layout over {_named(first)} with one over {_named(second)}")
    same = same_mapping(first, second)
    registers = "register" in first.bases
    exchanged = must_exchange(first, second) if registers and not same else frozenset[str]()
    return Comparison(
        write_layout(one, shape),
        write_layout(other, shape),
        shape,
        same,
        conversion_kind(first, second, NEWEST) if registers else None,
        exchanged,
        "" if same else first_difference(first, second),
    )


def _named(layout: LinearLayout) -> str:
    return ", ".join(name for name in layout.inputs if name != "block")


def first_difference(one: LinearLayout, other: LinearLayout) -> str:
    """The first place, registers fastest, that holds another element; or the size that differs."""
    if "register" in one.bases:
        one, other = without_copies(one), without_copies(other)
    for name in one.inputs:
        if one.size(name) != other.size(name):
            return f"{one.size(name)} {name}s against {other.size(name)}"
    mine, theirs = one.coordinates(), other.coordinates()
    at = np.argwhere((mine != theirs).T)
    if not len(at):
        return ""
    place = tuple(int(x) for x in reversed(at[0]))
    where = ", ".join(f"{name} {value}" for name, value in zip(one.inputs, place, strict=True) if one.bits(name))
    return f"{where} holds {one.unflatten(int(mine[place]))} against {one.unflatten(int(theirs[place]))}"
