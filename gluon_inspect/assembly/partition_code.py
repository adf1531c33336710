"""Which partition of a warp-specialised kernel an instruction belongs to, by where both come from in Python.

Partitions are functions of their own that were inlined, so a place that only one of them has in its chain of call
sites tells whose code it is. What has no such place belongs to what stands around it, if that agrees.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from gluon_inspect.assembly import isa
from gluon_inspect.assembly.counts import instructions_of
from gluon_inspect.ir.graph import graph_of
from gluon_inspect.ir.operations import builtin, row_of, tt, ttg
from gluon_inspect.ir.partitions import homes
from gluon_inspect.model.asm import Assembly, Instruction
from gluon_inspect.model.location import Location
from gluon_inspect.model.mlir import Module

_Owners = Mapping[tuple[str, int], set[str]]
_SHARED = ""
"""Owner of what stands outside all partitions."""
_FRAMES = (builtin.MODULE, tt.FUNC, ttg.WARP_SPECIALIZE, ttg.PARTITIONS)


def stack_instructions(module: Module, assembly: Assembly, kernel: str = "") -> Mapping[str, int]:
    """Instructions that touch the stack (spills), by the name of the partition; what is in none is left out.

    Empty for kernels without partitions, and where no instruction has a place.
    """
    owners = _owners(module)
    if not owners:
        return {}
    code = list(instructions_of(assembly, kernel))
    names = _around([_owner(each, owners) for each in code])
    pairs = zip(code, names, strict=True)
    local = isa.InstructionKind.LOCAL
    return Counter(name for each, name in pairs if name and isa.kind_of(assembly.dialect, each) is local)


def _owners(module: Module) -> _Owners:
    parts = homes(module)
    found: defaultdict[tuple[str, int], set[str]] = defaultdict(set)
    for op in graph_of(module).operations if parts else ():
        home = parts.get(op.span.start)
        if op.location is not None and row_of(op) not in _FRAMES:
            for place in op.location.chain:
                found[place.file, place.line].add(_SHARED if home is None else home.name)
    return found


def _owner(instruction: Instruction, owners: _Owners) -> str | None:
    """A partition's name, `_SHARED`, or None where its places do not tell."""
    names = {name for place in _chain(instruction) if (name := _only(owners, place)) is not None}
    return names.pop() if len(names) == 1 else None


def _chain(instruction: Instruction) -> Sequence[Location]:
    return () if instruction.location is None else instruction.location.chain


def _only(owners: _Owners, place: Location) -> str | None:
    names = owners.get((place.file, place.line), set())
    return next(iter(names)) if len(names) == 1 else None


def _around(names: Sequence[str | None]) -> Iterator[str | None]:
    """Gaps filled where both sides are the same partition."""
    following: list[str | None] = [None]
    for name in reversed(names):
        following.append(following[-1] if name is None else name)
    before: str | None = None
    for name, after in zip(names, following[-2::-1], strict=True):
        before = before if name is None else name
        yield name if name is not None else before if before == after else None
