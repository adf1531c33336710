"""What a kernel's binary and assembly say: instructions with lines, registers, spills."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from gluon_inspect.assembly import isa
from gluon_inspect.assembly.amdgcn import parse_amdgcn
from gluon_inspect.assembly.counts import functions_of
from gluon_inspect.assembly.cubin import looks_like_cubin, parse_cubin
from gluon_inspect.assembly.hsaco import looks_like_hsaco, parse_hsaco
from gluon_inspect.assembly.isa.sass_registers import registers_per_thread
from gluon_inspect.assembly.matrix_lines import located_by_mma
from gluon_inspect.assembly.ptx import lines_of, parse_ptx
from gluon_inspect.assembly.sass import located_by_ptx, parse_sass
from gluon_inspect.errors import InspectError
from gluon_inspect.model.artifact import CompiledKernel
from gluon_inspect.model.asm import AmdRegisters, Assembly, BinaryFunction
from gluon_inspect.wording.characters import shortened

_KERNEL_ENTRY = ".amdhsa_kernel"
_FEW, _NAME_CHARACTERS = 4, 40
_HOW_FOR_HSACO = ": llvm-objdump -d FILE > FILE.s, and give that too with --asm"


@dataclass(frozen=True, slots=True)
class BinaryFacts:
    """Registers a thread and bytes of stack a thread (spills); None: not known. `problems` says why."""

    assembly: Assembly | None
    registers_per_thread: int | None
    spill_bytes: int | None
    problems: tuple[str, ...] = ()
    amd: AmdRegisters | None = None


def read_binary(kernel: CompiledKernel) -> BinaryFacts:
    """Parse a kernel's SASS (or AMDGCN, or else PTX) and work out registers and spills.

    Best source first: the cubin's own tables, what Triton's driver reported, the assembly text.
    """
    problems: list[str] = []
    assembly = _assembly(kernel, problems)
    tables = _tables(kernel, problems)
    return BinaryFacts(
        assembly,
        _registers(kernel, assembly, tables),
        _spills(kernel, assembly, tables),
        tuple(problems),
        _amd_registers(kernel, assembly, tables),
    )


def _assembly(kernel: CompiledKernel, problems: list[str]) -> Assembly | None:
    """SASS located by the PTX's lines, AMDGCN, or PTX; None with the reason when none can be read."""
    for stage in ("sass", "amdgcn", "ptx"):
        text = kernel.stages.get(stage)
        if not text:
            continue
        try:
            found = _parsed(kernel, stage, text)
            kernels = [each.name for each in found.functions if each.metadata.get("entry")]
            if kernel.name in kernels or len(kernels) <= 1:
                return found
            problems.append(_other_kernels(kernel, f"{stage} text", kernels))
        except InspectError as error:
            problems.append(f"{kernel.name}.{error}")
    if not problems:
        how = _HOW_FOR_HSACO if looks_like_hsaco(kernel.binary) else ""
        problems.append(f"no assembly: instruction counts are unknown{how}")
    return None


def _parsed(kernel: CompiledKernel, stage: str, text: str) -> Assembly:
    found, ptx = _read(stage, text), kernel.stages.get("ptx")
    return _with_lines(found, _read("ptx", ptx)) if stage == "sass" and ptx else found


@lru_cache(maxsize=2)
def _read(stage: str, text: str) -> Assembly:
    """Kept while the kernels of one file follow each other."""
    match stage:
        case "sass":
            return parse_sass(text, stage)
        case "amdgcn":
            return parse_amdgcn(text, stage)
        case _:
            return parse_ptx(text, stage)


def _with_lines(sass: Assembly, ptx: Assembly) -> Assembly:
    return located_by_mma(located_by_ptx(sass, lines_of(ptx)), ptx)


def _tables(kernel: CompiledKernel, problems: list[str]) -> BinaryFunction | None:
    """The kernel's entry in its binary; the only one with a register count where the name is another.

    An hsaco says no more than the compiler's assembly, where that is given.
    """
    try:
        if looks_like_cubin(kernel.binary):
            functions = parse_cubin(kernel.binary, f"{kernel.name}.cubin").functions
        elif looks_like_hsaco(kernel.binary) and _KERNEL_ENTRY not in kernel.stages.get("amdgcn", ""):
            functions = parse_hsaco(kernel.binary, f"{kernel.name}.hsaco").functions
        else:
            return None
    except InspectError as error:
        problems.append(str(error))
        return None
    counted = [function for function in functions if function.registers is not None]
    named = [function for function in counted if function.name == kernel.name]
    if not named and len(counted) > 1:
        problems.append(_other_kernels(kernel, "binary", [function.name for function in counted]))
        return None
    return (named or counted or [None])[0]


def _other_kernels(kernel: CompiledKernel, what: str, names: Sequence[str]) -> str:
    shown = [shortened(name, _NAME_CHARACTERS) for name in names[:_FEW]]
    if len(names) > _FEW:
        shown.append("…")
    return f"the {what} holds no kernel {kernel.name}: it has {', '.join(shown)}"


def _registers(kernel: CompiledKernel, assembly: Assembly | None, tables: BinaryFunction | None) -> int | None:
    if tables is not None:
        return tables.registers
    told = kernel.metadata.get("n_regs")
    if isinstance(told, int) and told > 0:
        return told
    if assembly is None or assembly.dialect == isa.Dialect.PTX:
        return None
    if assembly.dialect == isa.Dialect.SASS:
        return registers_per_thread(_own(assembly, kernel.name))
    return _amd(kernel, assembly, "registers")


def _spills(kernel: CompiledKernel, assembly: Assembly | None, tables: BinaryFunction | None) -> int | None:
    """Bytes of stack a thread. A SASS listing alone can prove that there are none, but not how many."""
    if tables is not None:
        return tables.stack_bytes
    if assembly is None or assembly.dialect == isa.Dialect.PTX:
        return None
    if assembly.dialect == isa.Dialect.SASS:
        return None if _touches_stack(_own(assembly, kernel.name)) else 0
    return _amd(kernel, assembly, "scratch_bytes")


def _amd_registers(
    kernel: CompiledKernel, assembly: Assembly | None, tables: BinaryFunction | None
) -> AmdRegisters | None:
    if tables is not None:
        return tables.amd
    if assembly is None or assembly.dialect != isa.Dialect.AMDGCN:
        return None
    keys = ("vgprs", "agprs", "sgprs", "vgpr_spills", "sgpr_spills")
    found = AmdRegisters(*(_amd(kernel, assembly, key) for key in keys))
    return None if found == AmdRegisters() else found


def _own(assembly: Assembly, kernel: str) -> Assembly:
    """Without the other kernels of the listing."""
    return replace(assembly, functions=functions_of(assembly, kernel))


def _amd(kernel: CompiledKernel, assembly: Assembly, key: str) -> int | None:
    functions = assembly.functions
    entries = [function for function in functions if function.metadata.get("entry")] or functions
    chosen = [function for function in entries if function.name == kernel.name] or entries
    value = chosen[0].metadata.get(key) if chosen else None
    return value if isinstance(value, int) else None


def _touches_stack(assembly: Assembly) -> bool:
    kinds = (
        isa.kind_of(assembly.dialect, each) for function in assembly.functions for each in function.instructions
    )
    return any(kind is isa.InstructionKind.LOCAL for kind in kinds)
