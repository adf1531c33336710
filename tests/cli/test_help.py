from __future__ import annotations

import resource
import subprocess
import sys

import pytest

HEAVY = ("numpy", "networkx", "torch", "triton", "textual", "rich", "lark", "libcst", "pygls", "lsprotocol")
LIMIT_SECONDS = 0.3
TRIES = 3

_LOADED = """
import sys
from gluon_inspect.cli import main
try:
    main(["--help"])
except SystemExit:
    pass
print("heavy:", *(name for name in {heavy!r} if name in sys.modules))
"""


def test_help_loads_nothing_heavy():
    code = _LOADED.format(heavy=HEAVY)
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "usage: gluon-inspect" in output
    assert output.endswith("\nheavy:\n")


def test_help_answers_within_its_time():
    assert min(_help_seconds() for _ in range(TRIES)) < LIMIT_SECONDS


def _help_seconds() -> float:
    """Processor time of the child: what others do on a busy machine is not what is measured."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "gluon_inspect", "--help"], capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


@pytest.mark.parametrize("command", ["capture", "diff", "report", "rules"])
def test_each_command_has_its_help(command: str):
    arguments = [sys.executable, "-m", "gluon_inspect", command, "--help"]
    output = subprocess.run(arguments, capture_output=True, text=True, check=True).stdout
    assert f"usage: gluon-inspect {command}" in output


def test_the_pipeline_loads_neither_compiler_nor_screen():
    heavy = ("triton", "torch", "textual")
    code = f"import sys, gluon_inspect.pipeline; print([name for name in {heavy} if name in sys.modules])"
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert output.strip() == "[]"
