"""Registers, spills and lines of kernels compiled here, against what the compiler's own tools say."""

import re
import subprocess
from pathlib import Path

import pytest

from gluon_inspect import targets
from gluon_inspect.assembly import isa
from gluon_inspect.assembly.binary import read_binary
from gluon_inspect.assembly.cubin import parse_cubin
from gluon_inspect.assembly.isa.sass_registers import registers_per_thread
from gluon_inspect.assembly.sass import parse_sass
from gluon_inspect.errors import ParseError
from gluon_inspect.facts.occupancy import occupancy
from gluon_inspect.loading.disassemble import disassemble, find_tool
from gluon_inspect.model.artifact import CompiledKernel
from tests.data.asm import kernels

triton = pytest.importorskip("triton")

_EMPTY_CUBIN = b"\x7fELF" + b"\0" * 14 + b"\xbe\0" + b"\0" * 50

CUDA = (80, 89, 90, 100, 120)
HIP = (("gfx90a", 64), ("gfx942", 64), ("gfx950", 64), ("gfx1100", 32), ("gfx1201", 32), ("gfx1250", 32))


def compiled(backend, architecture, warp_size, **options):
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    source = ASTSource(
        kernels.squares,
        {"source": "*fp16", "target": "*fp32", "SIZE": "constexpr"},
        constexprs={"SIZE": 64},
        attrs={(0,): [["tt.divisibility", 16]], (1,): [["tt.divisibility", 16]]},
    )
    return triton.compile(source, target=GPUTarget(backend, architecture, warp_size), options=options)


@pytest.fixture(scope="module", autouse=True)
def _caches(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("caches")
        patch.setenv("TRITON_CACHE_DIR", str(folder / "triton"))
        patch.setenv("GLUON_INSPECT_CACHE", str(folder / "ours"))
        yield


def line_of(operation):
    """The line of the kernel `squares` that holds an operation."""
    lines = Path(kernels.__file__).read_text().split("\n")
    start = lines.index("def squares(source, target, SIZE: tl.constexpr):")
    return next(number for number, line in enumerate(lines, start=1) if number > start and operation in line)


def recorded(result, target):
    stages = {stage: text for stage, text in result.asm.items() if isinstance(text, str)}
    binaries = {kind: result.asm[kind] for kind in ("cubin",) if kind in result.asm}
    return CompiledKernel("squares", target, stages=stages, binaries=binaries)


@pytest.fixture(scope="module")
def nvidia():
    return {number: compiled("cuda", number, 32) for number in CUDA}


@pytest.mark.parametrize("number", CUDA)
def test_text_and_tables_agree_on_registers(nvidia, number):
    cubin = nvidia[number].asm["cubin"]
    binary = parse_cubin(cubin)
    (counted,) = [each for each in binary.functions if each.registers is not None]
    assert binary.architecture == f"sm_{number}"
    assert counted.name == "squares"
    assert registers_per_thread(parse_sass(disassemble(cubin))) == counted.registers


@pytest.mark.parametrize("number", [80, 90])
def test_tables_agree_with_the_vendors_tool(nvidia, number, tmp_path):
    (tmp_path / "k.cubin").write_bytes(nvidia[number].asm["cubin"])
    tool = find_tool().with_name("cuobjdump")
    said = subprocess.run([tool, "-res-usage", tmp_path / "k.cubin"], capture_output=True, text=True, check=True)
    registers, stack = re.search(r"REG:(\d+) STACK:(\d+)", said.stdout).groups()
    found = read_binary(recorded(nvidia[number], f"cuda:{number}"))
    assert (found.registers_per_thread, found.spill_bytes) == (int(registers), int(stack))


def test_spills_are_counted():
    found = read_binary(recorded(compiled("cuda", 90, 32, maxnreg=32, num_warps=1), "cuda:90"))
    assert found.registers_per_thread == 32
    assert found.spill_bytes > 0


@pytest.mark.parametrize("number", CUDA)
def test_every_memory_instruction_is_on_its_line(nvidia, number):
    kernel = recorded(nvidia[number], f"cuda:{number}")
    sass = CompiledKernel("squares", kernel.target, stages={**kernel.stages, "sass": disassemble(kernel.binary)})
    assembly = read_binary(sass).assembly
    lines = {}
    for function in assembly.functions:
        for each in function.instructions:
            memory = isa.classify("sass", each)
            if memory and memory.space == "global" and isa.is_executed(each):
                lines.setdefault(memory.direction, set()).add(each.location.line)
    load, store = line_of("tl.load"), line_of("tl.store")
    assert lines == {"load": {load}, "store": {store}}


@pytest.mark.parametrize(("architecture", "warp_size"), HIP)
def test_amd_waves_equal_llvms(architecture, warp_size):
    result = compiled("hip", architecture, warp_size)
    found = read_binary(recorded(result, f"hip:{architecture}"))
    (kernel,) = [each for each in found.assembly.functions if each.metadata.get("entry")]
    target = targets.find(architecture)
    waves = occupancy(target, found.registers_per_thread, 0, 4).warps // target.simds_per_sm
    assert waves == kernel.metadata["waves_per_simd"]
    assert found.spill_bytes == kernel.metadata["scratch_bytes"]
    kinds = {isa.kind_of("amdgcn", each) for each in kernel.instructions}
    assert isa.InstructionKind.OPAQUE not in kinds
    assert isa.InstructionKind.MATRIX in kinds


def test_a_cut_cubin_is_refused(nvidia):
    cubin = nvidia[90].asm["cubin"]
    for size in (0, 3, 63, len(cubin) // 2, len(cubin) - 100):
        with pytest.raises(ParseError) as error:
            parse_cubin(cubin[:size], "k.cubin")
        assert error.value.position.file == "k.cubin"


def test_a_kernel_without_assembly_says_so():
    found = read_binary(CompiledKernel("k", "cuda:90"))
    assert (found.assembly, found.registers_per_thread, found.spill_bytes) == (None, None, None)
    assert found.problems == ("no assembly: instruction counts are unknown",)


def test_assembly_that_cannot_be_read_says_why():
    found = read_binary(
        CompiledKernel("k", "cuda:90", stages={"sass": "nothing"}, binaries={"cubin": _EMPTY_CUBIN})
    )
    assert found.assembly is None
    assert len(found.problems) == 2
