"""What the cost model says: an expected time and the resource that sets it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.location import Location


class Resource(StrEnum):
    """What a kernel can wait for; `L2_PATH`: an SM's way to the L2, for requests and stored data.

    `LATENCY`: the warps of a program one instruction after the other; `SHARED` with `L1`: an SM's data path.
    """

    DRAM = "DRAM"
    L2_REQUESTS = "L2 requests"
    L2_BYTES = "L2 bandwidth"
    L2_PATH = "path to L2"
    L1 = "L1 lines"
    SHARED = "shared memory"
    ISSUE = "instruction issue"
    LATENCY = "latency"
    FMA = "FMA pipe"
    ALU = "ALU pipe"
    SPECIAL = "special functions"
    FP64 = "FP64 pipe"
    TENSOR = "tensor cores"
    ATOMICS = "atomics"
    STARTS = "CTA starts"


class Stall(StrEnum):
    """What a warp waits for before an instruction, in the profiler's words."""

    WAIT = "wait"
    LONG_SCOREBOARD = "long scoreboard"
    SHORT_SCOREBOARD = "short scoreboard"
    MATH = "math pipe"
    NOT_SELECTED = "not selected"
    BARRIER = "barrier"
    GMMA = "gmma"
    MIO = "mio"
    LG = "lg"
    BRANCH = "branch"
    NO_INSTRUCTION = "no instruction"


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a warp stands: one instruction, its share of the time (0 to 1), and for what.

    `index`: which instruction of the kernel's function; `location`: the author's line, where the assembly says;
    `text_line`: the 1-based line of the assembly's text, 0 where unknown.
    """

    index: int
    instruction: str
    location: Location | None
    share: float
    stalls: Mapping[Stall, float] = field(default_factory=dict[Stall, float])
    text_line: int = 0

    @property
    def dominant(self) -> Stall | None:
        """What most of its time goes to."""
        return dominant(self.stalls)


@dataclass(frozen=True, slots=True)
class LineStanding:
    """One of the author's lines (None: instructions without one): its share of the time (0 to 1), and for what."""

    location: Location | None
    share: float
    stalls: Mapping[Stall, float]

    @property
    def dominant(self) -> Stall | None:
        """What most of its time goes to."""
        return dominant(self.stalls)


def dominant(stalls: Mapping[Stall, float]) -> Stall | None:
    """The stall with the largest share; None where there is none."""
    return max(stalls, key=lambda each: stalls[each], default=None)


@dataclass(frozen=True, slots=True)
class AccessCost:
    """One access: how long it alone keeps each resource busy, in seconds.

    `lost_seconds` is what the kernel would gain if the access moved its bytes in the fewest sectors: the mean of
    mending it first and last of all accesses.
    """

    id: str
    seconds: float
    limiting: Resource
    parts: Mapping[Resource, float] = field(default_factory=dict[Resource, float])
    lost_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class KernelCost:
    """Expected time of one launch on the target's reference card.

    `parts`: seconds that each resource is busy; the time is somewhat more than the largest, which is
    `limiting`. `assumed`: what was not known and was taken to be, in words. `band`: of ten launches, nine take
    the expected time more or less this share of it; None where no timed launches tell. `standing`: where a warp
    stands, by instruction in order; empty without assembly. `has_code`: whether the assembly was issued.
    `is_whole`: it was, to its end, and nothing that sets the time was left out or guessed. `is_lower_bound`:
    something that takes time was left out (`assumed` says what), so the launch takes at least as long.
    """

    seconds: float
    limiting: Resource
    parts: Mapping[Resource, float]
    per_access: tuple[AccessCost, ...]
    confidence: Confidence
    model: ModelStatus
    assumed: tuple[str, ...] = ()
    band: float | None = None
    standing: tuple[Standing, ...] = ()
    has_code: bool = False
    is_whole: bool = False
    is_lower_bound: bool = False

    @property
    def beyond_dram_fraction(self) -> float:
        """Share of the kernel's time that its bytes alone would not take."""
        return max(0.0, 1.0 - self.parts.get(Resource.DRAM, 0.0) / self.seconds) if self.seconds else 0.0

    def lost_fraction(self, access_id: str) -> float | None:
        """Share of the kernel's time that an access loses to its pattern; None for an unknown access."""
        found = (each for each in self.per_access if each.id == access_id)
        lost = next((each.lost_seconds for each in found), None)
        return None if lost is None or not self.seconds else lost / self.seconds

    def standing_by_line(self) -> tuple[LineStanding, ...]:
        """`standing` summed over the author's lines, most of the time first."""
        stalls: dict[tuple[str, int] | None, Counter[Stall]] = {}
        places: dict[tuple[str, int] | None, Location | None] = {}
        for each in self.standing:
            key = (each.location.file, each.location.line) if each.location else None
            stalls.setdefault(key, Counter()).update(each.stalls)
            places.setdefault(key, each.location)
        found = (LineStanding(places[key], sum(own.values()), dict(own)) for key, own in stalls.items())
        return tuple(sorted(found, key=lambda line: -line.share))
