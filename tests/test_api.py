"""The names that Python programs use: all of them there, loaded only when asked for, their page true."""

import doctest
import inspect
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import gluon_inspect
from gluon_inspect import api

ROOT = Path(__file__).parents[1]
HEAVY = ("numpy", "lark", "libcst", "pygls", "lsprotocol", "networkx", "rich", "textual", "torch", "triton")


def test_the_package_offers_what_the_api_holds():
    assert gluon_inspect.__all__ == api.__all__ == sorted(api.__all__)
    assert all(getattr(gluon_inspect, name) is getattr(api, name) for name in api.__all__)
    assert set(api.__all__) <= set(dir(gluon_inspect))
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = gluon_inspect.nothing


def test_every_name_is_documented():
    page = (ROOT / "docs" / "python.md").read_text("utf-8")
    assert [name for name in api.__all__ if f"`{name}" not in page] == []
    assert all(inspect.getdoc(getattr(api, name)) for name in api.__all__)


@pytest.mark.parametrize("code", ["import gluon_inspect", "from gluon_inspect import Report, targets, inspect"])
def test_names_cost_nothing_until_they_are_called(code: str):
    program = f"import sys; {code}; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"


@pytest.mark.skipif(find_spec("torch") is None, reason="recording a script needs torch")
def test_the_examples_of_the_page_are_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    shutil.copy(ROOT / "examples" / "copy_2d.py", tmp_path / "kernels.py")
    monkeypatch.chdir(tmp_path)
    found = doctest.testfile(str(ROOT / "docs" / "python.md"), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert found.attempted > 20
    assert not found.failed
