"""How the first warp meets memory: what the explanation of an access is made from."""

from __future__ import annotations

import numpy as np

from gluon_inspect.layouts.linear import LinearLayout
from gluon_inspect.model.access import AccessGeometry
from gluon_inspect.traffic.global_memory.access import GlobalAccess
from gluon_inspect.traffic.global_memory.tally import Sample


def geometry(access: GlobalAccess) -> AccessGeometry | None:
    """Geometry of an access that was evaluated; None for scalars and unknown addresses."""
    layout, sample = access.layout, access.tally.sample
    if layout is None or sample is None or sample.row.ndim != len(layout.shape):
        return None
    first = lane_basis(layout)
    return AccessGeometry(
        lane_dim=_dim_of(first),
        contiguous_dim=contiguous_dim(sample, access.tally.element_bytes),
        lane_stride_bytes=_lane_stride(layout, sample),
        misalignment_bytes=_misalignment(sample, access.context.target.sector_bytes),
        lane_copies=layout.copies("lane"),
        dim_strides_bytes=dim_strides(sample),
    )


def lane_basis(layout: LinearLayout) -> tuple[int, ...] | None:
    """The first lane basis that moves: where a lane's neighbour sits."""
    return next((basis for basis in layout.bases.get("lane", ()) if any(basis)), None)


def _dim_of(basis: tuple[int, ...] | None) -> int | None:
    moved = [dim for dim, step in enumerate(basis or ()) if step]
    return moved[0] if len(moved) == 1 else None


def dim_strides(sample: Sample) -> tuple[int | None, ...]:
    """Bytes between neighbours along each dimension; None where they differ or there are none."""
    strides: list[int | None] = []
    for dim in range(sample.row.ndim):
        steps = np.diff(sample.row, axis=dim)
        uniform = steps.size and (steps == steps.flat[0]).all()
        strides.append(int(steps.flat[0]) if uniform else None)
    return tuple(strides)


def contiguous_dim(sample: Sample, element_bytes: int) -> int | None:
    """The dimension along which neighbours are neighbours in memory; None: no dimension is."""
    for dim, stride in enumerate(dim_strides(sample)):
        if stride is not None and abs(stride) == element_bytes:
            return dim
    return None


def _lane_stride(layout: LinearLayout, sample: Sample) -> int | None:
    basis = lane_basis(layout)
    if basis is None:
        return None
    return int(sample.row[basis] - sample.row[(0,) * sample.row.ndim])


def _misalignment(sample: Sample, sector_bytes: int) -> int:
    return int(sample.base + sample.row.flat[0]) % sector_bytes
