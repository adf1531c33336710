"""The layouts that Triton's compiler picks for the accesses of a plain kernel, without running it.

As its Coalesce pass does (triton-lang/triton, lib/Dialect/TritonGPU/Transforms/CoalesceUtils.cpp, and the builder
of BlockedEncodingAttr): as many elements a thread as may be moved by one instruction, lanes along the fastest
dimension first, then warps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from gluon_inspect.explaining.group import groups
from gluon_inspect.model.encodings import BlockedEncoding, Encoding
from gluon_inspect.model.target import Target
from gluon_inspect.traffic.global_memory.access import GlobalAccess
from gluon_inspect.traffic.launch import Evaluated


def coalesced_layouts(evaluated: Evaluated, target: Target, warps: int) -> Mapping[Encoding, Encoding]:
    """The blocked encodings of a kernel's accesses and what they would be with these warps and addresses."""
    return {
        group.encoding: blocked(
            group.shape,
            _per_thread(group.accesses, group.encoding.order[0], warps * target.warp_size),
            group.encoding.order,
            warps,
            target.warp_size,
        )
        for group in groups(evaluated.accesses.values())
        if isinstance(group.encoding, BlockedEncoding)
    }


def _per_thread(accesses: Sequence[GlobalAccess], dim: int, threads: int) -> int:
    """Elements along the fastest dimension: the widest access's, but no more than every thread has."""
    widest = max(_vector(access, dim) for access in accesses)
    tensor = accesses[0].tensor
    return max(1, min(widest, prod(tensor.shape) // threads if tensor is not None else 1))


def _vector(access: GlobalAccess, dim: int) -> int:
    known, size = access.context.axis[access.address], access.tally.element_bytes
    aligned = known.divisibility[dim] if access.row.offsets else max(known.divisibility[dim] // size, 1)
    return max(1, min(aligned, known.contiguity[dim], access.context.target.max_vector_bytes // size))


def blocked(
    shape: Sequence[int], per_thread: int, order: tuple[int, ...], warps: int, lanes: int
) -> BlockedEncoding:
    """A blocked layout with `per_thread` elements along the fastest dimension that covers the shape in order."""
    size, threads, spread = [1] * len(shape), [1] * len(shape), [1] * len(shape)
    size[order[0]] = per_thread
    for dim in order[:-1]:
        threads[dim] = max(1, min(lanes, shape[dim] // size[dim]))
        spread[dim] = max(1, min(warps, shape[dim] // (size[dim] * threads[dim])))
        lanes, warps = lanes // threads[dim], warps // spread[dim]
    threads[order[-1]], spread[order[-1]] = lanes, warps
    return BlockedEncoding(tuple(size), tuple(threads), tuple(spread), order)
