"""A memory descriptor's layout: where each element of the buffer sits, and the padding between them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gluon_inspect.errors import LayoutError
from gluon_inspect.layouts.flat import FlatLayout, flat, flat_bases
from gluon_inspect.layouts.linear import LinearLayout
from gluon_inspect.layouts.lowering import program_layout
from gluon_inspect.model.encodings import Encoding, NvmmaSharedEncoding, PaddedSharedEncoding
from gluon_inspect.model.types import MemDescType, TensorType, element_bits
from gluon_inspect.model.versions import NEWEST, Version
from gluon_inspect.traffic.shared.transfer import Padding

_TRANSPOSED_PLAIN_NVMMA: Version = (3, 7)
"""Before it, nvmma_shared without swizzle ignored `transposed`."""


@dataclass(frozen=True, slots=True)
class MemoryLayout:
    """The bases of a buffer's offsets, flattened over its allocation's shape; `bits` of one element."""

    columns: tuple[int, ...]
    shape: tuple[int, ...]
    padding: Padding
    bits: int


def memory_layout(of: MemDescType, version: Version = NEWEST) -> MemoryLayout:
    """The layout of a shared buffer. Raises LayoutError where its encoding is not understood."""
    bits = element_bits(of.element)
    if of.encoding is None or bits is None:
        raise LayoutError("a memory descriptor without a layout that is understood")
    shape = of.alloc_shape[-len(of.shape) :] if of.alloc_shape else of.shape
    layout = program_layout(as_compiled(of.encoding, version), shape)
    padding = Padding(of.encoding.intervals_pads) if isinstance(of.encoding, PaddedSharedEncoding) else Padding()
    return MemoryLayout(flat_bases(layout, "offset", shape), shape, padding, max(bits, 8))


def as_compiled(encoding: Encoding, version: Version) -> Encoding:
    """The encoding as that version of Triton reads it."""
    if isinstance(encoding, NvmmaSharedEncoding) and version < _TRANSPOSED_PLAIN_NVMMA:
        ignored = encoding.transposed and encoding.swizzle_bytes == 0
        return replace(encoding, transposed=False) if ignored else encoding
    return encoding


def register_layout(of: TensorType) -> LinearLayout:
    """A distributed tensor's layout. Raises LayoutError where its encoding is not understood."""
    if of.encoding is None:
        raise LayoutError("a tensor without a layout")
    return program_layout(of.encoding, of.shape)


def offsets_of(tensor: TensorType, memory: MemoryLayout) -> FlatLayout:
    """The map from a tensor's registers, lanes and warps to offsets in elements, within one CTA."""
    return placed(register_layout(tensor), memory)


def placed(layout: LinearLayout, memory: MemoryLayout) -> FlatLayout:
    """The same for a layout of the buffer's elements."""
    return replace(flat(layout, memory.shape), block=()).through(memory.columns)


def tensor_bits(of: TensorType) -> int:
    """Bits that one element takes in shared memory: 1-bit ones take a byte, pointers eight."""
    bits = element_bits(of.element)
    if bits is None:
        raise LayoutError("the element's size is not known")
    return max(bits, 8)
