from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gluon_inspect.model.artifact import Capture, ScriptError
from gluon_inspect.model.request import Request
from gluon_inspect.workflow.cache import ReportCache
from tests.report import samples

REQUEST = Request(("k.py",), ("cuda:90",))
REPORT = samples.ordinary()


@pytest.fixture
def read(tmp_path: Path) -> Path:
    file = tmp_path / "k.py"
    file.write_text("one")
    return file


@pytest.fixture
def cache(tmp_path: Path, read: Path) -> ReportCache:
    cache = ReportCache(tmp_path / "cache")
    cache.put("k.py", "cuda:90", REQUEST, Capture("k.py", (), files=(str(read),)), REPORT)
    return cache


def test_the_same_again_is_at_hand(cache: ReportCache):
    assert cache.get("k.py", "cuda:90", REQUEST) == REPORT


def test_a_changed_or_lost_file_is_not_the_same(cache: ReportCache, read: Path):
    read.write_text("two")
    assert cache.get("k.py", "cuda:90", REQUEST) is None
    read.write_text("one")
    assert cache.get("k.py", "cuda:90", REQUEST) == REPORT
    read.unlink()
    assert cache.get("k.py", "cuda:90", REQUEST) is None


@pytest.mark.parametrize(
    "request_",
    [
        replace(REQUEST, script_arguments=("-x",)),
        replace(REQUEST, programs=4),
        replace(REQUEST, kernels=("copy*",)),
    ],
)
def test_another_question_has_another_answer(cache: ReportCache, request_: Request):
    assert cache.get("k.py", "cuda:90", request_) is None


def test_other_targets_and_environments_too(cache: ReportCache, monkeypatch: pytest.MonkeyPatch):
    assert cache.get("k.py", "cuda:80", REQUEST) is None
    monkeypatch.setenv("TRITON_F32_DEFAULT", "ieee")
    assert cache.get("k.py", "cuda:90", REQUEST) is None


def test_what_was_not_all_seen_is_not_kept(tmp_path: Path):
    cache = ReportCache(tmp_path / "cache")
    cache.put("k.py", "cuda:90", REQUEST, Capture("k.py", ()), REPORT)
    cache.put("k.py", "cuda:90", REQUEST, Capture("k.py", (), files=(), error=ScriptError("no")), REPORT)
    assert cache.get("k.py", "cuda:90", REQUEST) is None


@pytest.mark.parametrize("content", [b"", b"{}", b"{}\nnot compressed", b"[]\n", b"\xff\n\xff"])
def test_a_broken_entry_is_as_good_as_none(cache: ReportCache, tmp_path: Path, content: bytes):
    for entry in (tmp_path / "cache" / "reports").iterdir():
        entry.write_bytes(content)
    assert cache.get("k.py", "cuda:90", REQUEST) is None
