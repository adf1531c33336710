"""The plugin in a pytest of its own, as a user's project would run it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = """
import pytest
import torch
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def copy(src, dst, row_stride, layout: gl.constexpr, ROWS: gl.constexpr, COLUMNS: gl.constexpr):
    row = gl.arange(0, ROWS, layout=gl.SliceLayout(1, layout))
    column = gl.arange(0, COLUMNS, layout=gl.SliceLayout(0, layout))
    offsets = row[:, None] * row_stride + column[None, :]
    gl.store(dst + offsets, gl.load(src + offsets))


GOOD = gl.BlockedLayout([1, 4], [1, 32], [4, 1], [1, 0])
BAD = gl.BlockedLayout([1, 1], [32, 1], [4, 1], [1, 0])


def inspected(inspect_kernel, layout):
    src = torch.empty(64, 128)
    return inspect_kernel(copy, src, torch.empty_like(src), src.stride(0), layout=layout, ROWS=64, COLUMNS=128)


def test_good(inspect_kernel):
    report = inspected(inspect_kernel, GOOD)
    assert report.access(line=13, direction="load").sectors_per_request <= 16
    assert report.has_no("uncoalesced-access")


def test_bad(inspect_kernel):
    report = inspected(inspect_kernel, BAD)
    assert not report.has_no("GI101")
    assert report.access(direction="store").sectors_per_request == 32


def test_arguments_that_cannot_travel(inspect_kernel):
    with pytest.raises(Exception, match="an argument of type object cannot be passed"):
        inspect_kernel(copy, object())
"""


def run(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(folder), *options]
    if not _installed():
        command[3:3] = ["-p", "gluon_inspect.pytest_plugin"]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)


def _installed() -> bool:
    from importlib.metadata import entry_points

    return any(point.value == "gluon_inspect.pytest_plugin" for point in entry_points(group="pytest11"))


def test_a_projects_tests_can_ask_about_their_kernels(tmp_path: Path):
    (tmp_path / "test_kernels.py").write_text(PROJECT)
    done = run(tmp_path, f"--gluon-report={tmp_path / 'out.html'}")
    assert "3 passed" in done.stdout, done.stdout + done.stderr
    page = (tmp_path / "out.html").read_text()
    assert "uncoalesced-access" in page
    assert page.count("<section") == 2


def test_workers_of_xdist_give_one_file_in_the_tests_order(tmp_path: Path):
    (tmp_path / "test_kernels.py").write_text(PROJECT)
    done = run(tmp_path, "-n", "2", f"--gluon-report={tmp_path / 'out.json'}")
    assert "3 passed" in done.stdout, done.stdout + done.stderr
    kernels = json.loads((tmp_path / "out.json").read_text())["kernels"]
    assert [len(kernel["findings"]) > 0 for kernel in kernels] == [True, False]
    assert [file.name for file in tmp_path.glob("out*")] == ["out.json"]


@pytest.mark.parametrize("file", ["out.doc", "out"])
def test_a_report_without_a_format_is_refused_at_once(tmp_path: Path, file: str):
    (tmp_path / "test_nothing.py").write_text("def test_nothing():\n    raise SystemExit\n")
    done = run(tmp_path, f"--gluon-report={file}")
    assert done.returncode == 4
    assert "no format has the suffix" in done.stderr
