"""IR, captures, assembly and profiles are read where there is neither POSIX nor torch nor Triton.

A process without the modules and functions that Windows does not have stands for it; macOS has them, not /proc.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.fuzz.seeds import binaries, profile_seeds

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data"
WITHOUT = """
import os, signal, sys, sysconfig

MODULES = {modules!r}

class Without:
    def __init__(self, finder):
        self.finder = finder
    def find_spec(self, name, path=None, target=None):
        return None if name.partition(".")[0] in MODULES else self.finder.find_spec(name, path, target)

# what Python's own library imports on this system it may keep; the tool imports it afterwards and must not
import tempfile, subprocess, multiprocessing.context, concurrent.futures.process, shutil, asyncio, webbrowser
for name in MODULES:
    sys.modules.pop(name, None)
sys.meta_path[:] = [Without(finder) for finder in sys.meta_path]
sysconfig.get_config_vars()
for name in {names!r}:
    delattr(os, name) if hasattr(os, name) else None
for name in {signals!r}:
    delattr(signal, name) if hasattr(signal, name) else None
sys.platform = {platform!r} or sys.platform
from gluon_inspect.cli import main
sys.exit(main({command!r}))
"""
_ABSENT_ON_WINDOWS = ("resource", "fcntl", "pwd", "grp", "termios", "tty", "pty", "syslog", "readline")
_NAMES = (
    "killpg", "getuid", "geteuid", "getpgid", "setsid", "fork", "sched_getaffinity", "WNOHANG", "mkfifo",
    "O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "getppid", "getloadavg", "nice", "setpgid", "wait4", "statvfs",
)  # fmt: skip
_SIGNALS = ("SIGKILL", "SIGHUP", "SIGALRM", "SIGPROF", "SIGUSR1", "SIGCHLD", "setitimer", "pthread_kill")
SYSTEMS = {
    "windows": {"modules": ("torch", "triton", *_ABSENT_ON_WINDOWS), "names": _NAMES, "signals": _SIGNALS},
    "macos": {"modules": ("torch", "triton"), "names": ("sched_getaffinity",), "signals": ()},
}
COMMANDS = (
    ["report", "--format", "json", "--jobs", "1", "--fail-on", "never"],
    ["report", "--details", "--jobs", "1", "--fail-on", "never"],
    ["explain"],
)


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """One input of each kind that can be read."""
    folder = tmp_path_factory.mktemp("inputs")
    (folder / "kernel.cubin").write_bytes(binaries("cubin")[0])
    (folder / "kernel.hsaco").write_bytes(binaries("hsaco")[0])
    (folder / "profile.ncu-rep").write_bytes(profile_seeds()[0])
    log = DATA / "passes" / "triton3.9.0.coalesced.90.log.gz"
    (folder / "dump.log").write_bytes(gzip.decompress(log.read_bytes()))
    kept = [
        DATA / "shared" / "narrow_copy.ttgir",
        *sorted((DATA / "hostile").glob("*.gi")),
        *(DATA / "asm" / f"helper.{kind}" for kind in ("ptx", "g.sass", "gfx942.amdgcn")),
    ]
    return [str(path) for path in (*kept, *sorted(folder.iterdir()))]


def run(system: str, command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    platform = "darwin" if system == "macos" else ""
    code = WITHOUT.format(**SYSTEMS[system], platform=platform, command=command)
    environment = {"PATH": "", "PYTHONPATH": str(ROOT), "GLUON_INSPECT_CACHE": str(folder), "TMPDIR": str(folder)}
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_kind_of_input_is_read(system: str, command: list[str], inputs: list[str], tmp_path: Path):
    done = run(system, [command[0], *inputs, *command[1:]], tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    if "json" in command:
        assert len(json.loads(done.stdout)["kernels"]) >= len(inputs)


def test_windows_says_that_it_records_no_scripts(tmp_path: Path):
    (tmp_path / "k.py").write_text("import torch\n")
    done = run("windows", ["report", "k.py", "--jobs", "1"], tmp_path)
    assert done.returncode == 2
    assert "scripts are recorded on Linux and macOS" in done.stderr
    assert "Traceback" not in done.stderr
