"""An operation's name stands in its dialect's table and nowhere else."""

import ast
from pathlib import Path

import gluon_inspect
from gluon_inspect.ir.operations import all_rows

ROOT = Path(gluon_inspect.__file__).parent
NAMES = tuple(row.name for row in all_rows())
DIALECTS = tuple({f"{name.partition('.')[0]}." for name in NAMES})


def is_name(text):
    """A whole name, the beginning of one, or text that goes on from one (`tt.func public @`)."""
    begins = text.startswith(DIALECTS) and any(name.startswith(text) for name in NAMES)
    first = text.split()[0] if text.split() else ""
    return begins or first in NAMES


def docstrings(tree):
    """Texts that say something and do nothing."""
    return {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}


def named_in(path):
    tree = ast.parse(path.read_text())
    said = docstrings(tree)
    texts = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return [
        f"{path}:{node.lineno}: {node.value!r}" for node in texts if id(node) not in said and is_name(node.value)
    ]


def test_names_are_found():
    assert is_name("tt.load")
    assert is_name("arith.")
    assert is_name("ttg.memdesc_")
    assert is_name("tt.func public @")
    assert not is_name("ttg.num-warps")
    assert not is_name("tt.divisibility")
    assert not is_name("load")


def test_names_stand_in_the_tables_alone():
    tables = ROOT / "ir" / "operations"
    files = [path for path in ROOT.rglob("*.py") if not path.is_relative_to(tables)]
    assert [found for path in files for found in named_in(path)] == []
