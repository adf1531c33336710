"""A journal that a script writes to, or whose descriptor it closes, keeps what is its own."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from gluon_inspect.recording.journal import EVENTS, JournalReader, JournalWriter


def kinds(reader: JournalReader) -> list[str]:
    return [event["event"] for event in reader.new_events()]


def test_lines_of_somebody_else_are_counted_and_passed_over(tmp_path: Path):
    writer, reader = JournalWriter(tmp_path), JournalReader(tmp_path)
    writer.event("started")
    with (tmp_path / EVENTS).open("a") as file:
        file.write('garbage\n[1]\n{"no": "event"}\n' + "[" * 100_000 + "\n")
    writer.event("finished")
    assert kinds(reader) == ["started", "finished"]
    assert reader.foreign == 4


def test_a_closed_descriptor_is_opened_again(tmp_path: Path):
    writer, reader = JournalWriter(tmp_path), JournalReader(tmp_path)
    writer.event("started")
    os.close(writer._descriptor)
    writer.event("finished")
    assert kinds(reader) == ["started", "finished"]


def test_a_file_that_took_the_descriptors_place_is_left_alone(tmp_path: Path):
    writer, reader = JournalWriter(tmp_path), JournalReader(tmp_path)
    with (tmp_path / "own").open("w") as own:
        os.dup2(own.fileno(), writer._descriptor)
        writer.event("started")
    assert kinds(reader) == ["started"]
    assert (tmp_path / "own").read_text() == ""


def test_what_the_script_puts_in_place_of_builtins_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    writer, reader = JournalWriter(tmp_path), JournalReader(tmp_path)
    monkeypatch.setattr(json, "dumps", lambda *_, **__: "{}")
    monkeypatch.setattr(os, "getpid", lambda: 1)
    writer.event("started")
    assert kinds(reader) == ["started"]
