"""A Triton cache with a thousand kernels is listed at once."""

from __future__ import annotations

import json
import time
from pathlib import Path

from gluon_inspect.capture.files import load

ENTRIES = 1000
SECONDS = 2.0


def test_a_thousand_entries_are_listed_within_two_seconds(tmp_path: Path) -> None:
    text = "module {\n" + "  // filler\n" * 2000 + "}\n"
    metadata = {"name": "k", "target": {"backend": "cuda", "arch": 90, "warp_size": 32}, "num_warps": 4}
    for number in range(ENTRIES):
        entry = tmp_path / f"ENTRY{number:04}"
        entry.mkdir()
        for suffix in ("source", "ttgir", "llir", "ptx"):
            (entry / f"k.{suffix}").write_text(text)
        (entry / "k.cubin").write_bytes(b"\x7fELF" + bytes(20_000))
        (entry / "k.json").write_text(json.dumps(metadata | {"shared": number}))
        (entry / "__grp__k.json").write_text("{}")
    start = time.perf_counter()
    kernels = load(tmp_path).kernels
    assert time.perf_counter() - start < SECONDS
    assert [kernel.metadata["shared"] for kernel in kernels] == list(range(ENTRIES))
    assert kernels[500].stages["ttgir"] == text
