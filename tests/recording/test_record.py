"""One script that does most of what scripts do, recorded once; then what goes wrong."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from gluon_inspect.errors import CaptureError, UsageError
from gluon_inspect.model.artifact import Capture, CompiledKernel, TensorArgument
from gluon_inspect.recording.record import Progress, record
from tests.recording.scripts import ADD, COPY, write

EVERYTHING = (
    COPY
    + ADD.split("language as gl\n")[1]
    + """
import sys
print("a line of the script's own")
x = torch.randn(1024, device="cuda")
out = torch.empty_like(x)
copy[(4,)](x, out, 1024, 256, LAYOUT)
copy[(4,)](x[1:], out, 1023, 256, LAYOUT)
index = torch.arange(8, device="cuda", dtype=torch.int32)
for _ in range(3):
    add[lambda meta: (triton.cdiv(1024, meta["BLOCK"]),)](x, out, out, n=1024)
add[(2, 3)](index, index, out, 8, BLOCK=128, num_warps=2)

@triton.autotune(configs=[triton.Config({"BLOCK": b}) for b in (64, 128)], key=["n"])
@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@triton.jit
def tuned(x, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, i, mask=i < n)

tuned[lambda meta: (triton.cdiv(1024, meta["BLOCK"]),)](out, 1024)

@triton.jit
def broken(x):
    tl.store(x, undefined_name)

try:
    broken[(1,)](x)
except Exception as error:
    print("caught", type(error).__name__)
assert x.is_cuda and torch.cuda.is_available() and torch.cuda.get_device_capability() == (9, 0)
torch.testing.assert_close(x, x)
raise ValueError(f"deliberate {sys.argv[1:]}")
"""
)


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Capture:
    path = write(tmp_path_factory.mktemp("record"), EVERYTHING)
    return record(path, "cuda:90", argv=["--flag", "7"])


def by_name(capture: Capture, name: str) -> list[CompiledKernel]:
    return [kernel for kernel in capture.kernels if kernel.name == name]


def tensor(arguments: Mapping[str, object], name: str) -> TensorArgument:
    found = arguments[name]
    assert isinstance(found, TensorArgument)
    return found


def test_kernels_carry_every_stage_and_where_they_stand(everything: Capture) -> None:
    copy, add = by_name(everything, "copy")[0], by_name(everything, "add")[0]
    assert {"source", "ttgir", "llir", "ptx"} <= set(copy.stages)
    assert "ttir" in add.stages
    assert "ttir" not in copy.stages
    assert copy.binary[:4] == b"\x7fELF"
    lines = EVERYTHING.splitlines()
    assert "def copy" in lines[copy.source_line - 1]
    assert everything.sources[copy.source_file] == EVERYTHING
    assert copy.constexprs["BLOCK"] == "256"
    assert "BlockedLayout" in copy.constexprs["layout"]
    assert copy.metadata["num_warps"] == 4
    assert copy.target == "cuda:90"
    assert copy.triton_version.startswith("3.")
    assert copy.compile_seconds is not None
    assert copy.compile_seconds > 0


def test_each_compilation_has_its_own_dump(everything: Capture) -> None:
    for kernel in everything.kernels:
        if not kernel.error:
            assert f"@{kernel.name}(" in kernel.dump
            assert kernel.dump.count("IR Dump Before") > 20
    others = {"copy", "add", "tuned"}
    assert all(
        f"@{other}(" not in by_name(everything, name)[0].dump for name in others for other in others - {name}
    )


def test_a_launch_has_its_grid_and_run_time_arguments_by_name(everything: Capture) -> None:
    launch = by_name(everything, "copy")[0].launches[0]
    assert launch.grid == (4, 1, 1)
    assert list(launch.arguments) == ["src", "dst", "n"]
    assert launch.arguments["n"] == 1024
    source = tensor(launch.arguments, "src")
    assert (source.dtype, source.shape, source.strides) == ("float32", (1024,), (1,))
    assert source.address % 512 == 0
    assert tensor(launch.arguments, "dst").address != source.address


def test_a_shifted_view_keeps_its_alignment_and_is_another_compilation(everything: Capture) -> None:
    first, shifted = by_name(everything, "copy")
    offset = (
        tensor(shifted.launches[0].arguments, "src").address - tensor(first.launches[0].arguments, "src").address
    )
    assert offset == 4
    assert "tt.divisibility" in first.stages["ttgir"]


def test_equal_launches_are_counted_and_other_arguments_are_another_entry(everything: Capture) -> None:
    repeated, other = by_name(everything, "add")
    assert [launch.count for launch in repeated.launches] == [3]
    assert other.launches[0].grid == (2, 3, 1)
    assert other.metadata["num_warps"] == 2
    assert tensor(other.launches[0].arguments, "x").data == tuple(range(8))


def test_every_autotune_configuration_is_compiled(everything: Capture) -> None:
    tuned = by_name(everything, "tuned")
    assert {kernel.constexprs["BLOCK"] for kernel in tuned} == {"64", "128"}
    assert all(kernel.constexprs["EVEN"] == "True" for kernel in tuned)
    assert {launch.grid for kernel in tuned for launch in kernel.launches} == {(16, 1, 1), (8, 1, 1)}


def test_a_failed_compilation_is_kept_with_its_line(everything: Capture) -> None:
    (broken,) = by_name(everything, "broken")
    assert "undefined_name" in broken.error
    number = next(n for n, line in enumerate(EVERYTHING.splitlines(), 1) if "tl.store(x, undefined_name)" in line)
    assert f"kernels.py:{number}" in broken.error
    assert broken.launches == ()


def test_a_script_that_raises_keeps_what_came_before(everything: Capture) -> None:
    error = everything.error
    assert error is not None
    assert error.message == "ValueError: deliberate ['--flag', '7']"
    assert error.file.endswith("kernels.py")
    assert error.line == len(EVERYTHING.splitlines())
    assert "gluon_inspect" not in error.traceback
    assert "raise ValueError" in error.traceback


def test_a_script_without_launches_is_an_error_with_a_hint(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match="launched no Triton or Gluon kernel") as caught:
        record(write(tmp_path, "print('nothing')"), "cuda:90")
    assert caught.value.hint


def test_a_syntax_error_is_told_with_its_place(tmp_path: Path) -> None:
    with pytest.raises(CaptureError) as caught:
        record(write(tmp_path, "x = 1\ny = (\n"), "cuda:90")
    assert caught.value.position is not None
    assert caught.value.position.line == 2
    assert caught.value.excerpt.endswith("^")


def test_an_unknown_target_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown target"):
        record(write(tmp_path, "x = 1"), "cuda:91")


def test_a_script_that_kills_its_process_keeps_what_was_recorded(tmp_path: Path) -> None:
    script = ADD + "x = torch.ones(256, device='cuda')\nadd[(1,)](x, x, x, 256)\nimport os\nos.abort()\n"
    seen: list[Progress] = []
    capture = record(write(tmp_path, script), "hip:gfx942", progress=seen.append)
    assert [kernel.name for kernel in capture.kernels] == ["add"]
    assert "amdgcn" in capture.kernels[0].stages
    assert capture.error is not None
    assert "SIGABRT" in capture.error.message
    assert any(progress.compiling == "add" for progress in seen)


def test_a_script_that_never_ends_is_stopped(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match="stopped after 1 s"):
        record(write(tmp_path, "while True: pass"), "cuda:90", timeout_seconds=1)


def test_a_compilation_that_fills_the_disk_is_ended_and_loses_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gluon_inspect.recording.record.MOST_DUMP_BYTES", 1 << 20)
    endless = """
    import os
    from triton.compiler import compiler
    whole = compiler.ASTSource.make_ir
    def make_ir(source, *arguments, **keywords):
        while 64 in source.constants.values():
            os.write(2, b"a pass" * 10_000)
        return whole(source, *arguments, **keywords)
    compiler.ASTSource.make_ir = make_ir
    """
    script = (
        ADD
        + textwrap.dedent(endless)
        + textwrap.dedent(
            """
        x = torch.empty(256, device="cuda")
        for block in (128, 64):
            add[(2,)](x, x, x, 256, BLOCK=block)
        """
        )
    )
    capture = record(write(tmp_path, script), "cuda:90")
    whole, endless_one = capture.kernels
    assert (whole.error, len(whole.launches)) == ("", 1)
    assert endless_one.error.startswith("stopped while compiling add: its dump passed")
    assert capture.error is None


ENDLESS = """
import os, time
open(os.environ["PID_FILE"], "w").write(str(os.getpid()))
time.sleep(600)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child that its parent was killed")
def test_the_script_ends_when_the_recorder_is_killed(tmp_path: Path) -> None:
    script, pid_file = write(tmp_path, ENDLESS), tmp_path / "pid"
    command = [sys.executable, "-m", "gluon_inspect", "report", script]
    recorder = subprocess.Popen(command, env=os.environ | {"PID_FILE": str(pid_file)}, stderr=subprocess.DEVNULL)
    until(lambda: pid_file.exists() and pid_file.read_text() != "")
    recorder.kill()
    recorder.wait()
    until(lambda: not running(int(pid_file.read_text())))


def until(true: Callable[[], bool]) -> None:
    for _ in range(600):
        if true():
            return
        time.sleep(0.05)
    pytest.fail("it never came")


def running(pid: int) -> bool:
    """A zombie that nobody waited for has ended as well."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
