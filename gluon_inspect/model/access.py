"""Memory accesses and layout conversions: one record per IR operation x space x direction."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from gluon_inspect.model.brief import brief, spot
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.location import Location


class Space(StrEnum):
    """The memory an access touches."""

    GLOBAL = "global"
    SHARED = "shared"
    TENSOR = "tensor"
    CLUSTER = "cluster"
    SCALAR = "scalar"


class Direction(StrEnum):
    """Seen from the space: `copy` leaves it for elsewhere without passing registers."""

    LOAD = "load"
    STORE = "store"
    ATOMIC = "atomic"
    COPY = "copy"


@dataclass(frozen=True, slots=True)
class Width:
    """Instructions of one width that an access became (per thread, static, loop bodies once)."""

    bits: int
    instructions: int


@dataclass(frozen=True, slots=True)
class AccessGeometry:
    """How the first warp's lanes meet memory: what the explanation in words is made from.

    `lane_dim` is the tensor dimension that neighbouring lanes walk, `contiguous_dim` the one that is
    contiguous in memory (None: none is, or unknown). Strides in bytes, None where unknown.
    """

    lane_dim: int | None = None
    contiguous_dim: int | None = None
    lane_stride_bytes: int | None = None
    misalignment_bytes: int | None = None
    lane_copies: int = 1
    dim_strides_bytes: tuple[int | None, ...] = ()
    """Bytes between neighbours along each tensor dimension; None where they differ."""


@dataclass(frozen=True, slots=True)
class VectorLimit:
    """One bound on the vector width, in elements, and where it comes from.

    `kind` is one of "layout", "contiguity", "divisibility", "mask", "hardware", "shared".
    """

    kind: str
    elements: int
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Estimate:
    """The average request where arguments or grid are not given and plausible ones were assumed."""

    sectors: float
    sectors_ideal: float
    lines: float


@dataclass(frozen=True, slots=True)
class Locality:
    """How an access meets itself again, over the whole launch; what the cost model needs beside the counts.

    `instances`: executions by a program. `warps`: warps with an active lane, summed over the instances.
    `wavefronts`: cycles of the L1's data stage. `full_sectors`: (request, sector)
    pairs that the request touches whole. `warp_*` and `program_*`: distinct units by warp and by program in one
    instance, summed. `*_gap`: mean requests of a warp from one touch of a unit to the next, 0 if it never
    returns. `piece_bytes`, `burst_bytes`: mean contiguous piece of one request and of four successive ones of a
    warp. `run_bytes*`: the same by one program, by neighbours in launch order whose traffic
    DRAM has queued at once, by programs that run at once; `distinct_share`: sectors that the last touch together
    over the sum of what each touches. None where unknown. `met_share`: sectors of the first programs that an
    earlier load of theirs has touched already, over all that the access touches.
    """

    instances: int
    warps: int
    wavefronts: int
    full_sectors: int
    warp_sectors: int
    warp_lines: int
    program_sectors: int
    program_lines: int
    program_bytes: int
    sector_gap: float = 0.0
    line_gap: float = 0.0
    piece_bytes: float | None = None
    burst_bytes: float | None = None
    run_bytes: float | None = None
    run_bytes_window: float | None = None
    run_bytes_resident: float | None = None
    distinct_share: float | None = None
    met_share: float = 0.0


@dataclass(frozen=True, slots=True)
class Access:
    """What one operation does to one memory, over the whole launch (all CTAs, loop trips included).

    None means unknown, 0 means proven zero. `requests` are warp instructions with an active lane,
    `sectors` are 32 bytes, `lines` 128 bytes, `wavefronts` units of serialised shared-memory work.
    """

    id: str
    op: str
    space: Space
    direction: Direction
    location: Location | None
    layout: str = ""
    memory_layout: str = ""
    shape: tuple[int, ...] = ()
    element_bits: int | None = None
    vector_bits: int | None = None
    widths: tuple[Width, ...] = ()
    requests: int | None = None
    transactions: int | None = None
    lines: int | None = None
    sectors: int | None = None
    sectors_ideal: int | None = None
    wavefronts: int | None = None
    wavefronts_ideal: int | None = None
    bytes_requested: int | None = None
    bytes_unique: int | None = None
    executions: int | None = None
    warp_instructions: int | None = None
    """Warp instructions executed, those without an active lane included; None where unknown.

    Stores whose lanes are predicated off may be jumped over, so only stores without are known.
    """
    confidence: Confidence = Confidence.UNKNOWN
    model: ModelStatus = ModelStatus.UNVALIDATED
    reason: str = ""
    geometry: AccessGeometry | None = None
    vector_limits: tuple[VectorLimit, ...] = ()
    result_of: int = -1
    """Span start of the IR operation, to find it again."""
    weak_arguments: tuple[str, ...] = ()
    """Kernel arguments whose unknown divisibility narrows the access through its address."""
    weak_mask_arguments: tuple[str, ...] = ()
    """The same, through its mask."""
    locality: Locality | None = None
    """None for scalar, descriptor and shared accesses, and where addresses are unknown."""
    estimate: Estimate | None = None
    """Stands in for the totals where they are None for want of arguments; never added up."""
    open_arguments: tuple[str, ...] = ()
    """Kernel arguments that its numbers depend on and whose value is not given, or only assumed."""
    made_up_strides: tuple[str, ...] = ()
    """Integer arguments that its addresses depend on and whose value is not given: the estimate takes one."""
    is_gather: bool = False
    """Whether each lane's address comes from a value loaded from memory: its numbers hold for this data only."""

    def __repr__(self) -> str:
        what = f"{self.space} {self.direction} {self.op} at {spot(self.location)}"
        if self.space is Space.SHARED:
            counts = f"wavefronts={self.wavefronts}, wavefronts_ideal={self.wavefronts_ideal}"
        else:
            counts = f"sectors={self.sectors}, sectors_ideal={self.sectors_ideal}"
        return brief(f"<Access {self.id}: {what}, requests={self.requests}, {counts}, {self.confidence}>")

    @property
    def sectors_per_request(self) -> float | None:
        """Sectors of the average request; None where unknown or where there is no request."""
        if self.sectors is None and self.estimate is not None:
            return self.estimate.sectors
        return self.sectors / self.requests if self.sectors is not None and self.requests else None

    @property
    def ideal_per_request(self) -> float | None:
        """The fewest sectors that hold the average request's bytes; None where unknown."""
        if self.sectors_ideal is None and self.estimate is not None:
            return self.estimate.sectors_ideal
        return self.sectors_ideal / self.requests if self.sectors_ideal is not None and self.requests else None

    @property
    def is_bulk(self) -> bool:
        """Whether instructions move whole boxes or tiles: there are no requests, widths or wavefronts of lanes."""
        return self.transactions is not None

    @property
    def efficiency(self) -> float | None:
        """Ideal sectors over sectors, 1.0 at best; None where unknown."""
        if self.is_bulk:
            return self.sectors_ideal / self.sectors if self.sectors and self.sectors_ideal is not None else None
        sectors, ideal = self.sectors_per_request, self.ideal_per_request
        return ideal / sectors if sectors and ideal is not None else None

    @property
    def trust(self) -> Confidence:
        """Confidence of what is said per request: ASSUMED where it rests on the estimate."""
        return Confidence.ASSUMED if self.sectors is None and self.estimate else self.confidence


class ConversionKind(StrEnum):
    """What a change of layout needs, cheapest first."""

    TRIVIAL = "trivial"
    REGISTER = "register"
    SHUFFLE = "shuffle"
    SHARED = "shared"
    CLUSTER = "cluster"


@dataclass(frozen=True, slots=True)
class Conversion:
    """One change of layout, explicit (ttg.convert_layout) or hidden in another operation (`op` says which)."""

    id: str
    op: str
    location: Location | None
    source: str
    target: str
    kind: ConversionKind
    scratch_bytes: int | None = None
    wavefronts: int | None = None
    wavefronts_ideal: int | None = None
    executions: int | None = None
    barriers: int | None = None
    loop_depth: int = 0
    pays: bool | None = None
    why: str = ""
    confidence: Confidence = Confidence.UNKNOWN
    model: ModelStatus = ModelStatus.UNVALIDATED
    result_of: int = -1
    bytes_moved: int | None = None
    """Bytes of the tensor that is converted, by one program."""
    loop_invariant: bool = False
    """It stands in a loop and depends on nothing that the loop changes."""
    agreed_layout: str = ""
    """The layout that both ends could have at no loss, so that the conversion vanishes; empty where none is."""

    def __repr__(self) -> str:
        what = f"{self.op} at {spot(self.location)} by {self.kind}"
        return brief(f"<Conversion {self.id}: {what}, wavefronts={self.wavefronts}, {self.confidence}>")
