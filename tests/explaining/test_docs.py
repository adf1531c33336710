"""The documents are true: what commands are shown to print, the files that are named, the order of packages."""

from __future__ import annotations

import ast
import importlib.util
import re
import tomllib
from pathlib import Path

import pytest

from gluon_inspect.cli import main

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
SHOWN = re.compile(
    r"^    gluon-inspect ((?:explain|report) examples/[^\n]*)\n\n(?:[^\n]*\n\n)?```text\n(.*?)\n```$", re.M | re.S
)
CASES = [case for page in ("README.md", "docs/explain.md") for case in SHOWN.findall((ROOT / page).read_text())]

PREDICTED = re.compile(r"[\d.]+ µs(?:, \d+%)?|\d+% of the kernel's|the \d+% that|[\d.]+x (?:shorter|with)")


def words(text):
    """The text without its line breaks and without times, which follow the cost model's constants."""
    return PREDICTED.sub("…", " ".join(text.split()))


def test_there_are_three_cases():
    assert [command.split()[0] for command, _ in CASES] == ["report", "explain", "explain"]


@pytest.mark.parametrize(("command", "shown"), CASES, ids=lambda text: text[:30])
def test_a_worked_case_is_what_the_command_prints(command, shown, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "100" if command.startswith("report") else "80")
    assert main(command.split()) == int(command.startswith("report"))  # the report has errors
    assert words(capsys.readouterr().out) == words(shown)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_files_that_a_page_names_exist(page):
    text = page.read_text()
    paths = set(re.findall(r"`(?:gluon_inspect/)?((?:\w+/)+(?:\w+\.(?:py|cu|sh|md|json))?)`", text))
    paths |= {link.split("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in link}
    modules = re.findall(r"python -m (scripts|benchmarks)\.(\w+)", text)
    paths |= {f"{package}/{name}.py" for package, name in modules}
    places = (page.parent, ROOT, ROOT / "gluon_inspect")
    assert [path for path in sorted(paths) if not any((place / path).exists() for place in places)] == []


def test_the_architecture_has_the_order_of_the_import_contracts():
    layers = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"][0]["layers"]
    rank = {name: at for at, layer in enumerate(reversed(layers)) for name in re.findall(r"\w+", layer)}
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", (ROOT / "ARCHITECTURE.md").read_text(), re.M)
    named = [re.findall(r"`(\w+)`", row) for row in rows]
    assert {name for row in named for name in row} == rank.keys() - {"version", "__main__"}
    highest = [max(rank[name] for name in row) for row in named]
    assert highest == sorted(highest)


def imported(file):
    found = (node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.ImportFrom))
    return {
        (n.module, name.name) for n in found if (n.module or "").startswith("gluon_inspect") for name in n.names
    }


@pytest.mark.parametrize("folder", ["scripts", "benchmarks"])
def test_what_is_run_by_hand_imports_names_that_exist(folder):
    names = {name for file in (ROOT / folder).rglob("*.py") for name in imported(file)}
    assert [f"{module}:{name}" for module, name in sorted(names) if not exists(module, name)] == []


def exists(module, name):
    return (
        hasattr(importlib.import_module(module), name) or importlib.util.find_spec(f"{module}.{name}") is not None
    )
