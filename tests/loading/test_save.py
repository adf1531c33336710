"""Capture files: what goes in comes out; what we did not write is refused in one line."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest
import triton
from hypothesis import given, settings
from hypothesis import strategies as st

from gluon_inspect.cli import main
from gluon_inspect.errors import ParseError
from gluon_inspect.loading import load
from gluon_inspect.loading.redact import redact
from gluon_inspect.loading.save import load_capture, save_capture
from gluon_inspect.model.artifact import (
    Capture,
    CompiledKernel,
    DescriptorArgument,
    Launch,
    PixelBox,
    ScriptError,
    TensorArgument,
)
from tests.recording.scripts import write

tensors = st.builds(
    TensorArgument,
    st.sampled_from(["float32", "int8"]),
    st.tuples(st.integers(0, 9), st.integers(0, 9)),
    st.tuples(st.integers(0, 9), st.integers(0, 9)),
    st.integers(0, 1 << 47),
    st.none() | st.lists(st.integers(-9, 9), max_size=4).map(tuple),
)
corners = st.tuples(st.integers(-9, 9))
boxes = st.none() | st.builds(PixelBox, corners, corners, st.tuples(st.integers(1, 8)))
descriptors = st.builds(DescriptorArgument, tensors, st.tuples(st.integers(1, 9)), st.text(max_size=5), boxes)
arguments = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(), tensors, descriptors
)
launches = st.builds(
    Launch,
    st.text(max_size=5),
    st.integers(1, 9),
    st.none() | st.tuples(st.integers(1, 9), st.integers(1, 9), st.integers(1, 9)),
    st.dictionaries(st.text(max_size=4), arguments, max_size=3),
)
words = st.dictionaries(st.text(max_size=4), st.text(max_size=9), max_size=3)
kernels = st.builds(
    CompiledKernel,
    name=st.text(max_size=5),
    target=st.just("cuda:90"),
    stages=words,
    binaries=st.dictionaries(st.just("cubin"), st.binary(min_size=1, max_size=20), max_size=1),
    dumps=st.builds(lambda text: {"passes": text} if text else {}, st.text(max_size=20)),
    constexprs=words,
    metadata=st.dictionaries(st.text(max_size=4), st.integers() | st.booleans() | st.none(), max_size=3),
    launches=st.lists(launches, max_size=2).map(tuple),
    error=st.text(max_size=5),
    compile_seconds=st.none() | st.floats(0, 9),
)
captures = st.builds(
    Capture,
    st.text(max_size=5),
    st.lists(kernels, max_size=3).map(tuple),
    words,
    st.lists(st.text(max_size=5), max_size=2).map(tuple),
    st.none()
    | st.builds(ScriptError, st.text(max_size=5), st.text(max_size=5), st.integers(0, 9), st.text(max_size=5)),
)

SMALL = Capture(
    "k.py", (CompiledKernel("k", "cuda:90", stages={"ttgir": "module {}"}, dumps={"passes": "x" * 10_000}),)
)


@settings(max_examples=60, deadline=None)
@given(captures)
def test_roundtrip(tmp_path_factory: pytest.TempPathFactory, capture: Capture) -> None:
    path = tmp_path_factory.mktemp("save") / "run.gi"
    save_capture(capture, path)
    assert load_capture(path) == capture


def test_the_same_capture_gives_the_same_bytes(tmp_path: Path) -> None:
    save_capture(SMALL, tmp_path / "a.gi")
    save_capture(SMALL, tmp_path / "b.gi")
    assert (tmp_path / "a.gi").read_bytes() == (tmp_path / "b.gi").read_bytes()


def test_load_knows_a_capture_by_its_content(tmp_path: Path) -> None:
    save_capture(SMALL, tmp_path / "anything")
    assert load(tmp_path / "anything") == SMALL


def archive(**members: bytes | str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in members.items():
            made.writestr(name.replace("_dot_", ".").replace("_up_", "../").replace("_in_", "/"), data)
    return content.getvalue()


def index(**changes: object) -> str:
    whole = {"format": "gluon-inspect capture", "version": 1, "origin": "", "notes": [], "error": None}
    return json.dumps(whole | {"sources": {}, "kernels": []} | changes)


_LAUNCH = {"id": "l", "count": float("inf"), "grid": None, "arguments": {}}
_GRID = _LAUNCH | {"count": 1, "grid": [2**70, 1, 1]}
_BELOW = _LAUNCH | {"count": 1, "grid": [1, -1, 1]}
_KERNEL: dict[str, object] = {"name": "k", "target": "cuda:90", "triton_version": "", "stages": {}, "binary": ""}
_KERNEL |= {"dump": "", "constexprs": {}, "signature": {}, "metadata": {}, "source_file": "", "source_line": 0}
_KERNEL |= {"error": "", "compile_seconds": None}


def _locked() -> bytes:
    """The flag of a password on the index, in both of its headers."""
    content = bytearray(archive(index_dot_json=index()))
    for mark, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(mark) + flags] |= 1
    return bytes(content)


HOSTILE = {
    "path traversal": archive(index_dot_json=index(), _up__up_etc_in_passwd="x"),
    "a pickle": archive(index_dot_json=index(), data_dot_pkl=b"\x80\x04."),
    "no index": archive(blobs_in_0123456789abcdef01234567="x"),
    "another format": archive(index_dot_json='{"format": "something"}'),
    "an index that is a list": archive(index_dot_json="[]"),
    "another version": archive(index_dot_json=index(version=99)),
    "a missing blob": archive(index_dot_json=index(sources={"a": "0" * 24})),
    "a blob's name with a path": archive(index_dot_json=index(sources={"a": "../../etc/passwd"})),
    "a kernel that is a number": archive(index_dot_json=index(kernels=[3])),
    "an index too deep": archive(index_dot_json="[" * 100_000),
    "a count beyond all bounds": archive(index_dot_json=index(kernels=[_KERNEL | {"launches": [_LAUNCH]}])),
    "a grid beyond all bounds": archive(index_dot_json=index(kernels=[_KERNEL | {"launches": [_GRID]}])),
    "a grid below zero": archive(index_dot_json=index(kernels=[_KERNEL | {"launches": [_BELOW]}])),
    "a password": _locked(),
    "no zip": b"PK\x03\x04 not really",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_we_did_not_write_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "bad.gi").write_bytes(HOSTILE[name])
    with pytest.raises(ParseError) as caught:
        load_capture(tmp_path / "bad.gi")
    assert caught.value.position is not None
    assert "\n" not in str(caught.value)


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gluon_inspect.loading.save.LIMIT_BYTES", 1000)
    save_capture(SMALL, tmp_path / "bomb.gi")
    with pytest.raises(ParseError, match="unpacks to more than"):
        load_capture(tmp_path / "bomb.gi")


def test_a_bomb_within_the_limit_is_told_by_its_ratio(tmp_path: Path) -> None:
    size = 70 << 20
    (tmp_path / "bomb.gi").write_bytes(
        archive(index_dot_json=index(), blobs_in_0123456789abcdef01234567=bytes(size))
    )
    with pytest.raises(ParseError, match="times its size"):
        load_capture(tmp_path / "bomb.gi")


def test_a_blob_counts_as_often_as_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gluon_inspect.loading.save.LIMIT_BYTES", 100_000)
    blob = "0123456789abcdef01234567"
    sources = dict.fromkeys(map(str, range(200)), blob)
    (tmp_path / "bomb.gi").write_bytes(
        archive(index_dot_json=index(sources=sources), **{f"blobs_in_{blob}": "x" * 999})
    )
    with pytest.raises(ParseError, match="unpacks to more than"):
        load_capture(tmp_path / "bomb.gi")


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9, 0.99])
def test_a_truncated_file_is_refused(tmp_path: Path, part: float) -> None:
    save_capture(SMALL, tmp_path / "whole.gi")
    whole = (tmp_path / "whole.gi").read_bytes()
    (tmp_path / "cut.gi").write_bytes(whole[: int(len(whole) * part)])
    with pytest.raises(ParseError, match="not a whole capture file"):
        load_capture(tmp_path / "cut.gi")


_SECRET = """import torch
from triton.experimental import gluon
from triton.experimental.gluon import language as gl

# a remark that nobody else may read
LAYOUT = gl.BlockedLayout([1], [LANES], [4], [0])


@gluon.jit
def total(src, dst, n, note: gl.constexpr, LAYOUT: gl.constexpr):
    offsets = gl.arange(0, 128, LAYOUT)
    unreleased_idea = gl.load(src + offsets, mask=offsets < n)
    gl.store(dst, gl.sum(unreleased_idea, 0))


@gluon.jit
def refused(src, LAYOUT: gl.constexpr):
    another_idea = gl.arange(0, 128, LAYOUT) + gl.arange(0, 256, LAYOUT)
    gl.store(src + another_idea, another_idea)


x = torch.ones(128, device="cuda")
total[(1,)](x, x, 100, __file__, LAYOUT)
refused[(1,)](x, LAYOUT)
"""


@pytest.mark.parametrize(("target", "lanes"), [("cuda:90", 32), ("hip:gfx942", 64)])
def test_nothing_of_the_source_and_no_folder_is_in_a_redacted_file(
    tmp_path: Path, target: str, lanes: int, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "unreleased project"
    folder.mkdir()
    script = Path(write(folder, _SECRET.replace("LANES", str(lanes))))
    assert main(["capture", str(script), "--target", target, "--redact", "-o", str(tmp_path / "run.gi")]) == 2
    told = capsys.readouterr().err
    assert "2 kernels, 1 launch: source, ttgir, llir, " in told
    assert "pass dumps, no binaries, no source text" in told
    with zipfile.ZipFile(tmp_path / "run.gi") as file:
        content = "\n".join(file.read(name).decode() for name in file.namelist())
    lines = [line.strip() for line in _SECRET.splitlines() if len(line.strip()) >= 6]
    assert [line for line in lines if line in content] == []
    folders = [str(tmp_path), "unreleased project", str(Path(triton.__file__).parent), str(Path.home())]
    assert [name for name in folders if name in content] == []
    assert f'loc(\\"{script.name}\\":12:' in content or f'loc("{script.name}":12:' in content


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('loc("/home/me/secret/k.py":3:1)', 'loc("k.py":3:1)'),
        ('loc("secret/k.py":3:1)', 'loc("k.py":3:1)'),
        ('!DIFile(filename: "k.py", directory: "/home/me/secret")', '!DIFile(filename: "k.py", directory: "")'),
        ('\t.file\t1 "/home/me/secret" "k.py"', '\t.file\t1 "k.py"'),
        ('\t.file\t1 "/home/me/secret/k.py"', '\t.file\t1 "k.py"'),
        ("cannot open '/home/me/my secret/a.bin'", "cannot open 'a.bin'"),
        ("cannot enter '/home/me/secret'", "cannot enter ''"),
        ("/home/me/secret/k.py:3:4: error: no", "k.py:3:4: error: no"),
        ("secret/k.py:3:4: error: no", "k.py:3:4: error: no"),
        ("~/secret/x.json", "x.json"),
        ("a CompilationError: at 2:8:\n    x = idea()\n        ^\nno", "a CompilationError: at 2:8:\nno"),
        ("    x = 12 + idea()", ""),
        ("        /*0010*/ LDG.E R2, [R4] ; /* 0x01 */", "        /*0010*/ LDG.E R2, [R4] ; /* 0x01 */"),
        ("// -----// IR Dump Before A (a) ('tt.func' operation: @k) //----- //", None),
        ("%0 = arith.divsi %a, %b : i32 loc(#loc3)", None),
    ],
)
def test_what_redaction_takes_and_what_it_leaves(text: str, left: str | None) -> None:
    kernel = CompiledKernel("k", "cuda:90", dumps={"passes": text})
    capture = redact(Capture("/home/me/k.py", (kernel,), {"k.py": "x = 12 + idea()\n"}, (text,)))
    assert capture.kernels[0].dump == capture.notes[0] == (text if left is None else left)
    assert (capture.origin, capture.sources) == ("k.py", {})
