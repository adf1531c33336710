"""What to do about a finding, from what else the report knows: the advice that a rule alone cannot give."""

from __future__ import annotations

from collections.abc import Iterator

from gluon_inspect import targets
from gluon_inspect.explaining.arguments import unknown_multiples
from gluon_inspect.model.access import Access, Direction, Space
from gluon_inspect.model.finding import Finding
from gluon_inspect.model.report import KernelReport
from gluon_inspect.wording.numbers import plural, size

_ASYNC_BITS = 32
"""What cp.async moves at least."""
RESOURCES = {"shared": "shared memory", "warps": "warp slots", "blocks": "CTA slots"}
"""What limits occupancy, where its name in the data is not a word for it."""
_REPLICATED, _CONFLICT, _OCCUPANCY = "GI301", "GI201", "GI303"
_GLOBAL = ("GI101", "GI102")


def advice(report: KernelReport, finding: Finding, access: Access | None) -> Iterator[str]:
    """Sentences that tell what to do: about the arguments, the mask, the loop or another access first."""
    specific: list[str] = []
    if access is not None and finding.rule in _GLOBAL:
        specific.extend(_narrowed(report, access))
    if access is not None and finding.rule == _CONFLICT:
        specific.extend(_symptom(report, access))
    if finding.rule == _REPLICATED:
        specific.extend(_repeated(finding))
    if finding.rule == _OCCUPANCY:
        specific.extend(scratch(report))
    yield from specific
    # explain does not send its reader to explain
    if finding.help and "gluon-inspect explain" not in finding.help and not (specific and finding.rule in _GLOBAL):
        yield sentence(finding.help)


def sentence(text: str) -> str:
    """A help text as a sentence; code at its start keeps its case."""
    starts_with_a_word = text.partition(" ")[0].strip(",.;:").isalpha()
    return f"{text[:1].upper()}{text[1:]}." if starts_with_a_word else f"{text}."


def _narrowed(report: KernelReport, access: Access) -> Iterator[str]:
    limits = {limit.kind: limit.elements for limit in access.vector_limits}
    possible = min((limits[kind] for kind in ("layout", "hardware", "contiguity") if kind in limits), default=1)
    if limits.get("mask", possible) < possible:
        yield from _masked(report, access)
    elif limits.get("divisibility", possible) < possible:
        yield from unknown_multiples(report, access.weak_arguments)
    else:
        yield from _apart(report, access)
    if _loses_pipeline(report, access):
        yield (
            f"At {(access.vector_bits or 0) // 8} bytes a lane cp.async cannot be used (it takes 4, 8 or 16), so "
            "this load is not pipelined: each iteration of the loop waits for it, whatever num_stages says."
        )


def _apart(report: KernelReport, access: Access) -> Iterator[str]:
    """Of a tensor without a contiguous dimension, such as a view of every second element."""
    found, size_bytes = access.geometry, (access.element_bits or 0) // 8
    nearest = min((abs(step) for step in found.dim_strides_bytes if step), default=0) if found else 0
    shares_sectors = size_bytes < nearest < targets.find(report.kernel.target).sector_bytes
    if not found or found.contiguous_dim is not None or not size_bytes or not shares_sectors:
        return
    plain = "ttir" in report.kernel.stages
    layout = "" if plain else "give neighbouring lanes neighbouring elements, one a thread, to share sectors, or "
    yield (
        f"Even the nearest neighbours of the tile are {nearest} bytes apart, so no layout uses more than "
        f"{size_bytes / nearest:.0%} of a sector: {layout}have the tensor made contiguous where it comes from."
    )


def _masked(report: KernelReport, access: Access) -> Iterator[str]:
    found = list(unknown_multiples(report, access.weak_mask_arguments))
    yield from found
    start = "Otherwise give" if found else "Give"
    yield (
        "The mask may end at any element, so each is moved by an instruction of its own. "
        f"{start} the layout one element a thread along this dimension, which keeps requests whole at any length, "
        "or mask only the last block."
    )


def _loses_pipeline(report: KernelReport, access: Access) -> bool:
    """Whether a Triton loop would have loaded this asynchronously; Gluon writes its copies itself."""
    programs = report.programs.total
    in_loop = programs is not None and access.executions is not None and access.executions > programs
    return (
        "ttir" in report.kernel.stages
        and report.kernel.target.startswith("cuda:")
        and access.direction is Direction.LOAD
        and bool(access.shape)
        and in_loop
        and (access.vector_bits or _ASYNC_BITS) < _ASYNC_BITS
    )


def _symptom(report: KernelReport, access: Access) -> Iterator[str]:
    """Conflicts of a store whose values come from a load that goes element by element: the load is the cause."""
    if access.direction is not Direction.STORE:
        return
    for load in report.accesses:
        is_source = load.space is Space.GLOBAL and load.direction is Direction.LOAD
        same = load.layout == access.layout and load.shape == access.shape
        narrow = (load.vector_bits or _ASYNC_BITS) < _ASYNC_BITS or _against_memory(load)
        if is_source and same and narrow and load.location is not None:
            yield (
                f"A symptom: the load that fills this buffer (line {load.location.line}) moves "
                f"{(load.vector_bits or 0) // 8} bytes a lane, since its layout does not follow memory. Fix the "
                "order of that layout first; another swizzle would hide the conflicts and keep the slow load."
            )
            return


def _against_memory(access: Access) -> bool:
    found = access.geometry
    return (
        found is not None
        and None not in (found.lane_dim, found.contiguous_dim)
        and (found.lane_dim != found.contiguous_dim)
    )


def _repeated(finding: Finding) -> Iterator[str]:
    held, unique = finding.evidence.get("registers_per_program"), finding.evidence.get("unique_elements")
    lanes = finding.evidence.get("lane_copies")
    if isinstance(held, int) and isinstance(unique, int) and isinstance(lanes, int) and lanes > 1:
        yield (
            f"Copies are computed too: each operation on this tensor is executed for {held:,} values a program "
            f"instead of {unique:,}. Zero lane bases make them, here {lanes} lanes for each element."
        )


def scratch(report: KernelReport) -> Iterator[str]:
    """The conversion that takes most of the shared memory that limits occupancy, if one does."""
    found = report.occupancy
    if found is None or "shared" not in found.limited_by or not report.shared_bytes:
        return
    largest = max(report.conversions, key=lambda each: each.scratch_bytes or 0, default=None)
    if largest is None or (largest.scratch_bytes or 0) * 2 < report.shared_bytes or largest.location is None:
        return
    other = {name: limit for name, limit in found.limits.items() if name != "shared"}
    following = min(other, key=lambda name: other[name], default=None)
    room = "" if following is None else f"; {RESOURCES.get(following, following)} would allow {other[following]}"
    way = "give both ends one layout" if largest.pays is False else "convert a smaller tile"
    line, ctas = largest.location.chain[-1].line, plural(found.ctas_per_sm, "CTA")
    yield (
        f"The conversion at line {line} takes {size(largest.scratch_bytes)} of the {size(report.shared_bytes)} of "
        f"shared memory that let {ctas} on an SM{room}: {way}."
    )
