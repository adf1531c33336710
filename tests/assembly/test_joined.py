import struct

import pytest
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from gluon_inspect.assembly.elf import sections
from gluon_inspect.assembly.joined import joined, joins, parts
from gluon_inspect.assembly.sass import parse_sass
from gluon_inspect.loading import disassemble as module
from gluon_inspect.loading.disassemble import disassemble, with_sass
from gluon_inspect.model.artifact import Capture, CompiledKernel


@triton.jit
def add(x, y, n, BLOCK: tl.constexpr, ROUNDS: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for step in range(ROUNDS):
        if step < n:
            total += tl.load(x + at + step * BLOCK, mask=at < n)
    tl.store(y + at, tl.sum(total, 0) + total, mask=at < n)


@pytest.fixture(scope="module")
def kernels():
    """Kernels of different lengths, with branches, barriers and lines of their source."""
    signature = {"x": "*fp32", "y": "*fp32", "n": "i32", "BLOCK": "constexpr", "ROUNDS": "constexpr"}
    found = []
    for block, rounds, warps in ((128, 3, 4), (1024, 7, 8), (64, 200, 2)):
        source = ASTSource(fn=add, signature=signature, constexprs={(3,): block, (4,): rounds})
        compiled = triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": warps})
        found.append(CompiledKernel("add", "cuda:90", binaries={"cubin": compiled.asm["cubin"]}))
    return found


@pytest.fixture
def cache(monkeypatch, tmp_path):
    monkeypatch.setenv("GLUON_INSPECT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def _code(text):
    """A listing to the end of its code: what follows are symbols that are no code."""
    return text.partition("//--------------------- SYMBOLS")[0].rstrip()


@pytest.mark.usefixtures("cache")
def test_joined_cubins_give_the_listings_that_each_gives_alone(kernels, monkeypatch):
    runs = []
    run = module._run
    monkeypatch.setattr(module, "_run", lambda *arguments: runs.append(arguments[2]) or run(*arguments))
    found = with_sass(Capture("x.py", tuple(kernels))).kernels
    assert runs == ["joined cubins"]
    for kernel in found:
        alone = run(module.find_tool(), kernel.binary, kernel.name)
        assert _code(kernel.stages["sass"]) == _code(alone)
        assert disassemble(kernel.binary) == kernel.stages["sass"]
        assert any(each.location for each in parse_sass(alone).functions[0].instructions)
    assert runs == ["joined cubins"]


@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize("broken", [lambda _: "", lambda text: text.replace("gi1 ", "gj1 ")])
def test_where_joining_fails_each_is_disassembled_alone(kernels, monkeypatch, broken):
    run = module._run

    def spoilt(tool, cubin, name):
        text = run(tool, cubin, name)
        return broken(text) if name == "joined cubins" else text

    monkeypatch.setattr(module, "_run", spoilt)
    found = with_sass(Capture("x.py", tuple(kernels))).kernels
    assert [parse_sass(kernel.stages["sass"]).functions[0].name for kernel in found] == ["add"] * 3


@pytest.mark.usefixtures("cache")
def test_a_damaged_cubin_costs_no_other(kernels):
    damaged = kernels[0].binary[:-200]
    broken = CompiledKernel("broken", "cuda:90", binaries={"cubin": damaged})
    first, second = with_sass(Capture("x.py", (broken, kernels[1]))).kernels
    assert "sass" not in first.stages
    assert "EXIT" in second.stages["sass"]


def test_what_has_relocated_code_or_no_code_is_not_joined(kernels):
    binary = kernels[0].binary
    assert joins(binary) is not None
    assert joins(binary[:100]) is None
    assert joins(b"") is None
    relocated = joined([binary]).replace(b".rela.debug_line\0", b".rela.text.gi0\0\0\0")
    assert joins(relocated) is None


def test_sections_of_what_was_joined_lie_within_it(kernels):
    whole = joined([kernel.binary for kernel in kernels])
    names = [section.name for section in sections(whole)]
    assert [name for name in names if name.startswith(".text.")] == [f".text.gi{i}" for i in range(len(kernels))]
    with pytest.raises((struct.error, ValueError, IndexError, KeyError)):
        joined([kernels[0].binary[:80]])


def test_a_listing_without_code_has_no_parts():
    assert parts("", ["a"]) == []
