from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import pytest

RUN_SCRIPTS = (
    "analyses/test_rule_examples.py",
    "bulk/test_examples.py",
    "cli/test_report.py",
    "commands/test_fix.py",
    "explaining/test_causes.py",
    "explaining/test_conversion.py",
    "explaining/test_docs.py",
    "explaining/test_measured.py",
    "explaining/test_plain.py",
    "explaining/test_shared_layout.py",
    "explaining/test_trial.py",
    "lsp/test_server.py",
    "measure",
    "plugin",
    "recording",
    "tune",
    "tui/test_terminal.py",
    "workflow/test_counting.py",
    "workflow/test_measuring.py",
    "workflow/test_parallel.py",
    "workflow/test_profiles.py",
)
"""Rooms and modules whose tests record scripts or measure: Triton compiles them, and torch is what they import."""
COMPILE_OR_ASK = (
    "analyses/test_amd_kernels.py",
    "assembly/test_binary.py",
    "assembly/test_joined.py",
    "bulk/test_pixels.py",
    "cost/test_matrix_share.py",
    "ir/text/test_oracle.py",
    "loading/test_binaries.py",
    "loading/test_disassemble.py",
    "loading/test_files.py",
    "loading/test_save.py",
)
"""Modules whose tests compile or disassemble, or whose oracle is Triton's own library."""


TESTS = Path(__file__).parent


def _absent(package: str) -> bool:
    return find_spec(package) is None


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Modules that import what is not installed are not opened at all: a marker would come too late for them."""
    name = collection_path.relative_to(TESTS).as_posix() if collection_path.is_relative_to(TESTS) else ""
    without_torch = _absent("torch") and name.startswith(RUN_SCRIPTS)
    without_triton = _absent("triton") and name.startswith((*RUN_SCRIPTS, *COMPILE_OR_ASK))
    return (without_torch or without_triton) or None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What is left out is said."""
    if names := [package for package in ("torch", "triton") if _absent(package)]:
        terminalreporter.write_line(f"tests that need {' and '.join(names)} are left out: not installed")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks what a machine without torch or Triton leaves out: `pytest -m "not needs_triton"`."""
    for item in items:
        name = item.path.relative_to(TESTS).as_posix()
        if name.startswith(RUN_SCRIPTS):
            item.add_marker(pytest.mark.needs_torch)
        if name.startswith((*RUN_SCRIPTS, *COMPILE_OR_ASK)):
            item.add_marker(pytest.mark.needs_triton)


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory):
    """Tests keep their disassembly and reports in a folder of their own."""
    folder: Path = tmp_path_factory.mktemp("cache")
    before = os.environ.get("GLUON_INSPECT_CACHE")
    os.environ["GLUON_INSPECT_CACHE"] = str(folder)
    yield folder
    if before is None:
        del os.environ["GLUON_INSPECT_CACHE"]
    else:
        os.environ["GLUON_INSPECT_CACHE"] = before
