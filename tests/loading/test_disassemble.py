import os
import subprocess
import sys
from pathlib import Path

import pytest

from gluon_inspect.errors import CaptureError
from gluon_inspect.loading import disassemble as module
from gluon_inspect.loading.disassemble import cache_folder, disassemble, with_sass
from gluon_inspect.model.artifact import Capture, CompiledKernel

CUBIN = b"\x7fELF\x02\x01\x01" + b"\0" * 11 + (190).to_bytes(2, "little") + b"\0" * 44


@pytest.fixture
def cache(monkeypatch, tmp_path):
    monkeypatch.setenv("GLUON_INSPECT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def tool(monkeypatch, tmp_path):
    """A stand-in for nvdisasm that counts its calls."""
    path, log = tmp_path / "nvdisasm", tmp_path / "calls"
    path.write_text(f"#!{sys.executable}\nopen({str(log)!r}, 'a').write('x')\nprint('/*0000*/ EXIT ;')\n")
    path.chmod(0o755)
    monkeypatch.setattr(module, "_bundled", lambda: path)
    return log


@pytest.mark.usefixtures("cache")
def test_nothing_is_disassembled_twice(tool):
    assert disassemble(CUBIN) == disassemble(CUBIN) == "/*0000*/ EXIT ;\n"
    assert tool.read_text() == "x"
    disassemble(CUBIN + b"other")
    assert tool.read_text() == "xx"


@pytest.mark.usefixtures("tool")
def test_a_cache_that_cannot_be_written_is_no_error(monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("GLUON_INSPECT_CACHE", str(tmp_path / "file"))
    assert disassemble(CUBIN) == "/*0000*/ EXIT ;\n"


@pytest.mark.usefixtures("cache")
def test_a_missing_tool_says_where_to_get_it(monkeypatch):
    monkeypatch.setattr(module, "_bundled", lambda: None)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(CaptureError) as error:
        disassemble(CUBIN)
    assert "nvdisasm" in error.value.message
    assert "triton" in error.value.hint


@pytest.mark.usefixtures("cache")
def test_a_missing_tool_leaves_the_capture_and_a_note(monkeypatch):
    monkeypatch.setattr(module, "_bundled", lambda: None)
    monkeypatch.setenv("PATH", "")
    kernels = tuple(CompiledKernel(name, "cuda:90", binaries={"cubin": CUBIN}) for name in "ab")
    capture = with_sass(Capture("x.py", kernels))
    assert capture.kernels == kernels
    assert len(capture.notes) == 1


@pytest.mark.usefixtures("cache", "tool")
def test_only_cubins_without_sass_are_disassembled():
    kernels = (
        CompiledKernel("a", "cuda:90", binaries={"cubin": CUBIN}),
        CompiledKernel("b", "cuda:90", binaries={"cubin": CUBIN}, stages={"sass": "kept"}),
        CompiledKernel("c", "hip:gfx942", binaries={"hsaco": b"\x7fELF"}),
    )
    found = with_sass(Capture("x.py", kernels)).kernels
    assert found[0].stages["sass"] == "/*0000*/ EXIT ;\n"
    assert found[1:] == kernels[1:]


@pytest.mark.usefixtures("cache")
def test_what_the_tool_says_of_a_damaged_cubin_is_told():
    with pytest.raises(CaptureError, match="refused"):
        disassemble(CUBIN, "k")


def test_the_cache_follows_xdg(monkeypatch):
    monkeypatch.delenv("GLUON_INSPECT_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/x")
    assert cache_folder() == Path("/x/gluon-inspect")


def test_triton_is_not_imported_to_find_its_tool():
    code = (
        "import sys; from gluon_inspect.loading.disassemble import find_tool; print(find_tool());"
        "assert 'triton._C' not in sys.modules and 'triton' not in sys.modules"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=os.environ, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().endswith("nvdisasm")
