"""A kernel's SASS as steps that the chain issues: what each occupies, waits for and sets.

Which unit executes an instruction: throughput table of the CUDA C++ Programming Guide; cycles that a warp
occupies it: benchmarks/results/pipes_h200_2026-11-30.json.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from gluon_inspect.assembly.isa.sass_control import read_control
from gluon_inspect.model.asm import Instruction


class Pipe(StrEnum):
    """A unit that one instruction after another occupies; all but the last two stand in each quarter of an SM."""

    ISSUE = "issue slots"
    FMA = "FMA pipe"
    ALU = "ALU pipe"
    SPECIAL = "special functions and conversions"
    FP64 = "FP64 pipe"
    TENSOR = "tensor cores"
    MEMORY = "load and store queue"
    NONE = ""


class Act(StrEnum):
    """What a step does beside occupying a pipe."""

    COMPUTE = "compute"
    SPECIAL = "special"
    LOAD = "load"
    STORE = "store"
    ATOMIC = "atomic"
    COPY = "copy"
    COMMIT = "commit"
    AWAIT = "await"
    SHARED_LOAD = "shared load"
    SHARED_STORE = "shared store"
    SHUFFLE = "shuffle"
    LOCAL_LOAD = "local load"
    LOCAL_STORE = "local store"
    CONSTANT = "constant"
    BARRIER = "barrier"
    FENCE = "fence"
    MATRIX = "matrix"
    MATRIX_AWAIT = "matrix await"
    BULK = "bulk"
    PHASE = "phase"
    EXPECT = "expect"
    BRANCH = "branch"
    EXIT = "exit"


@dataclass(frozen=True, slots=True)
class Work:
    """What an opcode asks for: cycles of its pipe for one warp, and bits a lane where it moves memory.

    Matrix instructions: `products` multiply-adds, `cycles` what one costs of a 16-bit one; `is_grouped`: a warp
    group's instruction, which all four tensor cores of an SM share.
    """

    act: Act
    pipe: Pipe
    cycles: float = 1.0
    bits: int = 0
    products: int = 0
    is_grouped: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """One instruction. `waits`: scoreboards as bits; `reads`, `writes`: the one it sets, -1 for none.

    `pending`: groups that an await leaves open. `closes`: it ends a group of matrix instructions.
    """

    work: Work
    waits: int
    reads: int
    writes: int
    stall: int
    pending: int = 0
    closes: bool = False
    guarded: bool = False
    is_wide: bool = False
    """A fence for the whole card, not for the CTA."""


_FULL = frozenset(("FFMA", "FMUL", "FADD", "HFMA2", "HADD2", "HMUL2", "FFMA2", "FADD2", "FMUL2"))
_HEAVY = frozenset(("IMAD", "IDP", "IDP4A", "IMUL"))
_SPECIAL = frozenset(("MUFU", "F2I", "I2F", "F2F", "FRND", "I2I", "POPC", "FLO", "BREV"))
_FP64 = frozenset(("DMUL", "DFMA", "DADD", "DSETP"))
_UNIFORM = frozenset(
    (
        "UIADD3", "UMOV", "ULEA", "USHF", "UISETP", "USEL", "USGXT", "ULOP3", "UIMAD", "UPLOP3", "R2UR", "VOTEU",
        "ELECT", "UPRMT", "UFLO", "UPOPC", "USETMAXREG", "UP2UR", "UR2UP", "UIADD3X", "UBMSK",
    )
)  # fmt: skip
_ACTS: Mapping[str, tuple[Act, Pipe]] = {
    **dict.fromkeys(("LDG", "LD"), (Act.LOAD, Pipe.MEMORY)),
    **dict.fromkeys(("STG", "ST"), (Act.STORE, Pipe.MEMORY)),
    **dict.fromkeys(("ATOMG", "ATOM", "RED", "REDG"), (Act.ATOMIC, Pipe.MEMORY)),
    "LDGSTS": (Act.COPY, Pipe.MEMORY),
    "LDL": (Act.LOCAL_LOAD, Pipe.MEMORY),
    "STL": (Act.LOCAL_STORE, Pipe.MEMORY),
    **dict.fromkeys(("LDS", "LDSM", "ATOMS"), (Act.SHARED_LOAD, Pipe.MEMORY)),
    **dict.fromkeys(("STS", "STSM"), (Act.SHARED_STORE, Pipe.MEMORY)),
    **dict.fromkeys(("SHFL", "REDUX", "MATCH", "MOVM"), (Act.SHUFFLE, Pipe.MEMORY)),
    **dict.fromkeys(("UTMALDG", "UBLKCP"), (Act.BULK, Pipe.NONE)),
    **dict.fromkeys(("S2R", "S2UR", "LDC", "LDCU", "ULDC", "CS2UR"), (Act.CONSTANT, Pipe.NONE)),
    "LDGDEPBAR": (Act.COMMIT, Pipe.NONE),
    "DEPBAR": (Act.AWAIT, Pipe.NONE),
    **dict.fromkeys(("MEMBAR", "FENCE", "ERRBAR"), (Act.FENCE, Pipe.NONE)),
    **dict.fromkeys(("BRA", "BRX", "CALL", "RET"), (Act.BRANCH, Pipe.NONE)),
    "EXIT": (Act.EXIT, Pipe.NONE),
}
_TILE = re.compile(r"\.(\d+)x(\d+)x(\d+)")
_SHORT_TILE = re.compile(r"\.(\d{3,6})\b")
_TILES = {
    "16816": (16, 8, 16), "1688": (16, 8, 8), "16832": (16, 8, 32), "884": (8, 8, 4), "1684": (16, 8, 4),
    "16864": (16, 8, 64), "168128": (16, 8, 128), "168256": (16, 8, 256), "8816": (8, 8, 16), "8832": (8, 8, 32),
}  # fmt: skip
_GROUP_MATRIX = frozenset(("HGMMA", "QGMMA", "IGMMA", "BGMMA"))
_MATRIX = frozenset(("HMMA", "IMMA", "QMMA", "BMMA", "OMMA", "DMMA"))
_GROUPED = _GROUP_MATRIX | {"DEPBAR", "WARPGROUP"}
"""Roots whose operands tell a step from others of the same opcode."""
_COUNT = re.compile(r"0x[0-9a-f]+")


def steps_of(instructions: Iterable[Instruction]) -> list[Step]:
    """The steps of a function, one an instruction; equal steps are one object."""
    known: dict[tuple[str, str, bool, str], Step] = {}
    steps: list[Step] = []
    for each in instructions:
        groups = each.text if each.root in _GROUPED else ""
        key = (each.opcode, each.control, bool(each.predicate), groups)
        found = known.get(key)
        if found is None:
            found = known[key] = _step(each)
        steps.append(found)
    return steps


def _step(instruction: Instruction) -> Step:
    control = read_control(instruction.control)
    work = work_of(instruction.opcode)
    counts = _COUNT.findall(instruction.text) if work.act in (Act.AWAIT, Act.MATRIX_AWAIT) else ()
    return Step(
        work, control.waits, control.reads, control.writes, control.stall,
        pending=int(counts[-1], 16) if counts else 0,
        closes=work.act is Act.MATRIX and "gsb0" in instruction.text,
        guarded=bool(instruction.predicate),
        is_wide=instruction.opcode.endswith((".GPU", ".SYS")),
    )  # fmt: skip


@lru_cache(maxsize=4096)
def work_of(opcode: str) -> Work:
    """What an opcode occupies; one that is in no table takes an issue slot alone."""
    root = opcode.partition(".")[0]
    if root in _FULL:
        return Work(Act.COMPUTE, Pipe.FMA, 1.0)
    if root in _HEAVY:
        return Work(Act.COMPUTE, Pipe.FMA, 4.0 if ".WIDE" in opcode or ".HI" in opcode else 2.0)
    if root in _SPECIAL:
        wide = "F64" in opcode or "S64" in opcode or "U64" in opcode
        return Work(Act.SPECIAL, Pipe.SPECIAL, 16.0 if wide else 8.0)
    if root in _FP64:
        return Work(Act.SPECIAL, Pipe.FP64, 1.0)
    if root in _GROUP_MATRIX or root in _MATRIX:
        return _matrix(root, opcode)
    if root in _ACTS:
        act, pipe = _ACTS[root]
        return Work(act, pipe, 1.0, _bits(root, opcode))
    return _other(root, opcode)


def _other(root: str, opcode: str) -> Work:
    match root:
        case "BAR":
            return Work(Act.COMPUTE if ".ARV" in opcode else Act.BARRIER, Pipe.NONE)
        case "SYNCS":
            if "TRYWAIT" in opcode:
                return Work(Act.PHASE, Pipe.NONE)
            return Work(Act.EXPECT if "ARRIVE" in opcode else Act.SPECIAL, Pipe.NONE)
        case "WARPGROUP":
            return Work(Act.MATRIX_AWAIT if "DEPBAR" in opcode else Act.COMPUTE, Pipe.NONE)
        case _ if root in _UNIFORM or root in ("NOP", "BSSY", "BSYNC", "WARPSYNC", "NANOSLEEP", "UTMASTG"):
            return Work(Act.COMPUTE, Pipe.NONE)
        case _:
            return Work(Act.COMPUTE, Pipe.ALU, 2.0)


def _matrix(root: str, opcode: str) -> Work:
    shape = _TILE.search(opcode)
    if shape is not None:
        m, n, k = map(int, shape.groups())
    else:
        short = _SHORT_TILE.search(opcode)
        m, n, k = _TILES.get(short[1] if short else "", (16, 8, 16))
    weight = {"Q": 0.5, "I": 0.5, "B": 1 / 16, "D": 16.0}.get(root[0], 1.0) * (2.0 if "TF32" in opcode else 1.0)
    return Work(Act.MATRIX, Pipe.TENSOR, weight, 0, m * n * k, root in _GROUP_MATRIX)


def _bits(root: str, opcode: str) -> int:
    if root in ("LDSM", "STSM"):
        return 32 * int(opcode[-1]) if opcode[-2:] in (".2", ".4") else 32
    words = opcode.split(".")
    return next((bits for word, bits in _WIDTHS if word in words), 32)


_WIDTHS = (("256", 256), ("128", 128), ("64", 64), ("U8", 8), ("S8", 8), ("U16", 16), ("S16", 16))
