"""tritonparse traces, in the shape of its published schema."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from gluon_inspect.errors import ParseError
from gluon_inspect.loading import load
from gluon_inspect.model.artifact import TensorArgument

NAMED = """#loc = loc("/w/k.py":7:0)
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
  tt.func public @k(%x: !tt.ptr<f32> loc("x"(#loc)), %n: i32 loc("n"(#loc))) { tt.return }
}
"""
ANONYMOUS = NAMED.replace('%x: !tt.ptr<f32> loc("x"(#loc))', "%arg0: !tt.ptr<f32>").replace(
    '%n: i32 loc("n"(#loc))', "%arg1: i32"
)


def compilation(ttgir: str, key: str = "h") -> dict[str, object]:
    target = {"backend": "cuda", "arch": 90, "warp_size": 32}
    return {
        "event_type": "compilation",
        "payload": {
            "metadata": {"hash": key, "name": "k", "target": target, "num_warps": 4, "extern_libs": []},
            "file_content": {"k.ttgir": ttgir, "k.json": "{}"},
            "python_source": {"file_path": "/w/k.py", "start_line": 7, "code": "@triton.jit\ndef k(): pass"},
        },
    }


def launch(address: str, n: int, stride: int = 1) -> dict[str, object]:
    tensor = {"type": "tensor", "dtype": "torch.float32", "shape": [8], "stride": [1], "data_ptr": address}
    scalars = {"stride": stride, "n": n, "BLOCK": 64}
    arguments = {"x": tensor} | {name: {"type": "int", "value": value} for name, value in scalars.items()}
    return {
        "event_type": "launch",
        "name": "k",
        "grid": [2, 3],
        "compilation_metadata": {"hash": "h"},
        "extracted_args": arguments,
    }


def trace(folder: Path, *events: object) -> Path:
    path = folder / "trace.ndjson.gz"
    path.write_bytes(gzip.compress("\n".join(json.dumps(event) for event in events).encode()))
    return path


def test_compilations_and_counted_launches(tmp_path: Path) -> None:
    events = (
        compilation(NAMED),
        launch("0x400", 8),
        launch("0x800", 8),
        launch("0x800", 9),
        {"event_type": "new"},
    )
    capture = load(trace(tmp_path, *events))
    (kernel,) = capture.kernels
    assert (kernel.name, kernel.target, kernel.metadata["num_warps"]) == ("k", "cuda:90", 4)
    assert list(kernel.stages) == ["ttgir"]
    assert capture.sources["/w/k.py"].splitlines()[6] == "@triton.jit"
    assert [entry.count for entry in kernel.launches] == [2, 1]
    assert kernel.launches[0].grid == (2, 3, 1)
    assert kernel.launches[0].arguments == {"x": TensorArgument("float32", (8,), (1,), 0x400), "n": 8}


def test_arguments_by_order_where_the_ir_has_no_names(tmp_path: Path) -> None:
    (kernel,) = load(trace(tmp_path, compilation(ANONYMOUS), launch("0x400", 8))).kernels
    assert kernel.launches[0].arguments == {"arg0": TensorArgument("float32", (8,), (1,), 0x400), "arg1": 8}


@pytest.mark.parametrize(
    "events",
    [
        ({"event_type": "compilation", "payload": {}},),
        (compilation(NAMED), {"event_type": "launch"}),
        (compilation(NAMED), launch("not an address", 8)),
    ],
)
def test_a_broken_event_is_told_with_its_line(tmp_path: Path, events: tuple[object, ...]) -> None:
    with pytest.raises(ParseError) as caught:
        load(trace(tmp_path, *events))
    assert caught.value.position is not None
    assert caught.value.position.line == len(events)


def test_a_torn_line_is_told(tmp_path: Path) -> None:
    path = tmp_path / "trace.ndjson"
    path.write_text(json.dumps(compilation(NAMED)) + '\n{"event_type": ')
    with pytest.raises(ParseError, match="not JSON"):
        load(path)
