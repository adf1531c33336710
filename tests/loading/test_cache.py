"""The cache gives back what was put into it or nothing, and stays within its size."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gluon_inspect.cli import main
from gluon_inspect.loading import cache


def test_an_entry_that_was_cut_or_changed_is_none(tmp_path: Path):
    file = tmp_path / "sass" / "a.sass"
    assert cache.read(file) is None
    cache.keep(file, b"all of it")
    assert cache.read(file) == b"all of it"
    whole = file.read_bytes()
    for content in (whole[:-1], whole[:10], b"", whole.replace(b"all", b"ALL")):
        file.write_bytes(content)
        assert cache.read(file) is None


def test_a_full_disk_leaves_nothing_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    cache.keep(tmp_path / "sass" / "a.sass", b"text")
    assert list((tmp_path / "sass").iterdir()) == []


def test_the_longest_unused_go_first(tmp_path: Path):
    for number in range(4):
        file = tmp_path / "sass" / f"{number}.sass"
        cache.keep(file, bytes(1000))
        os.utime(file, (number, number))
    cache.trim(tmp_path, 2500)
    assert sorted(path.name for path in (tmp_path / "sass").iterdir()) == ["2.sass", "3.sass"]


def test_the_command_shows_and_clears(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    monkeypatch.setenv("GLUON_INSPECT_CACHE", str(tmp_path))
    cache.keep(tmp_path / "sass" / "a.sass", bytes(10**6))
    assert main(["cache"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{tmp_path}: 1.0 MB of at most 2,147 MB",
        "  sass: 1 entries, 1.0 MB",
    ]
    assert main(["cache", "clear"]) == 0
    assert not (tmp_path / "sass").exists()


def test_no_home_is_no_error(monkeypatch: pytest.MonkeyPatch):
    for name in ("GLUON_INSPECT_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)

    def nowhere() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", nowhere)
    assert "gluon-inspect-cache" in cache.cache_folder().name
