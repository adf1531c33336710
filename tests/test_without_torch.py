"""Without torch and Triton the tests that need neither are collected, and no other module is opened."""

import ast
from functools import cache
from pathlib import Path

import pytest

from tests import conftest

MODULES = sorted(conftest.TESTS.rglob("test_*.py"))


@cache
def needed(file: Path) -> frozenset[str]:
    """Which of the two a module imports when it is opened, by itself or by modules of the tests."""
    found: set[str] = set()
    for name in _imported(file):
        of_tests = conftest.TESTS.parent / f"{name.replace('.', '/')}.py"
        if name.startswith("tests.") and of_tests.is_file():
            found |= needed(of_tests)
        found |= {name.partition(".")[0]} & {"torch", "triton"}
    return frozenset(found)


def _imported(file: Path) -> list[str]:
    found: list[str] = []
    for node in ast.parse(file.read_text("utf-8")).body:
        match node:
            case ast.Import():
                found += [alias.name for alias in node.names]
            case ast.ImportFrom(module=str(module)):
                found += [module, *(f"{module}.{alias.name}" for alias in node.names)]
            case _:
                pass
    return found


@pytest.mark.parametrize("absent", ["torch", "triton"])
def test_no_module_that_imports_what_is_absent_is_opened(absent: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(conftest, "_absent", lambda package: package == absent)
    opened = [file for file in MODULES if not conftest.pytest_ignore_collect(file)]
    assert [str(file) for file in opened if absent in needed(file)] == []
    assert len(opened) > 150


def test_with_both_installed_nothing_is_left_out(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(conftest, "_absent", lambda _: False)
    assert not any(conftest.pytest_ignore_collect(file) for file in MODULES)
