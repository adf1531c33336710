"""Whether a script stands ready for a compilation that fails: only then must a launch wait for it."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import FrameType

import gluon_inspect

_OWN = str(Path(gluon_inspect.__file__).parent)
_TOOLS = ("/triton/", "/torch/", "/_pytest/", "/pluggy/", "/pytest/", "/runpy.py", "/contextlib.py", "/importlib/")
_OTHER_ERRORS = frozenset(
    name
    for name, kind in vars(builtins).items()
    if isinstance(kind, type)
    and issubclass(kind, BaseException)
    and name not in ("Exception", "BaseException", "RuntimeError", "ValueError", "TypeError", "AssertionError")
)
"""Built-in exceptions that no compilation and no launch raises."""
_EXPECTING = ("raises", "suppress", "assertRaises", "assertRaisesRegex")


def is_guarded() -> bool:
    """Whether a line of the script's that is being executed handles what a launch may raise."""
    frame: FrameType | None = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    while frame is not None:
        file = frame.f_code.co_filename
        is_theirs = not file.startswith((_OWN, "<")) and not any(part in file for part in _TOOLS)
        if is_theirs and frame.f_lineno in _guarded_lines(file):
            return True
        frame = frame.f_back
    return False


@cache
def _guarded_lines(file: str) -> frozenset[int]:
    try:
        tree = ast.parse(Path(file).read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return frozenset()
    return frozenset(line for node in ast.walk(tree) for line in _lines(node))


def _lines(node: ast.AST) -> Iterator[int]:
    match node:
        case ast.Try(handlers=[_, *_] as handlers, body=body) if any(map(_handles, handlers)):
            pass
        case ast.With(items=items, body=body) if any(map(_expects, items)):
            pass
        case _:
            return
    for statement in body:
        yield from range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)


def _handles(handler: ast.ExceptHandler) -> bool:
    """All but a handler that names other built-in errors only."""
    if handler.type is None:
        return True
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(ast.unparse(kind) not in _OTHER_ERRORS for kind in kinds)


def _expects(item: ast.withitem) -> bool:
    call = item.context_expr
    return isinstance(call, ast.Call) and ast.unparse(call.func).rpartition(".")[2] in _EXPECTING
