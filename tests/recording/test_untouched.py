"""Nothing of the user's is changed: not files, caches or variables, and in the process all is put back."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gluon_inspect.recording.environment import child_environment
from gluon_inspect.recording.record import record
from tests.recording.scripts import ADD, write

RESTORED = """
import gc, importlib, sys
import torch, triton, triton.testing, torch._dynamo
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
FakeTensorMode()
from triton.runtime.driver import driver
from gluon_inspect.recording.child.fake.guard import _slot
from gluon_inspect.recording.child import session
from gluon_inspect.recording.child.madeup import MadeUp
from gluon_inspect.recording.child.patches import Patches
from gluon_inspect.recording.journal import JournalWriter
from gluon_inspect.targets import find
from pathlib import Path

OWNERS = [torch.cuda, torch.cuda.nvtx, torch._C, torch.version, FakeTensor, driver, triton, triton.compiler,
          triton.compiler.compiler, triton.testing, torch.Tensor, torch.autograd, torch, torch.backends.cuda]

def state():
    found = {(owner, name): value for owner in map(id, OWNERS) for name, value in
             next(o for o in OWNERS if id(o) == owner).__dict__.items()}
    found["guard"] = tuple(_slot())
    found["lift"] = torch._C._only_lift_cpu_tensors()
    found["modes"] = torch._C._len_torch_dispatch_stack(), torch._C._len_torch_function_stack()
    found["path"] = list(sys.path)
    return found

before = state()
with Patches() as patches:
    session.install(patches, find("cuda:90"), JournalWriter(Path(sys.argv[1])), MadeUp())
    inside = state()
    assert torch.cuda.is_available() and torch.ones(3, device="cuda")[1:].is_cuda
after = state()
changed = [key for key in before.keys() | after.keys() if before.get(key, 0) is not after.get(key, 0)
           and before.get(key, 0) != after.get(key, 0)]
assert not changed, changed
assert inside != before
assert not torch.cuda.is_available()
"""


SETS_ITS_OWN = """
import os
for name in ("TRITON_CACHE_DIR", "TRITON_DUMP_DIR", "TRITON_HOME", "TORCHINDUCTOR_CACHE_DIR"):
    os.environ[name] = {home!r} + "/" + name.lower()
os.environ["TRITON_KERNEL_DUMP"] = os.environ["MLIR_ENABLE_DUMP"] = "1"
os.environ["TRITON_ALWAYS_COMPILE"] = "0"
import triton
triton.knobs.cache.dir = {home!r} + "/knob"
triton.knobs.compilation.dump_ir = True
"""
ADDS = """
import neighbour
x = torch.ones(256, device="cuda")
add[(1,)](x, x, x, 256)
assert triton.knobs.cache.dir.endswith("/knob"), triton.knobs.cache.dir
assert os.environ["TRITON_ALWAYS_COMPILE"] == "0"
os.chdir({home!r})
"""


def snapshot(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(path.relative_to(folder)): (path.stat().st_mtime_ns, path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_recording_leaves_files_caches_and_variables_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, work = tmp_path / "home", tmp_path / "work"
    cache = home / ".triton" / "cache"
    cache.mkdir(parents=True)
    work.mkdir()
    (cache / "kept").write_text("mine")
    script = write(work, SETS_ITS_OWN.format(home=str(home)) + ADD + ADDS.format(home=str(home)))
    write(work, "VALUE = 1\n", "neighbour.py")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("TRITON_KERNEL_DUMP", "1")
    monkeypatch.setenv("TRITON_CACHE_DIR", str(cache))
    monkeypatch.chdir(work)
    files, variables = snapshot(tmp_path), dict(os.environ)
    capture = record(script, "cuda:90")
    assert capture.error is None
    assert snapshot(tmp_path) == files
    assert dict(os.environ) == variables
    assert Path.cwd() == work


def test_everything_replaced_in_the_process_is_put_back(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", RESTORED, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr


def test_the_child_does_not_see_what_would_write_into_the_users_places(tmp_path: Path) -> None:
    user = {"PATH": "/bin", "TRITON_INTERPRET": "1", "MLIR_DUMP_PATH": "/x", "TRITON_CACHE_DIR": "/mine"}
    child = child_environment(user, tmp_path)
    assert child["PATH"] == "/bin"
    assert "TRITON_INTERPRET" not in child
    assert "MLIR_DUMP_PATH" not in child
    assert child["TRITON_CACHE_DIR"].startswith(str(tmp_path))
    assert user["TRITON_CACHE_DIR"] == "/mine"
