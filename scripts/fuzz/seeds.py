"""The inputs that are changed: valid ones, small, from the tests' own data."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from gluon_inspect.loading import load
from gluon_inspect.model.report import Report
from gluon_inspect.model.request import Request
from gluon_inspect.report import load_format
from gluon_inspect.workflow.inspection import inspect_all
from tests.measure import nsight_file

DATA = Path(__file__).resolve().parents[2] / "tests" / "data"


@cache
def captures() -> tuple[bytes, ...]:
    """Two recordings with binaries."""
    return tuple(path.read_bytes() for path in sorted((DATA / "hostile").glob("*.gi")))


def _kernels() -> Iterator[Any]:
    for path in sorted((DATA / "hostile").glob("*.gi")):
        yield from load(path).kernels


@cache
def ir_seeds() -> list[bytes]:
    """TTGIR of small kernels."""
    stages = [kernel.stages["ttgir"].encode() for kernel in _kernels()]
    return stages + [path.read_bytes() for path in sorted((DATA / "shared").glob("*.ttgir"))]


def files(pattern: str) -> list[bytes]:
    """The tests' own files."""
    return [path.read_bytes() for path in sorted(DATA.glob(pattern))]


def binaries(kind: str) -> list[bytes]:
    """The recordings' binaries of a kind."""
    return [kernel.binaries[kind] for kernel in _kernels() if kind in kernel.binaries]


def log_seeds() -> list[bytes]:
    """Dump logs of small kernels."""
    return [gzip.decompress(one) for one in files("passes/*coalesced*.log.gz")]


def profile_seeds() -> list[bytes]:
    """A profiler's file with one binary and one launch."""
    made = nsight_file
    source, launch = (
        made.source(1, binaries("cubin")[0]),
        made.launch("copy_1d", (4, 1, 1), {0: 1.5, 1: 20, 2: "x"}),
    )
    return [made.report(made.block([source], [launch], made.NAMES))]


def trace_seeds() -> list[bytes]:
    """A compilation and a launch as tritonparse writes them."""
    kernel = next(iter(_kernels()))
    argument = {
        "type": "tensor",
        "dtype": "torch.float32",
        "shape": [4096],
        "stride": [1],
        "data_ptr": "0x7f0000000000",
    }
    metadata = {"hash": "1", "name": "copy_1d", "target": {"backend": "cuda", "arch": 90}}
    source = {"file_path": "/src/copy_1d.py", "start_line": 4, "code": "def copy_1d(): ..."}
    content = {"copy_1d.ttgir": kernel.stages["ttgir"], "copy_1d.ptx": kernel.stages["ptx"]}
    payload = {"metadata": metadata, "python_source": source, "file_content": content}
    launch = {
        "event_type": "launch",
        "compilation_metadata": metadata,
        "extracted_args": {"src": argument, "dst": argument, "n": {"type": "int", "value": 4096}},
        "grid": [4],
    }
    return [
        b"\n".join(json.dumps(one).encode() for one in ({"event_type": "compilation", "payload": payload}, launch))
    ]


@cache
def good_report() -> Report:
    """The report on a recording."""
    path = next(iter(sorted((DATA / "hostile").glob("*.gi"))))
    return inspect_all(Request((str(path),), disassemblers=0)).report()


def baseline_seeds() -> list[bytes]:
    """That report as a baseline."""
    return [load_format("json").render(good_report()).encode()]


def configuration_seeds() -> list[bytes]:
    """Every setting there is."""
    budget = '[[budget]]\nkernel = "copy*"\ntarget = "cuda:90"\nregisters = 64\nsectors-per-request = 8\n'
    return [f'fail-on = "warning"\ntarget = ["cuda:90"]\nbaseline = "base.json"\n\n{budget}'.encode()]


def metadata_seeds() -> list[bytes]:
    """What Triton writes beside a kernel in its cache."""
    target = {"backend": "cuda", "arch": 90, "warp_size": 32}
    return [json.dumps({"name": "copy_1d", "target": target, "num_warps": 4, "num_ctas": 1, "shared": 0}).encode()]
