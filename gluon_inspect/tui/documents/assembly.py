"""Machine code as listings: SASS with its control codes, AMDGCN, PTX, and LLVM IR as it stands.

Parsers are loaded by the functions that need them, in the background: the first screen must not wait.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from gluon_inspect.errors import InspectError
from gluon_inspect.model.artifact import CompiledKernel
from gluon_inspect.model.asm import Assembly, Function, Instruction
from gluon_inspect.tui.documents import Chain, Document, Language, chain_of, shown_lines
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


def assembly_document(kernel: CompiledKernel, stage: str) -> Document:
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
            return _machine(kernel, stage, text)


def _machine(kernel: CompiledKernel, stage: str, text: str) -> Document:
    from gluon_inspect.assembly.binary import read_binary

    assembly = read_binary(kernel).assembly
    if assembly is None or assembly.dialect != stage:
        return Document(stage, _LANGUAGES[stage], shown_lines(text))
    return listing(assembly)


def listing(assembly: Assembly) -> Document:
    """Every function's instructions, one a line, labels between them."""
    lines: list[str] = []
    chains: dict[int, tuple[Chain, ...]] = {}
    for function in assembly.functions:
        lines += ["", f"{function.name}:"] if lines else [f"{function.name}:"]
        for text, instruction in _function(function):
            if instruction is not None and (chain := chain_of(instruction.location)):
                chains[len(lines)] = (chain,)
            lines.append(visible(text))
    return Document(assembly.dialect, _LANGUAGES[assembly.dialect], tuple(lines), chains)


def _function(function: Function) -> Iterator[tuple[str, Instruction | None]]:
    labels: dict[int, list[str]] = {}
    for name, at in function.labels.items():
        if _DEBUG_LABEL.match(name):
            continue
        labels.setdefault(at, []).append(name)
    controls = any(instruction.control for instruction in function.instructions)
    for index, instruction in enumerate(function.instructions):
        yield from ((f"{name}:", None) for name in labels.get(index, ()) if name != function.name)
        yield _line(instruction, controls), instruction
    yield from ((f"{name}:", None) for name in labels.get(len(function.instructions), ()))


def _line(instruction: Instruction, controls: bool) -> str:
    offset = f"{instruction.offset:04x}  " if instruction.offset >= 0 else "  "
    control = f"{instruction.control:<18}" if controls else ""
    predicate = f"{instruction.predicate:>5} "
    return f"{offset}{control}{predicate}{instruction.opcode:<14} {', '.join(instruction.operands)}".rstrip()


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
