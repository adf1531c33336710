"""Uncoalesced global accesses: more sectors than the bytes need, and why, in the author's terms."""

from __future__ import annotations

from collections.abc import Iterator

from gluon_inspect.cost.longer_tile import longer_tile
from gluon_inspect.facts.interleaved import interleaved
from gluon_inspect.facts.launched import Facts
from gluon_inspect.facts.severity import THRESHOLDS, severity_of
from gluon_inspect.facts.steps import index_bytes
from gluon_inspect.model.access import Access, AccessGeometry, Direction, Space
from gluon_inspect.model.finding import AnalysisResult, Evidence, Finding, Rule, Severity
from gluon_inspect.model.target import Target

_FINE = 0.75
"""Ideal over actual sectors from which an access counts as coalesced.

Below it, at least one sector in four carries nothing that the request asked for. A row that starts
off a sector boundary costs one sector in five (0.8) and no layout can change it.
"""
_SERIOUS = 1 / 3
_SELDOM = 1 / 64
"""Bytes that are there over bytes that are moved, below which sectors come from caches."""
_LOSES = 0.01
"""Of the kernel's expected time: what loses more is no rounding at the ends of rows."""

UNCOALESCED = Rule(
    code="GI101",
    name="uncoalesced-access",
    summary="Lanes of a warp touch more sectors of global memory than their bytes fill.",
    what=(
        "A warp's load or store is served in sectors of 32 bytes (AMD: 64, in lines of 128). The rule compares "
        "the sectors that the active lanes touch with the fewest that could hold their bytes."
    ),
    why=(
        "Every sector is moved whole, whatever part of it is used. Lanes that are apart in memory, since they "
        "walk the wrong dimension or since each instruction moves less than the gap between them, drag in a "
        "sector each: up to 32 where 4 would do, and a tenth of the bandwidth."
    ),
    how=(
        "The address of every lane of every instruction is evaluated from the IR for the launch's arguments; "
        "sectors are counted per request as the hardware counts them. Severity follows the time that the pattern "
        f"is predicted to lose: {THRESHOLDS}. Without a launch: an error below a third of the bytes used; "
        "a note where the address depends on an argument that is not given, since its value was made up. On a "
        "value that was only assumed (--assume), and where lanes follow indices that were loaded from memory (no "
        "layout decides their addresses), a warning at most."
    ),
    not_modelled=(
        "Caches: sectors that a later instruction finds in L1 cost less than the count says. TLB and DRAM "
        "paging are not modelled."
    ),
    bad="""
@gluon.jit
def kernel(src, dst, stride):
    # lanes walk down the rows of a row-major tensor
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [32, 1], [4, 1], [1, 0])
    x = gl.arange(0, 128, layout=gl.SliceLayout(1, layout))
    y = gl.arange(0, 128, layout=gl.SliceLayout(0, layout))
    offsets = x[:, None] * stride + y[None, :]
    gl.store(dst + offsets, gl.load(src + offsets))


src, dst = torch.empty(2, 128 * 128, device="cuda")
kernel[(1,)](src, dst, 128)
""",
    good="""
@gluon.jit
def kernel(src, dst, stride):
    # lanes walk along the contiguous dimension
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [1, 32], [4, 1], [1, 0])
    x = gl.arange(0, 128, layout=gl.SliceLayout(1, layout))
    y = gl.arange(0, 128, layout=gl.SliceLayout(0, layout))
    offsets = x[:, None] * stride + y[None, :]
    gl.store(dst + offsets, gl.load(src + offsets))


src, dst = torch.empty(2, 128 * 128, device="cuda")
kernel[(1,)](src, dst, 128)
""",
)
RULES = (UNCOALESCED,)


def run(facts: Facts) -> AnalysisResult:
    """One finding for each global access that moves at least a third more sectors than it needs."""
    return AnalysisResult(findings=tuple(_findings(facts)))


def _findings(facts: Facts) -> Iterator[Finding]:
    # accesses that take turns over the elements of their sectors have a finding of their own
    together = {access.id for group in interleaved(facts) for access in group}
    for access in facts.accesses:
        efficiency = access.efficiency
        if access.space is not Space.GLOBAL or access.is_bulk or not access.shape or access.id in together:
            continue
        if efficiency is None or _is_fine(efficiency, facts.lost_fraction(access.id)):
            continue
        tile = longer_tile(facts, access)
        lost = facts.lost_fraction(access.id) if tile is None else tile.gain
        yield Finding(
            id=f"{UNCOALESCED.code}-{access.id}",
            rule=UNCOALESCED.code,
            name=UNCOALESCED.name,
            severity=_severity(access, efficiency, lost),
            confidence=access.trust,
            model=access.model,
            message=_message(access, efficiency, facts.target),
            location=access.location,
            evidence=_evidence(access, efficiency) | _lines(access, facts.target),
            help=_help(access, facts) if tile is None else tile.advice,
            subject=access.id,
            cost=lost,
        )


def _is_fine(efficiency: float, lost: float | None) -> bool:
    """Coalesced, but for what it is predicted to lose all the same."""
    return efficiency >= _FINE and (lost is None or lost < _LOSES or efficiency == 1.0)


def _severity(access: Access, efficiency: float, lost: float | None) -> Severity:
    if access.estimate is not None and access.made_up_strides:
        return Severity.NOTE
    wasteful = efficiency <= _SERIOUS
    unpredicted = Severity.ERROR if wasteful else Severity.WARNING
    found = severity_of(lost, unpredicted, wasteful=wasteful)
    is_capped = access.is_gather or _is_used_later(access) or _is_mostly_again(access)
    return Severity.WARNING if is_capped and found is Severity.ERROR else found


def _message(access: Access, efficiency: float, target: Target) -> str:
    verb = {
        Direction.LOAD: "load",
        Direction.STORE: "store",
        Direction.COPY: "asynchronous copy",
        Direction.ATOMIC: "atomic",
    }[access.direction]
    head = (
        f"each request of this {verb}{_by(target)} touches {_touched(access, target)} where "
        f"{access.ideal_per_request or 0:.3g} would hold its bytes ({efficiency:.0%} of the bytes moved are used)"
    )
    return f"{head}: {_reason(access, target)}{_later(access, efficiency)}"


def _later(access: Access, efficiency: float) -> str:
    """What the program's later requests make of the sectors, where they use most of them."""
    used = _use_by_program(access)
    if used is None or not _is_used_later(access) or efficiency >= _SERIOUS:
        return ""
    return f"; later requests of the program use {used:.0%} of them, if the L1 keeps them"


def _is_used_later(access: Access) -> bool:
    """Whether a load's tile has the neighbours in memory, though no dimension of it is contiguous throughout."""
    found = access.geometry
    apart = found is not None and found.contiguous_dim is None and access.direction is Direction.LOAD
    return apart and not access.is_gather and (_use_by_program(access) or 0.0) >= _FINE


def _is_mostly_again(access: Access) -> bool:
    """Whether the launch comes back to its sectors so often that caches, not memory, serve it."""
    touched = (access.sectors or 0) * 32
    return access.bytes_unique is not None and access.bytes_unique < _SELDOM * touched


def _use_by_program(access: Access) -> float | None:
    """Share of its sectors' bytes that a program uses by all requests of one execution; None where unknown."""
    found = access.locality
    return found.program_bytes / (found.program_sectors * 32) if found and found.program_sectors else None


def _touched(access: Access, target: Target) -> str:
    """The sectors of a request; on AMD, whose units differ, with their size and the lines they lie in."""
    sectors = f"{access.sectors_per_request or 0:.3g}"
    if target.backend != "hip":
        return f"{sectors} sectors"
    lines = _lines_per_request(access)
    known = "" if lines is None else f" ({lines:.3g} lines of {target.line_bytes} bytes)"
    return f"{sectors} sectors of {target.sector_bytes} bytes{known}"


def _by(target: Target) -> str:
    return f" by a warp (wave{target.warp_size})" if target.backend == "hip" else ""


def _lines_per_request(access: Access) -> float | None:
    if access.lines is None and access.estimate is not None:
        return access.estimate.lines
    return access.lines / access.requests if access.lines is not None and access.requests else None


def _lines(access: Access, target: Target) -> dict[str, Evidence]:
    """AMD's terms: 64-byte sectors, 128-byte lines, dwords a lane."""
    if target.backend != "hip":
        return {}
    lines = _lines_per_request(access)
    return {
        "wave": target.warp_size,
        "sector_bytes": target.sector_bytes,
        "line_bytes": target.line_bytes,
        "lines_per_request": None if lines is None else round(lines, 2),
        "dwords_a_lane": None if access.vector_bits is None else access.vector_bits / 32,
    }


def _reason(access: Access, target: Target) -> str:
    found = access.geometry
    if access.is_gather:
        return "its lanes follow indices that were loaded from memory, as this launch's data has them"
    if found is None:
        return "the addresses of its lanes are far apart"
    if found.lane_copies > 1 and (found.lane_stride_bytes or 0) == 0:
        return f"{found.lane_copies} lanes hold copies of the same elements"
    narrowed = _narrowed(access)
    if narrowed and found.lane_dim is not None and found.lane_dim == found.contiguous_dim:
        return f"{narrowed}, so neighbouring lanes start {_bytes(found.lane_stride_bytes)} apart"
    if found.lane_dim is None or found.contiguous_dim is None:
        return _strided(found)
    if found.lane_dim != found.contiguous_dim:
        return (
            f"neighbouring lanes walk dim {found.lane_dim}, {_bytes(found.lane_stride_bytes)} apart, "
            f"but dim {found.contiguous_dim} is the contiguous one in memory"
        )
    return _along_contiguous(access, found, target)


def _along_contiguous(access: Access, found: AccessGeometry, target: Target) -> str:
    stride, width = found.lane_stride_bytes or 0, (access.vector_bits or 0) // 8
    if abs(stride) > width:
        return (
            f"neighbouring lanes start {_bytes(stride)} apart but an instruction moves {width} bytes a lane, "
            f"so a request leaves gaps that later instructions fill"
        )
    if found.misalignment_bytes:
        return f"the first address is {found.misalignment_bytes} bytes past a sector's start"
    if _begins_anywhere(found, target):
        return "most rows begin in the middle of a sector, and end in another one"
    return "the rows that a warp covers are shorter than a sector"


def _begins_anywhere(found: AccessGeometry, target: Target) -> bool:
    """Whether rows are no whole number of sectors apart; a tile of one row begins where its program puts it."""
    between = [stride for dim, stride in enumerate(found.dim_strides_bytes) if dim != found.contiguous_dim]
    return not between or any(stride and stride % target.sector_bytes for stride in between)


def _strided(found: AccessGeometry) -> str:
    if found.lane_stride_bytes is None:
        return "the addresses of its lanes are far apart"
    return (
        f"neighbouring lanes are {_bytes(found.lane_stride_bytes)} apart and no dimension of the tile is "
        f"contiguous in memory"
    )


def _narrowed(access: Access) -> str:
    limits = {limit.kind: limit for limit in access.vector_limits}
    if not limits or not access.element_bits or not access.vector_bits:
        return ""
    vector = access.vector_bits // access.element_bits
    if vector >= min(limits[kind].elements for kind in ("layout", "hardware", "contiguity")):
        return ""
    if "mask" in limits and limits["mask"].elements == vector:
        return f"the mask{_named(access.weak_mask_arguments)} allows only {_elements(vector)} an instruction"
    if limits["divisibility"].elements == vector:
        named = _named(access.weak_arguments)
        return f"unknown divisibility{named} allows only {_elements(vector)} an instruction"
    return ""


def _elements(count: int) -> str:
    return "1 element" if count == 1 else f"{count} elements"


def _named(arguments: tuple[str, ...]) -> str:
    return f" ({', '.join(arguments)})" if arguments else ""


def _bytes(count: int | None) -> str:
    return "an unknown distance" if count is None else f"{abs(count)} bytes"


def _help(access: Access, facts: Facts) -> str:
    found = access.geometry
    if _is_used_later(access) and (access.efficiency or 1.0) < _SERIOUS:
        return (
            "the tile has these neighbours: let lanes walk along them; another storage order moves no fewer "
            "bytes, so time it before"
        )
    if access.is_gather:
        return _help_of_indices(access, facts)
    if found is None or found.contiguous_dim is None:
        return _help_of_strides(access, facts)
    if found.lane_dim == found.contiguous_dim and _narrowed(access):
        return _help_of_width(access)
    if (
        found.lane_dim == found.contiguous_dim
        and abs(found.lane_stride_bytes or 0) <= (access.vector_bits or 0) // 8
    ):
        return _help_of_rows(access, found, facts)
    if _is_chosen_by_the_compiler(facts):
        return "the compiler chose this layout: `gluon-inspect explain` tries what a Triton kernel can change"
    if found.lane_dim != found.contiguous_dim:
        return f"let threads_per_warp and order walk dim {found.contiguous_dim} first"
    width = 128 // (access.element_bits or 32)
    return f"at most {max(width, 1)} contiguous elements a thread, more lanes along dim {found.contiguous_dim}"


def _help_of_indices(access: Access, facts: Facts) -> str:
    """Sorted indices bring lanes together only where neighbouring indices share a sector."""
    apart = index_bytes(facts, access)
    if apart is not None and apart >= facts.target.sector_bytes:
        return (
            f"no order of the indices helps, since each is {apart:,} bytes from the next: let a tile take more of "
            "what lies contiguous behind an index"
        )
    return "sort or group the indices, so that neighbouring lanes want neighbouring elements"


def _help_of_rows(access: Access, found: AccessGeometry, facts: Facts) -> str:
    """Rows that begin anywhere are padded; rows of a tile that end within a sector are made longer."""
    size, sector = (access.element_bits or 8) // 8, facts.target.sector_bytes
    length = access.shape[found.contiguous_dim] * size if found.contiguous_dim is not None else sector
    if length < sector:
        return f"the tile has {length} bytes of the contiguous dimension: let it take {sector} or more"
    if not found.misalignment_bytes and not _begins_anywhere(found, facts.target):
        if _is_chosen_by_the_compiler(facts):
            return "the compiler chose this layout: `gluon-inspect explain` tries what a Triton kernel can change"
        return f"convert to a layout with more lanes along dim {found.contiguous_dim} before it is moved"
    return f"pad rows, and let programs start, at multiples of {sector} bytes"


def _is_chosen_by_the_compiler(facts: Facts) -> bool:
    """Whether the kernel is plain Triton: Gluon's layouts are the author's."""
    return "ttir" in facts.kernel.stages


def _help_of_strides(access: Access, facts: Facts) -> str:
    """Where no dimension of the tile is contiguous: lanes side by side, if neighbours share sectors at all."""
    found = access.geometry
    strides = [abs(stride) for stride in (found.dim_strides_bytes if found else ()) if stride]
    nearest = min(strides, default=None)
    if nearest is None or nearest >= facts.target.sector_bytes:
        return "let the tile have the tensor's contiguous dimension, and read along it"
    if _is_chosen_by_the_compiler(facts):
        return f"make the tensor contiguous where it comes from: its neighbours are {nearest} bytes apart"
    return f"one element a thread and lanes side by side: neighbours are {nearest} bytes apart and share sectors"


def _help_of_width(access: Access) -> str:
    if "mask" in _narrowed(access) and not access.weak_mask_arguments:
        return "let the mask end at multiples of 4 elements, or give each lane one element"
    if "mask" in _narrowed(access):
        return "pad the length to a multiple of 16, or mask the last block only, so that wide accesses are safe"
    return "make strides and offsets multiples of 16 bytes, so that wide accesses are safe"


def _evidence(access: Access, efficiency: float) -> dict[str, Evidence]:
    found = access.geometry or AccessGeometry()
    made_up: dict[str, Evidence] = {"made_up": access.made_up_strides} if access.made_up_strides else {}
    return made_up | {
        "requests": access.requests,
        "sectors": access.sectors,
        "sectors_ideal": access.sectors_ideal,
        "lines": access.lines,
        "efficiency": round(efficiency, 4),
        "vector_bits": access.vector_bits,
        "lane_dim": found.lane_dim,
        "contiguous_dim": found.contiguous_dim,
        "lane_stride_bytes": found.lane_stride_bytes,
        "layout": access.layout,
    }
