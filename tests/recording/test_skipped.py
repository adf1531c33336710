"""A kernel whose compilation ends the script does not take the kernels after it along."""

from __future__ import annotations

from pathlib import Path

from gluon_inspect.recording.record import record
from tests.recording.scripts import ADD, write

BROKEN = """
@triton.jit
def broken(x):
    tl.store(x, nowhere)

x = torch.zeros(512, device="cuda")
add[(2,)](x, x, x, 512)
"""
CRASH = """
import ctypes
from triton.backends.nvidia.compiler import CUDABackend
_make_ptx = CUDABackend.make_ptx

def _make(self, source, *rest):
    if "other" in str(source):
        ctypes.string_at(0)
    return _make_ptx(self, source, *rest)

CUDABackend.make_ptx = _make

@triton.jit
def other(x):
    tl.store(x, 1.0)

other[(1,)](x)
"""
AFTER = "add[(2,)](x, x, x, 512, BLOCK=128)\n"


def test_one_that_does_not_compile(tmp_path: Path):
    capture = record(write(tmp_path, ADD + BROKEN + "broken[(1,)](x)\n" + AFTER), "cuda:90")
    assert [kernel.name for kernel in capture.kernels] == ["add", "broken", "add"]
    assert "NameError('nowhere is not defined')" in capture.kernels[1].error
    assert [len(kernel.launches) for kernel in capture.kernels] == [1, 0, 1]
    assert capture.error is None
    assert capture.notes == ()


def test_one_that_the_script_catches_is_not_run_again(tmp_path: Path):
    caught = "try:\n    broken[(1,)](x)\nexcept Exception:\n    pass\n"
    capture = record(write(tmp_path, ADD + BROKEN + caught + AFTER), "cuda:90")
    assert [kernel.name for kernel in capture.kernels] == ["add", "broken", "add"]
    assert capture.notes == ()


def test_one_that_kills_the_compiler(tmp_path: Path):
    capture = record(write(tmp_path, ADD + BROKEN + CRASH + AFTER), "cuda:90")
    assert [kernel.name for kernel in capture.kernels] == ["add", "other", "add"]
    assert capture.kernels[1].error == "the compiler died (SIGSEGV)"
    assert len(capture.kernels[2].launches) == 1


RAISED = "try:\n    broken[(1,)](x)\nexcept Exception:\n    raise\n"


def test_one_that_the_script_hears_of_and_ends_with(tmp_path: Path):
    capture = record(write(tmp_path, ADD + BROKEN + RAISED + AFTER), "cuda:90")
    assert [kernel.name for kernel in capture.kernels] == ["add", "broken", "add"]
    assert capture.error is None
    assert capture.notes == ("the script was run 2 times, at last without 1 kernel whose compilation ended it",)


def test_whoever_wants_one_run_gets_one(tmp_path: Path):
    capture = record(write(tmp_path, ADD + BROKEN + RAISED + AFTER), "cuda:90", once=True)
    assert [kernel.name for kernel in capture.kernels] == ["add", "broken"]
    assert capture.error is not None
