"""Machine code as listings: SASS with its control codes, AMDGCN, PTX, and LLVM IR as it stands.

Parsers are loaded by the functions that need them, in the background: the first screen must not wait.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum

from gluon_inspect.errors import InspectError
from gluon_inspect.listings.document import Chain, Document, Language, chain_of, shown_lines
from gluon_inspect.model.artifact import CompiledKernel
from gluon_inspect.model.asm import Assembly, Function, Instruction
from gluon_inspect.wording.characters import visible

STAGES = ("sass", "amdgcn", "ptx", "llir")
_LANGUAGES = {
    "sass": Language.SASS,
    "amdgcn": Language.AMDGCN,
    "ptx": Language.PTX,
    "llir": Language.LLVM,
}
_PTX_NOISE = re.compile(r"\s*(?:\.loc\s|\$L__tmp\d+:|\$L__func_(?:begin|end)\d+:|//\s*$)|\s*$")
_DEBUG_LABEL = re.compile(r"\.L(?:tmp|func_begin|func_end)\d+$")
"""Marks for the debugger, which nothing jumps to."""
_PTX_DEBUG = re.compile(r"\s*\.(?:section|file)\b")


def stages_of(kernel: CompiledKernel) -> tuple[str, ...]:
    """The listings a kernel has, closest to the machine first."""
    return tuple(stage for stage in STAGES if kernel.stages.get(stage))


class Columns(StrEnum):
    """What stands before an instruction."""

    BARE = "instructions alone"
    SCHEDULING = "scheduling"
    ALL = "addresses and scheduling"


def assembly_document(kernel: CompiledKernel, stage: str, columns: Columns = Columns.BARE) -> Document:
    """One listing with the places of its lines; empty, with the reason, where there is none."""
    text = kernel.stages.get(stage, "")
    if not text:
        from gluon_inspect.assembly.binary import read_binary

        why = "; ".join(read_binary(kernel).problems) or "this input has no assembly"
        return Document("assembly", Language.SASS, empty=why)
    match stage:
        case "ptx":
            return _ptx(kernel, text)
        case "llir":
            return Document(stage, Language.LLVM, shown_lines(text))
        case _:
            return _machine(kernel, stage, text, columns)


def _machine(kernel: CompiledKernel, stage: str, text: str, columns: Columns) -> Document:
    from gluon_inspect.assembly.binary import read_binary

    assembly = read_binary(kernel).assembly
    if assembly is None or assembly.dialect != stage:
        return Document(stage, _LANGUAGES[stage], shown_lines(text))
    return listing(assembly, kernel.name, columns)


def listing(assembly: Assembly, kernel: str = "", columns: Columns = Columns.ALL) -> Document:
    """Every function's instructions, one a line, labels between them."""
    from gluon_inspect.assembly.counts import functions_of

    own = functions_of(assembly, kernel)
    timed = next((each for each in own if each.name == kernel), next(iter(own), None))
    lines: list[str] = []
    chains: dict[int, tuple[Chain, ...]] = {}
    ranks: dict[int, int] = {}
    instructions: dict[int, int] = {}
    for function in assembly.functions:
        lines += ["", f"{function.name}:"] if lines else [f"{function.name}:"]
        for text, index in _function(function, columns):
            if index is not None:
                instruction = function.instructions[index]
                if chain := chain_of(instruction.location):
                    chains[len(lines)] = (chain,)
                if rank := _rank(assembly.dialect, instruction):
                    ranks[len(lines)] = rank
                if function is timed:
                    instructions[len(lines)] = index
            lines.append(visible(text))
    language = _LANGUAGES[assembly.dialect]
    return Document(assembly.dialect, language, tuple(lines), chains, ranks, instructions)


def _rank(dialect: str, instruction: Instruction) -> int:
    """Memory and matrix units before registers: what a line of Python with a load is there for is its load."""
    from gluon_inspect.assembly import isa

    match isa.kind_of(dialect, instruction):
        case isa.InstructionKind.GLOBAL | isa.InstructionKind.MATRIX:
            return 3
        case isa.InstructionKind.SHARED | isa.InstructionKind.TENSOR | isa.InstructionKind.LOCAL:
            return 2
        case isa.InstructionKind.SHUFFLE | isa.InstructionKind.BARRIER:
            return 1
        case _:
            return 0


def _function(function: Function, columns: Columns) -> Iterator[tuple[str, int | None]]:
    """Lines with the index of their instruction, None for labels."""
    labels: dict[int, list[str]] = {}
    for name, at in function.labels.items():
        if _DEBUG_LABEL.match(name):
            continue
        labels.setdefault(at, []).append(name)
    controls = columns is not Columns.BARE and any(each.control for each in function.instructions)
    for index, instruction in enumerate(function.instructions):
        yield from ((f"{name}:", None) for name in labels.get(index, ()) if name != function.name)
        yield _line(instruction, controls, columns is Columns.ALL), index
    yield from ((f"{name}:", None) for name in labels.get(len(function.instructions), ()))


def _line(instruction: Instruction, controls: bool, addresses: bool) -> str:
    offset = f"{instruction.offset:04x}  " if addresses and instruction.offset >= 0 else "  "
    control = f"{instruction.control:<18}" if controls else ""
    guard = f"{instruction.predicate} " if instruction.predicate else ""
    return f"{offset}{control}{guard}{instruction.opcode:<14} {', '.join(instruction.operands)}".rstrip()


def _ptx(kernel: CompiledKernel, text: str) -> Document:
    whole = shown_lines(text)
    kept = [index for index, line in enumerate(whole[: _debug_start(whole)]) if not _PTX_NOISE.match(line)]
    places = _ptx_places(kernel, text)
    chains = {shown: places[index + 1] for shown, index in enumerate(kept) if index + 1 in places}
    return Document("ptx", Language.PTX, tuple(whole[index] for index in kept), chains)


def _debug_start(lines: tuple[str, ...]) -> int:
    return next((index for index, line in enumerate(lines) if _PTX_DEBUG.match(line)), len(lines))


def _ptx_places(kernel: CompiledKernel, text: str) -> Mapping[int, tuple[Chain, ...]]:
    """By 1-based line of the PTX; none where it cannot be parsed: the text is shown all the same."""
    from gluon_inspect.assembly.ptx import parse_ptx

    try:
        assembly = parse_ptx(text, f"{kernel.name}.ptx")
    except InspectError:
        return {}
    located = (each for function in assembly.functions for each in function.instructions if each.ptx_line)
    return {each.ptx_line: (chain,) for each in located if (chain := chain_of(each.location))}
