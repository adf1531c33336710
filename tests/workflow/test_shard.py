from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gluon_inspect.cli import main
from gluon_inspect.model.request import Request
from gluon_inspect.workflow.steps import tasks_of

KERNEL = """
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @NAME() { tt.return }
}
"""


@given(st.lists(st.sampled_from(["a.py", "b.ttgir", "c.py"]), max_size=9), st.integers(1, 12))
def test_parts_hold_every_input_once(paths: list[str], parts: int):
    """And differ in length by one at most."""
    targets = ("cuda:90", "hip:gfx942")
    shares = [list(tasks_of(Request(tuple(paths), targets, shard=(n + 1, parts)))) for n in range(parts)]
    whole = list(tasks_of(Request(tuple(paths), targets)))
    assert sorted(task for share in shares for task in share) == sorted(whole)
    assert max(map(len, shares)) - min(map(len, shares)) <= 1


def test_a_part_reports_its_inputs_and_one_without_inputs_passes(tmp_path: Path):
    for name in ("first", "second", "third"):
        (tmp_path / f"{name}.ttgir").write_text(KERNEL.replace("NAME", name))
    files = [str(tmp_path / f"{name}.ttgir") for name in ("first", "second", "third")]
    out = tmp_path / "out.json"
    assert main(["report", *files, "--shard", "1/2", "--jobs", "1", "--format", f"json={out}"]) == 0
    assert [kernel["name"] for kernel in json.loads(out.read_text())["kernels"]] == ["first", "third"]
    out.unlink()
    assert main(["report", *files, "--shard", "4/4", "--jobs", "1", "--format", f"json={out}"]) == 0
    assert not out.exists()


@pytest.mark.parametrize("words", ["0/2", "3/2", "2", "a/b", "1/0", "-1/2", ""])
def test_what_is_no_part_is_said(words: str, capsys: pytest.CaptureFixture[str]):
    assert main(["report", "k.ttgir", f"--shard={words}"]) == 2
    assert f"--shard {words}: a part and how many there are, from 1/8 to 8/8" in capsys.readouterr().err


def test_a_part_is_no_baseline(capsys: pytest.CaptureFixture[str]):
    assert main(["report", "k.ttgir", "--shard", "1/2", "--baseline", "b.json", "--update-baseline"]) == 2
    assert "--update-baseline with --shard: the other parts' kernels would be lost" in capsys.readouterr().err
