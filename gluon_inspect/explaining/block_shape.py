"""Where no layout of the tile helps: another block shape, or none at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod

from gluon_inspect import targets
from gluon_inspect.errors import InspectError
from gluon_inspect.explaining.coalesce import blocked
from gluon_inspect.facts.kernel import KernelFacts
from gluon_inspect.ir.graph import Graph
from gluon_inspect.ir.operations import arith, row_of, tt
from gluon_inspect.layouts.gluon_syntax import read_layout, write_layout
from gluon_inspect.model.access import Access
from gluon_inspect.model.explanation import Proposal
from gluon_inspect.model.finding import Finding
from gluon_inspect.model.mlir import Value
from gluon_inspect.model.report import KernelReport
from gluon_inspect.model.target import Target

_UNCOALESCED = "GI101"


def block_shapes(report: KernelReport, findings: Sequence[Finding]) -> Iterator[Proposal]:
    """What to say of uncoalesced accesses for which the search found no better layout of the same tile."""
    subjects = {finding.subject for finding in findings if finding.rule == _UNCOALESCED}
    shapes: dict[tuple[int, ...], Access] = {}
    for access in report.accesses:
        if access.id in subjects and len(access.shape) > 1 and not _is_narrowed(access):
            shapes.setdefault(access.shape, access)
    for shape, access in shapes.items():
        if _leaves_too_few(report, shape, access):
            continue
        proposal = _turned(report, shape, access) or _proposal(shape, access, _target(report).sector_bytes)
        if proposal is not None:
            yield proposal


def _leaves_too_few(report: KernelReport, shape: tuple[int, ...], access: Access) -> bool:
    """Whether a sector's elements along the contiguous dimension leave fewer programs than the card has SMs.

    So where the tile's other dimension is walked by a loop: the finding itself says what that costs then.
    """
    along, axes, target = _nearest(access), _axes(report, shape), _target(report)
    total = report.programs.total
    if along is None or total is None or along not in axes or len(axes) > 1:
        return False
    elements = target.sector_bytes * 8 // (access.element_bits or 32)
    return total * shape[along] // elements < target.sms


def _turned(report: KernelReport, shape: tuple[int, ...], access: Access) -> Proposal | None:
    """The whole tile along the dimension that is contiguous in memory, where block constants are known by value.

    None where the strides or the constants are not known, or the tile lies that way already.
    """
    along = _nearest(access)
    names = _constants(report, shape)
    sector_bytes = _target(report).sector_bytes
    if along is None or names is None or shape[along] * (access.element_bits or 32) // 8 >= sector_bytes:
        return None
    axes = _axes(report, shape)
    lengths = _lengths(report, shape, along, axes)
    if lengths == shape:
        return None
    changed = {name: str(lengths[dim]) for dim, name in names.items() if lengths[dim] != shape[dim]}
    changed |= _layouts_for(report, access, lengths, along)
    tile = "x".join(map(str, lengths))
    return Proposal(
        f"a {tile} tile in place of {'x'.join(map(str, shape))}: no layout of that one is coalesced",
        tuple(f"{name} = {value}" for name, value in changed.items()),
        substitutions=changed,
        where=f"where {report.name} is launched, and in its grid",
        note=f"memory is contiguous along dim {along}, where the tile has {shape[along]} elements"
        + _refused(report, shape, lengths, along, axes),
        changes_grid=True,
    )


_MOST_PROGRAMS = ((1 << 31) - 1, (1 << 16) - 1, (1 << 16) - 1)
"""Of a grid's x, y and z (CUDA C++ Programming Guide, technical specifications; HIP allows no fewer)."""


def _axes(report: KernelReport, shape: tuple[int, ...]) -> Mapping[int, int]:
    """The axis of the grid that each dimension of the tile is shared out along, as the IR computes its offsets.

    A program id that is multiplied by a block's length belongs to the dimension of that length; one that is not
    multiplied belongs to the one dimension of length 1.
    """
    graph = KernelFacts(report.kernel, _target(report)).graph
    found: dict[int, int] = {}
    for op in graph.operations if graph is not None else ():
        axis = _AXES.get(str(op.attributes.get("axis")).rpartition(" ")[2])
        if graph is None or row_of(op) is not tt.GET_PROGRAM_ID or axis is None:
            continue
        products = [user for user in graph.users.get(op.results[0].index, ()) if row_of(user) is arith.MULI]
        factors = {_number(value, graph) for user in products for value in user.operands} or {1}
        fitting = [dim for dim, length in enumerate(shape) if length in factors]
        if len(fitting) == 1:
            found[fitting[0]] = axis
    return found


_AXES = {"x": 0, "y": 1, "z": 2, "0": 0, "1": 1, "2": 2}


def _number(value: Value, graph: Graph) -> int | None:
    maker = graph.maker(value)
    known = None if maker is None else maker.attributes.get("value")
    return known if isinstance(known, int) else None


def _extent(report: KernelReport, shape: tuple[int, ...], dim: int, axes: Mapping[int, int]) -> int | None:
    """Elements that all programs have along a dimension; None where its axis is not known."""
    grid = report.launch.grid
    return None if grid is None or dim not in axes else grid[axes[dim]] * shape[dim]


def _lengths(report: KernelReport, shape: tuple[int, ...], along: int, axes: Mapping[int, int]) -> tuple[int, ...]:
    """As many elements as now, along the contiguous dimension as far as the tensor goes, the rest along another.

    Lengthened along what would take more programs than a grid may have.
    """
    extent = _extent(report, shape, along, axes)
    longest = prod(shape) if extent is None else min(prod(shape), 1 << max(0, extent - 1).bit_length())
    others = [dim for dim in range(len(shape)) if dim != along]
    if along in axes and len(axes) == 1 and report.programs.total:
        # the loop makes more trips instead: as many programs as SMs are to stay
        enough = max(1, report.programs.total * shape[along] // _target(report).sms)
        longest = min(longest, 1 << (enough.bit_length() - 1))
    rest = max(others, key=lambda dim: shape[dim])
    lengths = [1] * len(shape)
    lengths[along], lengths[rest] = longest, max(1, prod(shape) // longest)
    while (left := _programs(report, shape, lengths, rest, axes)) is not None and left > _MOST_PROGRAMS[
        axes[rest]
    ]:
        lengths[rest] *= 2
    return tuple(lengths)


def _programs(
    report: KernelReport, shape: tuple[int, ...], lengths: Sequence[int], dim: int, axes: Mapping[int, int]
) -> int | None:
    extent = _extent(report, shape, dim, axes)
    return None if extent is None else -(-extent // lengths[dim])


def _refused(
    report: KernelReport, shape: tuple[int, ...], lengths: tuple[int, ...], along: int, axes: Mapping[int, int]
) -> str:
    """What the grid's limit kept from being proposed."""
    plain = list(lengths)
    rest = max((dim for dim in range(len(shape)) if dim != along), key=lambda dim: shape[dim])
    plain[rest] = max(1, prod(shape) // lengths[along])
    if tuple(plain) == lengths:
        return ""
    programs = _programs(report, shape, plain, rest, axes) or 0
    return (
        f"; {'x'.join(map(str, plain))} would need {programs:,} programs along the grid's {'xyz'[axes[rest]]}, "
        f"which ends at {_MOST_PROGRAMS[axes[rest]]:,}, unless the axes change places"
    )


def _target(report: KernelReport) -> Target:
    return targets.find(report.kernel.target)


def _nearest(access: Access) -> int | None:
    """The dimension whose neighbours are neighbours in memory, that the tile may be too short to show.

    A dimension of one element has no stride of its own: it is taken where it is the only one and no other fits.
    """
    if access.geometry is None or access.element_bits is None:
        return None
    if access.geometry.contiguous_dim is not None:
        return access.geometry.contiguous_dim
    single = [dim for dim, length in enumerate(access.shape) if length == 1]
    return single[0] if len(single) == 1 else None


def _constants(report: KernelReport, shape: tuple[int, ...]) -> dict[int, str] | None:
    """The constexpr of each dimension by its value; None where two could be meant."""
    found: dict[int, str] = {}
    for dim, length in enumerate(shape):
        names = [name for name, text in report.kernel.constexprs.items() if text == str(length)]
        if len(names) != 1 or names[0] in found.values():
            return None
        found[dim] = names[0]
    return found


def _layouts_for(report: KernelReport, access: Access, shape: tuple[int, ...], along: int) -> Mapping[str, str]:
    """Gluon kernels: the layout's constexpr, with lanes and warps along the same dimension."""
    for name, text in report.kernel.constexprs.items():
        try:
            if write_layout(read_layout(text), access.shape) != access.layout:
                continue
        except InspectError:
            continue
        order = (along, *(dim for dim in range(len(shape)) if dim != along))
        target = _target(report)
        most = target.max_vector_bytes * 8 // (access.element_bits or 32)
        wide = max(1, min(most, shape[along] // target.warp_size))
        warps = report.num_warps or 4
        return {name: write_layout(blocked(shape, wide, order, warps, target.warp_size), shape)}
    return {}


def _is_narrowed(access: Access) -> bool:
    """Whether alignment or a mask, not the tile, keeps the access's instructions narrow."""
    limits = {limit.kind: limit.elements for limit in access.vector_limits}
    others = min(limits.get("divisibility", limits.get("layout", 1)), limits.get("mask", limits.get("layout", 1)))
    return others < min(limits.get("layout", 1), limits.get("contiguity", 1))


def _proposal(shape: tuple[int, ...], access: Access, sector_bytes: int) -> Proposal | None:
    """A longer tile; None where the tile is long enough, since then nothing in it is contiguous in memory."""
    tile = "x".join(map(str, shape))
    size = (access.element_bits or 32) // 8
    short = [dim for dim, length in enumerate(shape) if length * size < sector_bytes]
    if not short:
        return None
    needed = sector_bytes // size
    dims = " and ".join(f"dim {dim} ({shape[dim]} -> at least {needed})" for dim in short)
    return Proposal(
        f"no layout of a {tile} tile is better: another block shape",
        (f"# make the tile longer along {dims}, if memory is contiguous there",),
        where=f"change the block constants that make this {tile} tile",
        note=f"a request fills a sector only where {needed} neighbours in memory belong to the same tile",
    )
