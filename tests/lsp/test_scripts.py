"""Which scripts a project lets an editor run, and how they are run."""

from __future__ import annotations

from pathlib import Path

from gluon_inspect.lsp.inspecting import request_for, scripts_of
from gluon_inspect.project.configuration import Configuration, load_configuration


def test_names_start_from_the_configuration_and_patterns_are_filled_in(tmp_path: Path):
    below = tmp_path / "bench"
    below.mkdir()
    for name in ("b.py", "a.py", "notes.txt"):
        (below / name).write_text("")
    text = 'scripts = ["bench/*.py", "bench/a.py", "test_k.py::test_copy", "/else/where.py"]\n'
    (tmp_path / "gluon-inspect.toml").write_text(text)
    assert scripts_of(load_configuration(below)) == [
        str(below / "a.py"),
        str(below / "b.py"),
        f"{tmp_path / 'test_k.py'}::test_copy",
        "/else/where.py",
    ]


def test_without_a_configuration_nothing_is_run(tmp_path: Path):
    assert scripts_of(load_configuration(tmp_path)) == []
    assert scripts_of(Configuration(scripts=("a.py",))) == []


def test_a_script_is_bounded_cached_and_has_the_projects_targets():
    request = request_for("a.py", Configuration(targets=("hip:gfx942",)))
    assert (request.paths, request.targets, request.cache) == (("a.py",), ("hip:gfx942",), True)
    assert request.timeout_seconds == 600
    assert not request.measure
