"""A Triton cache with a thousand kernels is listed at once, and read kernel by kernel."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from gluon_inspect.loading import folders, load
from gluon_inspect.pipeline import inspect

ENTRIES = 1000
SECONDS = 2.0
"""Of the processor's time."""
_METADATA = {"name": "k", "target": {"backend": "cuda", "arch": 90, "warp_size": 32}, "num_warps": 4}


def _entry(folder: Path, number: int, text: str) -> None:
    entry = folder / f"ENTRY{number:04}"
    entry.mkdir()
    for suffix in ("source", "ttgir", "llir", "ptx"):
        (entry / f"k.{suffix}").write_text(text)
    (entry / "k.cubin").write_bytes(b"\x7fELF" + bytes(20_000))
    (entry / "k.json").write_text(json.dumps(_METADATA | {"shared": number}))
    (entry / "__grp__k.json").write_text("{}")


def test_a_thousand_entries_are_listed_in_two_seconds_of_work(tmp_path: Path) -> None:
    text = "module {\n" + "  // filler\n" * 2000 + "}\n"
    for number in range(ENTRIES):
        _entry(tmp_path, number, text)
    start = time.process_time()
    kernels = load(tmp_path).kernels
    assert time.process_time() - start < SECONDS
    assert [kernel.metadata["shared"] for kernel in kernels] == list(range(ENTRIES))
    assert kernels[500].stages["ttgir"] == text


def test_listing_reads_no_text_and_no_binary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _entry(tmp_path, 0, "module {}")
    read: list[str] = []
    monkeypatch.setattr(folders, "read_content", lambda path: read.append(path.name) or b"")
    (kernel,) = load(tmp_path).kernels
    assert list(kernel.binaries) == ["cubin"]
    assert read == []
    assert kernel.binary == b""
    assert read == ["k.cubin"]


def test_a_file_that_vanished_costs_its_own_kernel(tmp_path: Path) -> None:
    for number in range(2):
        _entry(tmp_path, number, "module { tt.func @k() { tt.return } }")
    capture = load(tmp_path)
    (tmp_path / "ENTRY0000" / "k.ttgir").unlink()
    first, second = inspect(capture).kernels
    assert "k.ttgir: cannot read the file: No such file or directory" in first.unread
    assert second.unread == ""


def test_texts_without_metadata_say_themselves_what_they_are(tmp_path: Path) -> None:
    module = 'module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950"} {\n  tt.func public @copy()'
    (tmp_path / "a.ttgir").write_text(module)
    (tmp_path / "b.ttgir").write_text(module.replace("hip:gfx950", "").replace("@copy", "@other"))
    found = load(tmp_path, target="cuda:90").kernels
    assert [(kernel.name, kernel.target) for kernel in found] == [("copy", "hip:gfx950"), ("other", "cuda:90")]
