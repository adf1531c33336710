"""Compilations in processes of their own: the script goes on, one that goes wrong costs its kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from gluon_inspect.loading import stored
from gluon_inspect.recording import record as recording
from gluon_inspect.recording.record import record
from tests.recording.scripts import ADD, HEAD, write

MANY = (
    ADD
    + """
x = torch.zeros(4096, device="cuda")
for block in (16, 32, 64, 128, 256, 512):
    add[(2,)](x, x, x, 4096, BLOCK=block)
"""
)
PATCHED = """
from triton.compiler import compiler
whole = compiler.ASTSource.make_ir
def make_ir(source, *arguments, **keywords):
    if 64 in source.constants.values():
        {what}
    return whole(source, *arguments, **keywords)
compiler.ASTSource.make_ir = make_ir
"""
OBJECTS = (
    HEAD
    + """
class Steps:
    def __init__(self, n):
        self.n = gl.constexpr(n)

    def __repr__(self):
        return "Steps"

@gluon.jit
def strided(x, steps: gl.constexpr):
    i = gl.arange(0, 128, gl.BlockedLayout([1], [32], [4], [0]))
    gl.store(x + i * steps.n, 1.0)

x = torch.zeros(4096, device="cuda")
for n in (1, 2, 2):
    strided[(1,)](x, Steps(n))
"""
)


def broken(what: str) -> str:
    head, tail = MANY.split("\nx = ")
    return f"{head}\n{PATCHED.format(what=what)}\nx = {tail}"


@pytest.mark.parametrize("compilers", [1, 2])
def test_kernels_and_launches_are_in_the_scripts_order(tmp_path: Path, compilers: int):
    capture = record(write(tmp_path, MANY), "cuda:90", compilers=compilers)
    assert [kernel.constexprs["BLOCK"] for kernel in capture.kernels] == ["16", "32", "64", "128", "256", "512"]
    assert [kernel.launches[0].id for kernel in capture.kernels] == [f"launch{number}" for number in range(6)]
    assert all(kernel.dump.count("IR Dump Before") > 20 for kernel in capture.kernels)


@pytest.mark.parametrize(
    ("what", "error"),
    [
        ("raise RuntimeError('no')", "RuntimeError: no"),
        ("os.kill(os.getpid(), 11)", "the compiler died (SIGSEGV)"),
        ("import numpy; x = [numpy.empty(1 << 30, 'u1') for _ in range(64)]", "MemoryError"),
    ],
)
def test_one_that_goes_wrong_costs_itself(tmp_path: Path, what: str, error: str):
    script = write(tmp_path, "import os\n" + broken(what))
    capture = record(script, "cuda:90", compilers=2)
    assert [len(kernel.launches) for kernel in capture.kernels] == [1, 1, 0, 1, 1, 1]
    assert error in capture.kernels[2].error
    assert capture.error is None
    assert capture.notes == ()


def test_one_that_does_not_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(recording, "MOST_COMPILING_SECONDS", 3)
    capture = record(write(tmp_path, broken("while True: pass")), "cuda:90", compilers=2)
    assert [len(kernel.launches) for kernel in capture.kernels] == [1, 1, 0, 1, 1, 1]
    assert capture.kernels[2].error.startswith("stopped after ")
    assert capture.error is None


def test_objects_that_look_alike_are_told_apart(tmp_path: Path):
    capture = record(write(tmp_path, OBJECTS), "cuda:90")
    assert [[launch.count for launch in kernel.launches] for kernel in capture.kernels] == [[1], [2]]
    first, second = (kernel.stages["ttgir"] for kernel in capture.kernels)
    assert first != second


def test_what_a_compilation_knows_is_waited_for(tmp_path: Path):
    asked = """
x = torch.zeros(4096, device="cuda")
kernel = add[(2,)](x, x, x, 4096)
assert kernel.n_regs > 0 and "ttgir" in kernel.asm and kernel.metadata.num_warps == 4
y = torch.arange(16, device="cuda")
add[(1,)](y, y, x, 4096)
assert y[3].item() == 3
"""
    capture = record(write(tmp_path, ADD + asked), "cuda:90")
    assert capture.error is None
    assert len(capture.kernels) == 2


def test_a_launch_that_does_not_fit_is_none(tmp_path: Path):
    large = """
@gluon.jit
def large(x):
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])
    i = gl.arange(0, 256, gl.SliceLayout(1, layout))
    j = gl.arange(0, 256, gl.SliceLayout(0, layout))
    at = x + i[:, None] * 256 + j[None, :]
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    buffer = gl.allocate_shared_memory(gl.float32, [256, 256], shared, gl.load(at))
    gl.store(at, buffer.load(layout))

x = torch.zeros(65536, device="cuda")
"""
    plain = record(write(tmp_path, HEAD + large + "large[(1,)](x)\nprint('on')\n"), "cuda:90")
    assert [launch.grid for kernel in plain.kernels for launch in kernel.launches] == [(1, 1, 1)]
    assert plain.notes == (
        "large was not launched: it needs 262144 bytes of shared memory a CTA, cuda:90 has 232448",
    )
    caught = "try:\n    large[(1,)](x)\nexcept triton.runtime.errors.OutOfResources:\n    raise SystemExit(3)\n"
    heard = record(write(tmp_path, HEAD + large + caught), "cuda:90")
    assert heard.error is not None
    assert [launch.grid for kernel in heard.kernels for launch in kernel.launches] == [(1, 1, 1)]
    assert heard.error.message == "the script exited with status 3"


def test_a_kernel_is_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GLUON_INSPECT_CACHE", str(tmp_path / "cache"))
    script = write(tmp_path, MANY)
    before = record(script, "cuda:90", cached=True)
    assert len(list((tmp_path / "cache" / "kernels").iterdir())) == 6
    poisoned = broken("raise RuntimeError('compiled again')").replace(
        "64 in", "source.constants and True or 64 in"
    )
    after = record(write(tmp_path, poisoned.replace("16, 32, 64", "8, 16, 32, 64")), "cuda:90", cached=True)
    assert [bool(kernel.error) for kernel in after.kernels] == [True, *[False] * 6]
    assert [kernel.stages["ttgir"] for kernel in after.kernels[1:]] == [k.stages["ttgir"] for k in before.kernels]


def test_a_damaged_entry_is_compiled_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GLUON_INSPECT_CACHE", str(tmp_path / "cache"))
    script = write(tmp_path, MANY)
    record(script, "cuda:90", cached=True)
    entry = next((tmp_path / "cache" / "kernels").iterdir())
    entry.write_bytes(entry.read_bytes()[:-100])
    again = record(script, "cuda:90", cached=True)
    assert [len(kernel.launches) for kernel in again.kernels] == [1] * 6
    assert stored.find(entry.stem) is not None
