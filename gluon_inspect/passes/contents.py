"""What one state holds: operations, layout conversions by kind, accesses by vector width, shared bytes."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from gluon_inspect.errors import InspectError
from gluon_inspect.ir.graph import graph_of
from gluon_inspect.ir.operations import ttg
from gluon_inspect.ir.verify import verified_module
from gluon_inspect.model.dump import Level
from gluon_inspect.model.mlir import Module
from gluon_inspect.model.target import Target
from gluon_inspect.model.versions import Version
from gluon_inspect.passes.sightings import Sighting, sightings
from gluon_inspect.passes.states import State

_OPERATION = re.compile(r"^\s*(?:%[^=\n]*= )?\"?([a-z_]\w*\.[\w.]+)", re.MULTILINE)
_INSTRUCTION = re.compile(r"^  (?:%[^=\n]* = )?(?:tail )?([a-z]+)\b", re.MULTILINE)
_MLIR_LINE = re.compile(
    r"\s*(?:$|[%}^#!(\"]|//|module\b|[a-z_]\w*\.\w|return\b|func\b|-?\d+:|cond_br\b|br\b|default:|partition\d|case\b)"
)


@dataclass(frozen=True, slots=True)
class Contents:
    """Counts of one state. `problem` says why there is no more; at the LLVM level only operations count."""

    operations: Mapping[str, int] = field(default_factory=dict[str, int])
    seen: tuple[Sighting, ...] = ()
    shared_bytes: int | None = None
    problem: str = ""
    state: State | None = None
    """What was parsed: spans of `seen` are offsets in its text. None: not parsed."""

    @property
    def total(self) -> int:
        """All operations."""
        return sum(self.operations.values())

    @property
    def conversions(self) -> Mapping[str, int]:
        """Layout conversions by kind."""
        return Counter(one.kind for one in self.seen if one.name == ttg.CONVERT_LAYOUT.name)

    @property
    def widths(self) -> Mapping[str, int]:
        """Accesses to global memory by operation and bits a lane: "tt.load 128"."""
        return Counter(f"{one.name} {one.vector_bits}" for one in self.seen if one.vector_bits is not None)


def contents_of(state: State, target: Target, version: Version) -> Contents:
    """Parse a state and count; LLVM is counted line by line without parsing."""
    if state.level is Level.LLVM:
        pattern = _INSTRUCTION if state.is_llvm_ir else _OPERATION
        return Contents(_counted(pattern, state))
    try:
        module, problem = _parsed(state.ir)
    except InspectError as error:
        told = str(error) if state.is_whole else "the log was cut off in this module"
        return Contents(_counted(_OPERATION, state), problem=told)
    return Contents(
        operations=dict(Counter(op.name for op in graph_of(module).operations)),
        seen=tuple(sightings(module, target, version)),
        shared_bytes=_shared(module),
        problem=problem,
        state=state,
    )


def _counted(pattern: re.Pattern[str], state: State) -> dict[str, int]:
    # By offsets: a slice would copy megabytes of LLVM.
    return dict(Counter(match[1] for match in pattern.finditer(state.log, state.start, state.end)))


def _parsed(text: str) -> tuple[Module, str]:
    """The module, without lines of other output if only so it can be read; then also what was left out."""
    try:
        return verified_module(text), ""
    except InspectError:
        kept = "\n".join(_without_output(text))
        if kept == text:
            raise
        return verified_module(kept), "lines of other output in the module were left out"


def _without_output(text: str) -> Iterator[str]:
    """The lines that could be MLIR; others become blanks, so that offsets hold."""
    for line in text.split("\n"):
        yield line if _MLIR_LINE.match(line) else " " * len(line)


def _shared(module: Module) -> int | None:
    found = module.attributes.get("ttg.shared")
    return found if isinstance(found, int) else None
