"""Recordings split off one process that has torch and Triton: as if each had a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gluon_inspect.errors import CaptureError
from gluon_inspect.recording.prepared import prepared
from gluon_inspect.recording.record import record
from tests.recording.scripts import ADD, write
from tests.recording.test_record import running, until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="nothing is prepared elsewhere")

LAUNCH = """
x = torch.ones(256, device="cuda")
add[(1,)](x, x, x, 256)
"""

SCRIPT = (
    ADD
    + """
import os, sys
assert os.getpgid(0) == os.getpid() and sys.stdin.read() == ""
assert sys.argv[1:] == ["one"] and not hasattr(triton, "mark") and "MARK" not in os.environ
triton.mark = os.environ["MARK"] = "left behind"
open(os.environ["PIDS"], "a").write(f"{os.getpid()} {os.getppid()}\\n")
"""
    + LAUNCH
)

ENDLESS = """
import os, time
open(os.environ["PIDS"], "w").write(f"{os.getpid()} {os.getppid()}")
time.sleep(600)
"""

RECORDER = """
import sys
from gluon_inspect.recording.prepared import prepared
from gluon_inspect.recording.record import record
with prepared():
    record(sys.argv[1], "cuda:90")
"""


def test_recordings_are_alike_and_leave_nothing_to_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIDS", str(tmp_path / "pids"))
    script = write(tmp_path, SCRIPT)
    with prepared():
        first, second = (record(script, target, argv=["one"]) for target in ("cuda:90", "hip:gfx942"))
        with pytest.raises(CaptureError, match="SIGABRT"):
            record(write(tmp_path, "import os\nos.abort()\n", "dies.py"), "cuda:90")
        with pytest.raises(CaptureError, match="stopped after"):
            record(write(tmp_path, "while True: pass", "endless.py"), "cuda:90", timeout_seconds=0.2)
    assert first.error is second.error is None
    assert [each.kernels[0].target for each in (first, second)] == ["cuda:90", "hip:gfx942"]
    (one, waiting), (other, same) = (line.split() for line in (tmp_path / "pids").read_text().splitlines())
    assert one != other
    assert waiting == same
    assert not running(int(waiting))


def test_a_recording_ends_with_its_recorder(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    command = [sys.executable, "-c", RECORDER, write(tmp_path, ENDLESS)]
    recorder = subprocess.Popen(command, env=os.environ | {"PIDS": str(pids)}, stderr=subprocess.DEVNULL)
    until(lambda: pids.exists() and pids.read_text() != "")
    recorder.kill()
    recorder.wait()
    until(lambda: not any(running(int(pid)) for pid in pids.read_text().split()))


def test_where_the_prepared_process_is_gone_another_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gluon_inspect.recording.prepared.PREPARED", "--no-such-folder")
    with prepared():
        capture = record(
            write(tmp_path, ADD + "x = torch.ones(8, device='cuda')\nadd[(1,)](x, x, x, 8)\n"), "cuda:90"
        )
    assert [kernel.name for kernel in capture.kernels] == ["add"]
