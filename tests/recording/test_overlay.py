"""A script finds files changed that are not: itself, and what it imports."""

from __future__ import annotations

from pathlib import Path

from gluon_inspect.recording.record import record

MODULE = """
import triton
import triton.language as tl

SIZE = 64

@triton.jit
def fill(dst, SIZE: tl.constexpr):
    tl.store(dst + tl.arange(0, SIZE), 1.0)
"""
SCRIPT = """
import torch
from pathlib import Path
from kernels import SIZE, fill

assert Path(__file__).with_name("beside.txt").read_text() == "beside"
fill[(2,)](torch.empty(256, device="cuda"), SIZE)
"""


def test_the_script_and_a_module_are_read_as_they_are_to_become(tmp_path: Path):
    module, script = tmp_path / "kernels.py", tmp_path / "launch.py"
    module.write_text(MODULE)
    script.write_text(SCRIPT)
    (tmp_path / "beside.txt").write_text("beside")
    texts = {
        str(module): MODULE.replace("SIZE = 64", "SIZE = 128").replace("1.0", "2.0"),
        str(script): SCRIPT.replace("(2,)", "(1,)"),
    }
    capture = record(str(script), "cuda:90", texts=texts)
    assert capture.error is None
    (kernel,) = capture.kernels
    assert kernel.constexprs == {"SIZE": "128"}
    assert "2.000000e+00" in kernel.stages["ttir"]
    assert [launch.grid for launch in kernel.launches] == [(1, 1, 1)]
    assert capture.sources == texts
    assert module.read_text() == MODULE
    assert not list(tmp_path.rglob("*.pyc"))
