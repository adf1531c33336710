"""The ways in which a script can be named and run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gluon_inspect.errors import CaptureError
from gluon_inspect.recording.job import ScriptKind
from gluon_inspect.recording.notebook import notebook_source
from gluon_inspect.recording.record import record
from gluon_inspect.recording.scripts import Wanted, make_job
from tests.recording.scripts import ADD, write

LAUNCH = "x = torch.ones(256, device='cuda')\nadd[(1,)](x, x, x, 256)\n"


def kind(tmp_path: Path, script: str, **options: bool) -> ScriptKind:
    return make_job(Wanted(script, "cuda:90", **options), tmp_path).kind


def test_how_a_script_is_run_follows_from_its_name(tmp_path: Path) -> None:
    plain, tests = write(tmp_path, "def main(): pass"), write(tmp_path, "def main(): pass", "test_x.py")
    assert kind(tmp_path, plain) is ScriptKind.FILE
    assert kind(tmp_path, plain + "::main") is ScriptKind.FUNCTION
    assert kind(tmp_path, plain + "::test_one") is ScriptKind.TESTS
    assert kind(tmp_path, plain + "::TestAll::test_one") is ScriptKind.TESTS
    assert kind(tmp_path, plain + "::") is ScriptKind.TESTS
    assert kind(tmp_path, tests) is ScriptKind.TESTS
    assert kind(tmp_path, tests + "::main") is ScriptKind.FUNCTION
    assert kind(tmp_path, "package.module", module=True) is ScriptKind.MODULE


def test_a_function_runs_with_its_arguments(tmp_path: Path) -> None:
    script = (
        ADD
        + "def main(count):\n    for _ in range(int(count)):\n"
        + "".join(f"        {line}\n" for line in LAUNCH.splitlines())
    )
    capture = record(write(tmp_path, script) + "::main", "cuda:90", argv=["3"])
    assert capture.error is None
    assert capture.kernels[0].launches[0].count == 3


def test_a_test_runs_under_the_recorder_with_its_parameters(tmp_path: Path) -> None:
    script = ADD + "import pytest\n\n@pytest.mark.parametrize('n', [16, 32])\ndef test_add(n):\n"
    script += "    x = torch.ones(n, device='cuda')\n    add[(1,)](x, x, x, n)\n"
    script += "    torch.testing.assert_close(x, x + 1)\n"
    script += "\ndef test_other():\n    raise AssertionError('not asked for')\n"
    capture = record(write(tmp_path, script, "test_kernels.py") + "::test_add", "cuda:90")
    assert capture.error is None
    assert sum(launch.count for kernel in capture.kernels for launch in kernel.launches) == 2
    assert not (tmp_path / ".pytest_cache").exists()


def test_a_module_runs_as_python_would(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "package"
    package.mkdir()
    write(package, "", "__init__.py")
    write(package, "BLOCK = 64\n", "sizes.py")
    write(package, "from .sizes import BLOCK\n" + ADD + LAUNCH.replace("256)", "256, BLOCK=BLOCK)"), "run.py")
    monkeypatch.chdir(tmp_path)
    capture = record("package.run", "cuda:90", module=True)
    assert capture.error is None
    assert capture.kernels[0].constexprs["BLOCK"] == "64"


def test_a_notebook_and_what_its_script_could_not_do(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "source": "# Title"},
        {
            "cell_type": "code",
            "source": ["%matplotlib inline\n", "!pip install x\n", *ADD.splitlines(keepends=True)],
        },
        {"cell_type": "code", "source": "%%bash\nrm -rf nothing"},
        {
            "cell_type": "code",
            "source": LAUNCH
            + "f = torch.compile(lambda t: t + 1 if t.sum() > 0 else t)\nf(x)\n"
            + "import multiprocessing\np = multiprocessing.get_context('fork').Process(target=print)\n"
            + "p.start()\np.join()",
        },
    ]
    path = write(tmp_path, json.dumps({"cells": cells, "nbformat": 4}), "book.ipynb")
    assert "\n# rm -rf nothing" in notebook_source(Path(path))
    capture = record(path, "cuda:90")
    assert capture.error is None
    assert [kernel.name for kernel in capture.kernels] == ["add"]
    assert capture.kernels[0].source_file in capture.sources
    text = "\n".join(capture.notes)
    assert "torch.compile was asked for" in text
    assert "started processes of its own" in text


@pytest.mark.parametrize("content", ["{}", "[1]", "no json", '{"cells": [{"cell_type": "code"}]}'])
def test_a_broken_notebook_is_told(tmp_path: Path, content: str) -> None:
    with pytest.raises(CaptureError, match="not a notebook"):
        record(write(tmp_path, content, "book.ipynb"), "cuda:90")


def test_a_script_whose_tests_were_not_run_says_how(tmp_path: Path) -> None:
    with pytest.raises(CaptureError) as caught:
        record(write(tmp_path, ADD + "\ndef test_add():\n    pass\n"), "cuda:90")
    assert "file.py::" in caught.value.hint


def test_a_function_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match="has no function 'mian'") as caught:
        record(write(tmp_path, "def main():\n    pass") + "::mian", "cuda:90")
    assert caught.value.hint == "did you mean main?"
    assert kind(tmp_path, write(tmp_path, "from neighbour import *") + "::main") is ScriptKind.FUNCTION


def test_no_such_script(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match="no such script"):
        record(str(tmp_path / "none.py"), "cuda:90")


def test_a_notebooks_lines_and_questions(tmp_path: Path) -> None:
    cells = [
        ADD,
        LAUNCH + "x.shape?\nfiles = !ls\nif get_ipython() is not None:\n    raise ValueError\ndisplay(1)\n",
    ]
    book = {"cells": [{"cell_type": "code", "source": cell} for cell in cells], "nbformat": 4}
    path = write(tmp_path, json.dumps(book), "book.ipynb")
    capture = record(path, "cuda:90")
    assert capture.error is None, capture.error.traceback
    (kernel,) = capture.kernels
    assert (capture.origin, kernel.source_file) == (path, path)
    assert path in (capture.files or ())
    assert capture.sources[path].splitlines()[kernel.source_line - 1].startswith("def add(")


@pytest.mark.parametrize(
    ("name", "message"),
    [("nowhere.to_be", "no module named nowhere"), ("package", "package without a __main__")],
)
def test_a_module_that_cannot_run_is_told_in_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, message: str
) -> None:
    (tmp_path / "package").mkdir()
    write(tmp_path / "package", "", "__init__.py")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CaptureError, match=message) as caught:
        record(name, "cuda:90", module=True)
    assert "Traceback" not in caught.value.excerpt


def test_a_test_that_is_not_there_is_told_in_a_line(tmp_path: Path) -> None:
    path = write(tmp_path, "def test_one():\n    pass\n", "test_it.py")
    with pytest.raises(CaptureError, match="no such test"):
        record(f"{path}::test_two[a::b]", "cuda:90")


def test_python_started_by_the_script_is_said(tmp_path: Path) -> None:
    script = "import subprocess, sys\nsubprocess.run(['true'])\n" + ADD + LAUNCH
    assert not any("processes" in note for note in record(write(tmp_path, script), "cuda:90").notes)
    script += "subprocess.run([sys.executable, '-c', ''])\n"
    assert any("started processes" in note for note in record(write(tmp_path, script), "cuda:90").notes)
