"""PTX: names say everything. Source: PTX ISA, the section of each instruction."""

from __future__ import annotations

import re
from functools import lru_cache

from gluon_inspect.assembly.isa.kind import MEMORY_KINDS, InstructionKind
from gluon_inspect.model.access import Direction, Space
from gluon_inspect.model.asm import Instruction, MemoryInstruction

_REGISTER_BITS = 32
_SPACES = {
    "global": Space.GLOBAL,
    "shared": Space.SHARED,
    "shared::cta": Space.SHARED,
    "shared::cluster": Space.CLUSTER,
    "local": Space.GLOBAL,
}
_NOT_DATA = frozenset(("param", "const", "param::entry", "param::func"))
_DIRECTIONS = {
    "ld": Direction.LOAD,
    "ldu": Direction.LOAD,
    "st": Direction.STORE,
    "atom": Direction.ATOMIC,
    "red": Direction.ATOMIC,
}
_VECTOR = re.compile(r"v(\d)")
_TYPE = re.compile(r"(?:b|u|s|f|bf)(8|16|32|64|128)(x2)?")
_REPEAT = re.compile(r"x(\d+)")
_TENSOR_REGISTERS = {"16x128b": 2, "16x256b": 4}

_MATRIX = ("mma", "wmma", "wgmma.mma_async", "tcgen05.mma")
_BARRIERS = (
    "bar", "barrier", "mbarrier", "fence", "membar", "griddepcontrol", "nanosleep", "setmaxnreg",
    "cp.async.commit_group", "cp.async.wait_group", "cp.async.wait_all", "cp.async.mbarrier",
    "cp.async.bulk.commit_group", "cp.async.bulk.wait_group",
    "wgmma.fence", "wgmma.commit_group", "wgmma.wait_group", "clusterlaunchcontrol",
    "tcgen05.commit", "tcgen05.wait", "tcgen05.fence", "tcgen05.alloc", "tcgen05.dealloc",
    "tcgen05.relinquish_alloc_permit",
)  # fmt: skip
_CONTROL = ("bra", "brx", "ret", "call", "exit", "trap", "elect")
_SHUFFLES = ("shfl", "redux", "vote", "match", "movmatrix", "activemask")
_CONVERSIONS = ("cvt", "cvta")
_UNCOUNTED = re.compile(
    r"(?:L1::.*|L2::.*|relaxed|acquire|release|acq_rel|weak|volatile|mmio|sys|gpu|cta|cluster"
    r"|nc|ca|cg|cs|lu|cv|wb|wt|sync|aligned)"
)


def classify(instruction: Instruction) -> MemoryInstruction | None:
    """Space, direction and bits a lane; parameters and constants give None."""
    opcode = instruction.opcode
    if opcode.startswith("cp.async.") and not opcode.startswith("cp.async.bulk"):
        return _async_copy(instruction)
    return _classified(opcode)


def kind_of(instruction: Instruction) -> InstructionKind:
    """The kind by the leading words of the name."""
    opcode = instruction.opcode
    memory = classify(instruction)
    if memory is not None:
        return InstructionKind.LOCAL if memory.local else MEMORY_KINDS[memory.space]
    return _kind(opcode)


def counted_name(instruction: Instruction) -> str:
    """Memory and matrix instructions without scope and cache hints; others by their first word."""
    opcode = instruction.opcode
    if classify(instruction) is None and _kind(opcode) is not InstructionKind.MATRIX:
        return opcode.partition(".")[0]
    return ".".join(word for word in opcode.split(".") if not _UNCOUNTED.fullmatch(word))


def _async_copy(instruction: Instruction) -> MemoryInstruction | None:
    """cp.async.ca.shared.global [to], [from], bytes{, source bytes}."""
    if len(instruction.operands) < 3:
        return None
    size = instruction.operands[2]
    bits = int(size, 0) * 8 if size[:1].isdigit() else None
    return MemoryInstruction(Space.GLOBAL, Direction.COPY, bits, Space.SHARED)


@lru_cache(maxsize=4096)
def _classified(opcode: str) -> MemoryInstruction | None:
    words = opcode.split(".")
    head = words[0]
    if head in _DIRECTIONS and not (head == "st" and words[1:2] == ["async"]):
        return _plain(head, words)
    if opcode.startswith(("ldmatrix", "stmatrix")):
        direction = Direction.LOAD if head == "ldmatrix" else Direction.STORE
        return MemoryInstruction(Space.SHARED, direction, _REGISTER_BITS * _repeats(words))
    if opcode.startswith(("tcgen05.ld", "tcgen05.st")):
        direction = Direction.LOAD if words[1] == "ld" else Direction.STORE
        each = next((_TENSOR_REGISTERS[word] for word in words if word in _TENSOR_REGISTERS), 1)
        return MemoryInstruction(Space.TENSOR, direction, _REGISTER_BITS * _repeats(words) * each)
    if opcode.startswith("tcgen05.cp"):
        return MemoryInstruction(Space.SHARED, Direction.COPY, None, Space.TENSOR)
    if opcode.startswith("st.async"):
        return MemoryInstruction(Space.CLUSTER, Direction.STORE, _type_bits(words))
    return _bulk(opcode, words)


def _plain(head: str, words: list[str]) -> MemoryInstruction | None:
    if any(word in _NOT_DATA for word in words[1:]):
        return None
    space = next((_SPACES[word] for word in words[1:] if word in _SPACES), Space.GLOBAL)
    return MemoryInstruction(space, _DIRECTIONS[head], _type_bits(words), local="local" in words)


def _bulk(opcode: str, words: list[str]) -> MemoryInstruction | None:
    """cp.async.bulk… and cp.reduce.async.bulk…: the first space named is the destination."""
    if not opcode.startswith(("cp.async.bulk", "cp.reduce.async.bulk")):
        return None
    spaces = [_SPACES[word] for word in words if word in _SPACES]
    if len(spaces) < 2:
        return None
    if "reduce" in words:
        return MemoryInstruction(spaces[0], Direction.ATOMIC, None)
    if spaces[0] is Space.GLOBAL:
        return MemoryInstruction(Space.GLOBAL, Direction.STORE, None)
    return MemoryInstruction(spaces[1], Direction.COPY, None, Space.SHARED)


def _type_bits(words: list[str]) -> int | None:
    vector = next((int(match[1]) for word in words if (match := _VECTOR.fullmatch(word))), 1)
    for word in reversed(words):
        if match := _TYPE.fullmatch(word):
            return vector * int(match[1]) * (2 if match[2] else 1)
    return None


def _repeats(words: list[str]) -> int:
    return next((int(match[1]) for word in words if (match := _REPEAT.fullmatch(word))), 1)


@lru_cache(maxsize=4096)
def _kind(opcode: str) -> InstructionKind:
    for kind, heads in _KINDS:
        if any(opcode == head or opcode.startswith(f"{head}.") for head in heads):
            return kind
    return InstructionKind.ARITHMETIC if opcode else InstructionKind.OPAQUE


_KINDS = (
    (InstructionKind.MATRIX, _MATRIX),
    (InstructionKind.BARRIER, _BARRIERS),
    (InstructionKind.CONTROL, _CONTROL),
    (InstructionKind.SHUFFLE, _SHUFFLES),
    (InstructionKind.CONVERSION, _CONVERSIONS),
)
