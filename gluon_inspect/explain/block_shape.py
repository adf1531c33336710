"""Where no layout of the tile helps: another block shape, or none at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gluon_inspect.model.access import Access
from gluon_inspect.model.explanation import Proposal
from gluon_inspect.model.finding import Finding
from gluon_inspect.model.report import KernelReport

_SECTOR_BYTES = 32
_UNCOALESCED = "GI101"


def block_shapes(report: KernelReport, findings: Sequence[Finding]) -> Iterator[Proposal]:
    """What to say of uncoalesced accesses for which the search found no better layout of the same tile."""
    subjects = {finding.subject for finding in findings if finding.rule == _UNCOALESCED}
    shapes: dict[tuple[int, ...], Access] = {}
    for access in report.accesses:
        if access.id in subjects and len(access.shape) > 1:
            shapes.setdefault(access.shape, access)
    for shape, access in shapes.items():
        yield _proposal(shape, access)


def _proposal(shape: tuple[int, ...], access: Access) -> Proposal:
    tile = "x".join(map(str, shape))
    size = (access.element_bits or 32) // 8
    short = [dim for dim, length in enumerate(shape) if length * size < _SECTOR_BYTES]
    where = f"the block constants that make this {tile} tile"
    if not short:
        note = "the addresses of the tile have no dimension that is contiguous in memory"
        return Proposal(f"no layout of a {tile} tile is better", (), where=where, note=note)
    needed = _SECTOR_BYTES // size
    dims = " and ".join(f"dim {dim} ({shape[dim]} -> at least {needed})" for dim in short)
    return Proposal(
        f"no layout of a {tile} tile is better: another block shape",
        (f"# make the tile longer along {dims}, if memory is contiguous there",),
        where=where,
        note=f"a request fills a sector only where {needed} neighbours in memory belong to the same tile",
    )
