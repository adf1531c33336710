"""Configurations for a kernel that has none: other blocked layouts for a constexpr that is one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from math import prod

from gluon_inspect import targets
from gluon_inspect.errors import InspectError
from gluon_inspect.explaining.candidates import candidates
from gluon_inspect.layouts.gluon_syntax import write_layout
from gluon_inspect.layouts.lookup import encoding_of
from gluon_inspect.model.encodings import BlockedEncoding
from gluon_inspect.model.report import KernelReport, RegisterTensor

_MOST = 48
"""Layouts that are compiled: half for each order of a matrix."""
_BYTE = 8


def family(kernels: Sequence[KernelReport]) -> tuple[Mapping[str, str], ...]:
    """Layouts that hold each element of the tile once, for the first kernel with a layout among its constexprs.

    `kernels`: as they were launched, with their tensors. Empty where none has such a constexpr.
    """
    for kernel in kernels:
        for name, text in kernel.kernel.constexprs.items():
            encoding = _blocked(text)
            tensor = encoding and _widest(kernel, encoding)
            if encoding and tensor:
                return tuple({name: write_layout(each)} for each in _layouts(kernel, encoding, tensor))
    return ()


def _blocked(text: str) -> BlockedEncoding | None:
    try:
        found = encoding_of(text)
    except InspectError:
        return None
    return found if isinstance(found, BlockedEncoding) else None


def _widest(kernel: KernelReport, encoding: BlockedEncoding) -> RegisterTensor | None:
    own = [tensor for tensor in kernel.registers.tensors if tensor.is_data and _blocked(tensor.layout) == encoding]
    return max(own, key=lambda tensor: (prod(tensor.shape), tensor.element_bits), default=None)


def _layouts(kernel: KernelReport, encoding: BlockedEncoding, tensor: RegisterTensor) -> Iterator[BlockedEncoding]:
    shape, lanes = tensor.shape, targets.find(kernel.kernel.target).warp_size
    strides = [1] * len(shape)
    for faster, slower in zip(encoding.order, encoding.order[1:], strict=False):
        strides[slower] = strides[faster] * shape[faster]
    found = [
        each
        for each in candidates(shape, max(1, tensor.element_bits // _BYTE), strides, kernel.num_warps or 4, lanes)
        if _fits(each, shape)
    ]
    orders = dict.fromkeys(each.order for each in found)
    for order in orders:
        yield from islice((each for each in found if each.order == order), _MOST // len(orders))


def _fits(layout: BlockedEncoding, shape: Sequence[int]) -> bool:
    """Whether no thread holds what another holds."""
    sides = zip(layout.size_per_thread, layout.threads_per_warp, layout.warps_per_cta, shape, strict=True)
    return all(own * threads * warps <= extent for own, threads, warps, extent in sides)
