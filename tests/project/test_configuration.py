from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path

import pytest

from gluon_inspect.errors import ParseError
from gluon_inspect.project.configuration import LIMITS, Budget, Configuration, load_configuration
from gluon_inspect.project.schemas import CONFIGURATION

TEXT = """
fail-on = "warning"
target = ["cuda:90", "hip:gfx942"]
baseline = "base.json"
scripts = ["bench/*.py", "test_k.py::test_copy"]

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
    ("bench/*.py", "test_k.py::test_copy"),
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
        ("fail_on = 'error'", "unknown key 'fail_on' (hint: did you mean 'fail-on'?)"),
        ("fail-on = 3", "$['fail-on']: 3 is not of type 'string'"),
        ("target = [3]", "$.target: [3] is not valid under any of the given schemas"),
        ("target = 2026-11-30", "$.target: "),
        ("budget = 3", "$.budget: 3 is not of type 'array'"),
        ("[[budget]]\nregisters = 'few'", "$.budget[0].registers: 'few' is not of type 'number'"),
        ("[[budget]]\nregisters = true", "$.budget[0].registers: True is not of type 'number'"),
        ("[[budget]]\nregister = 4", "unknown key 'register' in budget[0] (hint: did you mean 'registers'?)"),
        ("[[budget]]\nzz = 4", "unknown key 'zz' in budget[0] (hint: one of kernel, target, sectors-per-request"),
        ("[[budget]]\noccupancy = nan", "budget occupancy of nan is no limit"),
        ("[[budget]]\nregisters = -1", "budget registers of -1 is no limit"),
        (f"[[budget]]\nregisters = {'9' * 400}", "budget registers of 999999999999999999"),
        ("= 3", "not TOML"),
    ],
)
def test_bad_configuration_is_refused_with_its_place(tmp_path: Path, text: str, message: str):
    (tmp_path / "gluon-inspect.toml").write_text(text)
    with pytest.raises(ParseError, match=re.escape(message)) as raised:
        load_configuration(tmp_path)
    assert raised.value.position is not None
    assert raised.value.position.file.endswith("gluon-inspect.toml")


def test_the_schema_knows_every_limit_as_the_code_does():
    package, name = CONFIGURATION
    schema = json.loads(files(package).joinpath(name).read_text("utf-8"))
    described = {
        key: of["description"] for key, of in schema["properties"]["budget"]["items"]["properties"].items()
    }
    assert {key: described[key] for key in LIMITS} == dict(LIMITS)
    assert set(described) == {"kernel", "target", *LIMITS}
