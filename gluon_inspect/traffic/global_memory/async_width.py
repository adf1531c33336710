"""How many neighbouring registers of an asynchronous copy land next to each other in shared memory."""

from __future__ import annotations

from gluon_inspect.errors import InspectError
from gluon_inspect.layouts import gf2
from gluon_inspect.layouts.linear import LinearLayout
from gluon_inspect.layouts.lowering import linear_layout
from gluon_inspect.model.encodings import PaddedSharedEncoding
from gluon_inspect.model.types import MemDescType


def shared_vector(registers: LinearLayout, memory: MemDescType) -> int | None:
    """Elements a lane can write at once: its first registers go to offsets 0, 1, 2, …

    and every other register, lane and warp starts at a multiple of that. None where the shared layout is
    not understood. As Triton's lowering of local stores (lib/Conversion/TritonGPUToLLVM/Utility.cpp).
    """
    shape = memory.alloc_shape[-len(memory.shape) :] if memory.alloc_shape else memory.shape
    try:
        shared = linear_layout(memory.encoding, shape) if memory.encoding is not None else None
    except InspectError:
        return None
    if shared is None or shared.elements != registers.elements:
        return None
    return _run(registers, shared, memory)


def _run(registers: LinearLayout, shared: LinearLayout, memory: MemDescType) -> int:
    columns = shared.flat_bases("offset")

    def offset(index: int) -> int:
        found = gf2.solve(columns, index)
        return found if found is not None else 1

    own = [offset(basis) for basis in registers.flat_bases("register") if basis]
    others = [offset(b) for name in ("lane", "warp") for b in registers.flat_bases(name) if b]
    run = 1
    while len(own) >= run.bit_length() and own[run.bit_length() - 1] == run:
        run *= 2
    while run > 1 and any(o % run for o in (*own[run.bit_length() - 1 :], *others)):
        run //= 2
    if isinstance(memory.encoding, PaddedSharedEncoding):
        run = min(run, *(interval for interval, _ in memory.encoding.intervals_pads))
    return run
