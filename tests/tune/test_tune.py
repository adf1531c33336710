"""The command from a script to the page: compiled here, in two processes, without a GPU."""

import json

import pytest

from gluon_inspect.cli import main
from gluon_inspect.tune import family

SCRIPT = """
import torch, triton, triton.language as tl

@triton.jit
def plain(x, y, n, BLOCK: tl.constexpr, FLAG: tl.constexpr):
    lane = tl.arange(0, BLOCK) * (8 if FLAG else 1)
    at = tl.program_id(0) * BLOCK + lane % BLOCK + lane // BLOCK
    tl.static_assert(BLOCK != 32)
    tl.store(y + at, tl.load(x + at, mask=at < n), mask=at < n)

CONFIGS = [triton.Config({"BLOCK": b, "FLAG": f}) for b in (32, 256, 1024) for f in (True, False)]
tuned = triton.autotune(configs=CONFIGS, key=["n"])(plain)

def launch(kernel, n, grid=None, **more):
    x, y = (torch.empty(n, device="cuda") for _ in range(2))
    kernel[grid or (lambda meta: (triton.cdiv(n, meta["BLOCK"]),))](x, y, n, **more)

def own():
    for n in (1 << 20, 1 << 22, 1 << 22):
        launch(tuned, n)

def once():
    launch(plain, 1 << 20, BLOCK=256, FLAG=False)

def fixed():
    launch(plain, 1 << 20, (4096,), BLOCK=256, FLAG=False)
"""


@pytest.fixture
def script(tmp_path, monkeypatch):
    monkeypatch.setenv("GLUON_INSPECT_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    return path


def tuned(path, capsys, *words):
    status = main(["tune", str(path), "--format", "json", "--jobs", "2", *words])
    return status, json.loads(capsys.readouterr().out)


def blocks(ranking):
    return [(each["configuration"]["BLOCK"], each["configuration"]["FLAG"]) for each in ranking["candidates"]]


def test_the_kernels_own_configurations_for_each_of_its_launches(script, capsys, tmp_path):
    words = (f"{script}::own", "--kernel", "plain")
    status, found = tuned(words[0], capsys, *words[1:])
    assert status == 0
    assert [each["problem"] for each in found["rankings"]] == ["n=1048576", "n=4194304"]
    for ranking in found["rankings"]:
        assert {flag for _, flag in blocks(ranking)[:2]} == {"False"}
        assert {flag for _, flag in blocks(ranking)[2:]} == {"True"}
        assert all(each["registers"] and each["ctas_per_sm"] and each["band"] for each in ranking["candidates"])
        assert {each["configuration"]["BLOCK"] for each in ranking["refused"]} == {"32"}
        why = ranking["refused"][0]["why"]
        assert why == "script.py:8: CompileTimeAssertionFailure: tl.static_assert(BLOCK != 32)"
    capsys.readouterr()
    main(["tune", *words, "--plot", "BLOCK", "--svg", str(tmp_path / "x.svg")])
    text = capsys.readouterr().out
    assert "of 4 within the model's error" in text
    assert "Not ranked: 2 configurations" in text
    assert "best of 2" in text
    assert (tmp_path / "x.svg").read_text().count("<circle") == 8


def test_a_space_in_place_of_configurations_with_what_the_script_has(script, capsys):
    _, found = tuned(f"{script}::once", capsys, "--kernel", "pl*", "--space", "BLOCK=512,1024 num_warps=2,4")
    (ranking,) = found["rankings"]
    configurations = [each["configuration"] for each in ranking["candidates"]]
    assert {(each["BLOCK"], each.get("num_warps")) for each in configurations} == {
        ("256", None), ("512", "2"), ("512", "4"), ("1024", "2"), ("1024", "4"),
    }  # fmt: skip


def test_a_grid_that_the_script_fixed_shows(script, capsys):
    _, found = tuned(f"{script}::fixed", capsys, "--kernel", "plain", "--space", "BLOCK=128,256")
    (ranking,) = found["rankings"]
    assert [each["configuration"]["BLOCK"] for each in ranking["refused"]] == ["128"]
    assert "it writes 50% of what others do" in ranking["refused"][0]["why"]


GLUON = """
import torch
from triton.experimental import gluon
from triton.experimental.gluon import language as gl

@gluon.jit
def copy(x, y, layout: gl.constexpr, BLOCK: gl.constexpr):
    at = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    gl.store(y + at, gl.load(x + at))

def main():
    x, y = (torch.empty(1 << 22, device="cuda") for _ in range(2))
    copy[((1 << 22) // 1024,)](x, y, gl.BlockedLayout([1], [32], [4], [0]), 1024)
"""


def test_layouts_are_proposed_for_a_kernel_without_configurations(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("GLUON_INSPECT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(family, "_MOST", 3)
    path = tmp_path / "gluon.py"
    path.write_text(GLUON)
    status, found = tuned(f"{path}::main", capsys, "--kernel", "copy")
    (ranking,) = found["rankings"]
    layouts = [each["configuration"]["layout"] for each in ranking["candidates"]]
    assert status == 0
    assert {"BlockedLayout([4], [32], [4], [0])", "BlockedLayout([2], [32], [4], [0])"} <= set(layouts)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["{}::once", "--kernel", "plain"], "plain has no configurations of its own"),
        (["{}::once", "--kernel", "nothing"], "no kernel is named nothing"),
        (["{}::once"], "tune takes one script and one --kernel"),
        (["{}::once", "--kernel", "plain", "--svg", "x.svg"], "--svg without --plot"),
        (["{}::once", "--kernel", "plain", "--jobs", "0"], "at least one process is needed"),
        (["kernel.ttgir", "--kernel", "plain"], "kernel.ttgir is no script"),
    ],
)
def test_what_cannot_be_tuned_is_said(script, capsys, words, message):
    assert main(["tune", *(word.format(script) for word in words)]) == 2
    assert message in capsys.readouterr().err
