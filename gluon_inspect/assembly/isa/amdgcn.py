"""AMDGCN from GFX9 to GFX12.5: mnemonics carry space, direction and width.

Sources: AMD's ISA documents (MI200, MI300, CDNA 4, RDNA 3, RDNA 4), chapters on scalar, vector, flat and LDS
memory; LLVM's "Syntax of AMDGPU instructions" for the renamed forms of GFX11 and later.
"""

from __future__ import annotations

import re
from functools import lru_cache

from gluon_inspect.assembly.isa.kind import MEMORY_KINDS, InstructionKind
from gluon_inspect.model.access import Direction, Space
from gluon_inspect.model.asm import Instruction, MemoryInstruction

_MEMORY = re.compile(
    r"(?P<space>global|flat|buffer|scratch|s_buffer|s|ds|tensor|cluster)_"
    r"(?P<verb>(?:load|store)_2addr(?:_stride64)?|load|store|(?:read|write)2st64|(?:read|write)2|read|write|atomic)"
    r"(?P<rest>_.*)?"
)
_SPACES = {
    "global": Space.GLOBAL,
    "flat": Space.GLOBAL,
    "buffer": Space.GLOBAL,
    "scratch": Space.GLOBAL,
    "s": Space.SCALAR,
    "s_buffer": Space.SCALAR,
    "ds": Space.SHARED,
    "tensor": Space.GLOBAL,
    "cluster": Space.GLOBAL,
}
_WIDTHS = (
    (re.compile(r"(?:^|_)(?:dwordx16|b512)(?:_|$)"), 512),
    (re.compile(r"(?:^|_)(?:dwordx8|b256)(?:_|$)"), 256),
    (re.compile(r"(?:^|_)(?:dwordx4|b128)(?:_|$)"), 128),
    (re.compile(r"(?:^|_)(?:dwordx3|b96)(?:_|$)"), 96),
    (re.compile(r"(?:^|_)(?:dwordx2|[bufi]64|x2)(?:_|$)"), 64),
    (re.compile(r"(?:^|_)(?:dword|[bufi]32|pk_\w+)(?:_|$)"), 32),
    (re.compile(r"(?:^|_)(?:[us]?byte|[bui]8)(?:_|$)"), 8),
    (re.compile(r"(?:^|_)(?:[us]?short|[bui]16)(?:_|$)"), 16),
)
_ATOMIC_BITS = 32
"""GFX9 names 32-bit atomics without a width (global_atomic_cmpswap); 64-bit ones end in _x2."""
_LDS_ATOMIC = re.compile(
    r"ds_(?:add|sub|rsub|inc|dec|min|max|and|or|xor|mskor|wrxchg|cmpst|cmpstore|pk_add|condxchg|storexchg|atomic)\w*"
)
_MATRIX = re.compile(r"v_(?:mfma|smfmac|wmma|swmmac)_")
_SHUFFLE = re.compile(
    r"(?:ds_(?:b?permute|swizzle|bpermute_fi)|v_(?:permlane|readlane|writelane|readfirstlane|mov_b32_dpp|accvgpr))"
)
_BARRIER = re.compile(
    r"s_(?:waitcnt|wait_|barrier|delay_alu|nop|sleep|setprio|set_vgpr_msb|sched|monitor)|buffer_(?:wb|inv|gl)|global_(?:wb|inv)"
)
_CONTROL = re.compile(r"s_(?:branch|cbranch|endpgm|setpc|swappc|call|trap|code_end|getpc)")
_CONVERSION = re.compile(r"v_(?:cvt|pk_cvt)")
_KNOWN = re.compile(r"(?:[sv]_|ds_|global_|flat_|buffer_|scratch_|tensor_|cluster_)[a-z0-9_]+")
_ENCODING = re.compile(r"_(?:e32|e64|dpp|sdwa|e64_dpp|dpp8)$")


def classify(instruction: Instruction) -> MemoryInstruction | None:
    """Space, direction and bits a lane; `… lds` and `…_to_lds` loads copy to shared memory."""
    found = _classified(instruction.opcode)
    if found is None or found.direction is not Direction.LOAD or found.space is not Space.GLOBAL:
        return found
    if "lds" in instruction.text.split()[1:]:
        return MemoryInstruction(found.space, Direction.COPY, found.bits, Space.SHARED)
    return found


def kind_of(instruction: Instruction) -> InstructionKind:
    """The kind by mnemonic; OPAQUE where it has no known prefix."""
    memory = classify(instruction)
    if memory is not None:
        return InstructionKind.LOCAL if memory.local else MEMORY_KINDS[memory.space]
    return _kind(instruction.opcode)


def counted_name(instruction: Instruction) -> str:
    """The mnemonic without encoding suffix; loads that go to LDS end in " lds", waits carry no counters."""
    opcode = _ENCODING.sub("", instruction.opcode)
    memory = classify(instruction)
    goes_to_lds = memory is not None and memory.destination is Space.SHARED and "lds" not in opcode
    return f"{opcode} lds" if goes_to_lds else opcode


@lru_cache(maxsize=4096)
def _classified(opcode: str) -> MemoryInstruction | None:
    if _SHUFFLE.match(opcode) or _BARRIER.match(opcode):
        return None
    match = _MEMORY.fullmatch(opcode)
    if match is None or "prefetch" in opcode:
        return _lds_atomic(opcode)
    space, verb, rest = match["space"], match["verb"], match["rest"] or ""
    if verb == "atomic":
        return MemoryInstruction(_SPACES[space], Direction.ATOMIC, _bits(rest) or _ATOMIC_BITS)
    direction = Direction.LOAD if verb.startswith(("load", "read")) else Direction.STORE
    if space == "tensor":
        return _tensor(direction)
    if "_lds" in rest:
        return _through_lds(direction, rest)
    bits = _bits(rest)
    pairs = 2 if "2" in verb else 1
    return MemoryInstruction(_SPACES[space], direction, bits and bits * pairs, local=space == "scratch")


def _tensor(direction: Direction) -> MemoryInstruction:
    """GFX12.5's tensor data mover: a whole tile an instruction."""
    if direction is Direction.LOAD:
        return MemoryInstruction(Space.GLOBAL, Direction.COPY, None, Space.SHARED)
    return MemoryInstruction(Space.GLOBAL, Direction.STORE, None)


def _through_lds(direction: Direction, rest: str) -> MemoryInstruction:
    """global_load_lds_dwordx4, global_load_async_to_lds_b128, global_store_async_from_lds_b128."""
    if direction is Direction.LOAD:
        return MemoryInstruction(Space.GLOBAL, Direction.COPY, _bits(rest), Space.SHARED)
    return MemoryInstruction(Space.GLOBAL, Direction.STORE, _bits(rest))


def _lds_atomic(opcode: str) -> MemoryInstruction | None:
    if not _LDS_ATOMIC.fullmatch(opcode):
        return None
    return MemoryInstruction(Space.SHARED, Direction.ATOMIC, _bits(opcode) or _ATOMIC_BITS)


def _bits(rest: str) -> int | None:
    """Bits a lane, from the first width that the name holds ("b64_tr_b16" moves 64, "tr16_b128" 128)."""
    widths = (
        re.sub(r"_tr\d*_b(\d+)$", r"_b\1", rest) if not re.search(r"_b\d+_tr_", rest) else rest.split("_tr_")[0]
    )
    return next((bits for pattern, bits in _WIDTHS if pattern.search(widths)), None)


@lru_cache(maxsize=4096)
def _kind(opcode: str) -> InstructionKind:
    for kind, pattern in _KINDS:
        if pattern.match(opcode):
            return kind
    return InstructionKind.ARITHMETIC if _KNOWN.fullmatch(opcode) else InstructionKind.OPAQUE


_KINDS = (
    (InstructionKind.MATRIX, _MATRIX),
    (InstructionKind.SHUFFLE, _SHUFFLE),
    (InstructionKind.BARRIER, _BARRIER),
    (InstructionKind.CONTROL, _CONTROL),
    (InstructionKind.CONVERSION, _CONVERSION),
)
