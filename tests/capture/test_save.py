"""Capture files: what goes in comes out; what we did not write is refused in one line."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gluon_inspect.capture.files import load
from gluon_inspect.capture.redact import redact
from gluon_inspect.capture.save import load_capture, save_capture
from gluon_inspect.errors import ParseError
from gluon_inspect.model.artifact import (
    Capture,
    CompiledKernel,
    DescriptorArgument,
    Launch,
    PixelBox,
    ScriptError,
    TensorArgument,
)

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
    dump=st.text(max_size=20),
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

SMALL = Capture("k.py", (CompiledKernel("k", "cuda:90", stages={"ttgir": "module {}"}, dump="x" * 10_000),))


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
    monkeypatch.setattr("gluon_inspect.capture.save.LIMIT_BYTES", 1000)
    save_capture(SMALL, tmp_path / "bomb.gi")
    with pytest.raises(ParseError, match="unpacks to more than"):
        load_capture(tmp_path / "bomb.gi")


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9, 0.99])
def test_a_truncated_file_is_refused(tmp_path: Path, part: float) -> None:
    save_capture(SMALL, tmp_path / "whole.gi")
    whole = (tmp_path / "whole.gi").read_bytes()
    (tmp_path / "cut.gi").write_bytes(whole[: int(len(whole) * part)])
    with pytest.raises(ParseError, match="not a whole capture file"):
        load_capture(tmp_path / "cut.gi")


def test_redacting_leaves_no_source_and_no_folder() -> None:
    text = 'module { #loc = loc("/home/me/secret/k.py":3:1) }'
    kernel = CompiledKernel(
        "k",
        "cuda:90",
        stages={"ttgir": text, "llir": '!DIFile(filename: "k.py", directory: "/home/me/secret")'},
        binaries={"cubin": b"/home/me"},
        dump=text,
        source_file="/home/me/secret/k.py",
        error="/home/me/secret/k.py:3: bad",
    )
    error = ScriptError("failed in /home/me/x.py", "/home/me/x.py", 3, "Traceback /home/me")
    capture = redact(Capture("/home/me/secret/k.py", (kernel,), {"/home/me/secret/k.py": "x = 1"}, (), error))
    assert "/home" not in repr(capture)
    assert "secret" not in repr(capture)
    assert 'loc("k.py":3:1)' in capture.kernels[0].stages["ttgir"]
