from __future__ import annotations

from pathlib import Path

import pytest

from gluon_inspect.errors import ParseError
from gluon_inspect.project.configuration import Budget, Configuration, load_configuration

TEXT = """
fail-on = "warning"
target = ["cuda:90", "hip:gfx942"]
baseline = "base.json"

[[budget]]
kernel = "copy_*"
registers = 64
occupancy = 0.5
"""
EXPECTED = Configuration(
    "warning",
    ("cuda:90", "hip:gfx942"),
    "base.json",
    (Budget("copy_*", "*", {"registers": 64, "occupancy": 0.5}),),
)


def test_own_file_in_a_folder_above(tmp_path: Path):
    (tmp_path / "gluon-inspect.toml").write_text(TEXT)
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    assert load_configuration(below) == EXPECTED


def test_table_in_pyproject(tmp_path: Path):
    table = TEXT.replace("[[budget]]", "[[tool.gluon-inspect.budget]]")
    (tmp_path / "pyproject.toml").write_text(f"[tool.gluon-inspect]\n{table}")
    assert load_configuration(tmp_path) == EXPECTED


def test_a_pyproject_without_the_table_is_passed_over(tmp_path: Path):
    (tmp_path / "gluon-inspect.toml").write_text(TEXT)
    below = tmp_path / "package"
    below.mkdir()
    (below / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert load_configuration(below) == EXPECTED


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fail_on = 'error'", "unknown key 'fail_on'"),
        ("fail-on = 3", "fail-on is no text"),
        ("target = [3]", "target is no text"),
        ("budget = 3", r"budgets are written \[\[budget\]\]"),
        ("[[budget]]\nregisters = 'few'", "budget registers is no number"),
        ("[[budget]]\nregister = 4", "unknown key 'register'"),
        ("= 3", "not TOML"),
    ],
)
def test_bad_configuration_is_refused_with_its_place(tmp_path: Path, text: str, message: str):
    (tmp_path / "gluon-inspect.toml").write_text(text)
    with pytest.raises(ParseError, match=message) as raised:
        load_configuration(tmp_path)
    assert raised.value.position is not None
    assert raised.value.position.file.endswith("gluon-inspect.toml")
