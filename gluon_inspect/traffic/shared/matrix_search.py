"""The shared layout that lets an operand of a matrix unit go by ldmatrix."""

from __future__ import annotations

from gluon_inspect.model.encodings import Encoding, SwizzledSharedEncoding
from gluon_inspect.model.types import MemDescType, element_bits
from gluon_inspect.model.versions import NEWEST, Version
from gluon_inspect.traffic.shared.memory_layout import memory_layout, offsets_of
from gluon_inspect.traffic.shared.search import Use, candidates
from gluon_inspect.traffic.shared.transfer import choose_transfer

_ROW_BITS = 128


def matrix_layout(buffer: MemDescType, use: Use, version: Version = NEWEST) -> Encoding | None:
    """A swizzle under which a use goes by ldmatrix or stmatrix; None if none does."""
    bits = element_bits(buffer.element) or 32
    for encoding in candidates(use.tensor.shape, bits):
        if not isinstance(encoding, SwizzledSharedEncoding) or encoding.vec * bits != _ROW_BITS:
            continue
        memory = memory_layout(MemDescType(use.tensor.shape, buffer.element, encoding, "shared"), version)
        transfer = choose_transfer(offsets_of(use.tensor, memory), memory.bits, use.store, True)
        if transfer.matrices and transfer.cost().total == transfer.cost().total_ideal:
            return encoding
    return None
