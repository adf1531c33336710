"""Whoever is ended, and when: no process and no folder of a recording outlasts the next run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gluon_inspect.cli import main
from gluon_inspect.loading import scratch
from gluon_inspect.recording.record import record
from tests.recording.scripts import ADD, write

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are followed through /proc")


LAUNCH = "x = torch.zeros(512, device='cuda')\nadd[(2,)](x, x, x, 512)\n"


_LOOKS = 6000


def is_gone(pid: int) -> bool:
    """Whether a process has ended; one that only waits to be reaped has."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def wait_until(there) -> None:
    """Until something is so; so many looks are long enough for a machine with much else to do."""
    for _ in range(_LOOKS):
        if there():
            return
        time.sleep(0.02)
    pytest.fail("it never came")


def dead_process() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_a_child_whose_parent_was_gone_before_it_was_ready_ends_at_once():
    code = "from gluon_inspect.recording.lifeline import end_with_parent; end_with_parent(1); print('alive')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")


def test_what_a_script_leaves_in_a_session_of_its_own_ends_with_the_recording(tmp_path: Path):
    daemon = (
        "import subprocess\n"
        f"left = subprocess.Popen(['sleep', '1000'], start_new_session=True)\n"
        f"open({str(tmp_path / 'pid')!r}, 'w').write(str(left.pid))\n"
    )
    capture = record(str(write(tmp_path, ADD + daemon + LAUNCH)), "cuda:90")
    assert capture.kernels
    pid = int((tmp_path / "pid").read_text())
    wait_until(lambda: is_gone(pid))


def test_sigterm_ends_script_and_children_and_leaves_no_folder(tmp_path: Path):
    folder, script = tmp_path / "tmp", tmp_path / "endless.py"
    folder.mkdir()
    script.write_text(
        "import os, subprocess, time\n"
        "left = subprocess.Popen(['sleep', '1000'])\n"
        f"open({str(tmp_path / 'new')!r}, 'w').write(f'{{os.getpid()}} {{left.pid}}')\n"
        f"os.rename({str(tmp_path / 'new')!r}, {str(tmp_path / 'pids')!r})\n"
        "while True: time.sleep(1)\n"
    )
    run = subprocess.Popen(
        [sys.executable, "-m", "gluon_inspect", "report", str(script), "--no-cache"],
        env={**os.environ, "TMPDIR": str(folder)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    wait_until((tmp_path / "pids").exists)
    run.send_signal(signal.SIGTERM)
    assert run.wait() == 128 + signal.SIGTERM
    for pid in map(int, (tmp_path / "pids").read_text().split()):
        wait_until(lambda pid=pid: is_gone(pid))
    assert list(folder.iterdir()) == []


def test_the_next_run_removes_what_a_killed_one_left(tmp_path: Path):
    left, ours, foreign = (tmp_path / name for name in (f"gluon-inspect-{dead_process()}-x", "", "other-1-x"))
    ours = tmp_path / f"gluon-inspect-{os.getpid()}-x"
    for folder in (left, ours, foreign):
        folder.mkdir()
    worker = subprocess.Popen(["sleep", "1000"], env={"TRITON_CACHE_DIR": f"{left}/cache"})
    # A process that has only just begun has no environment to read yet.
    wait_until(lambda: os.fsencode(left) in Path(f"/proc/{worker.pid}/environ").read_bytes())
    scratch.sweep(tmp_path)
    wait_until(lambda: worker.poll() == -signal.SIGKILL)
    assert sorted(tmp_path.iterdir()) == sorted([ours, foreign])


def test_sigterm_is_an_exit_of_the_command_line(monkeypatch: pytest.MonkeyPatch):
    from gluon_inspect.commands import rules

    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(rules, "run", lambda _: os.kill(os.getpid(), signal.SIGTERM))
    try:
        with pytest.raises(SystemExit, match="143"):
            main(["rules"])
    finally:
        signal.signal(signal.SIGTERM, before)
