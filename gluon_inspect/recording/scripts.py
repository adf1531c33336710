"""What the user named, checked and turned into a job before a process is started for it."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from gluon_inspect.errors import CaptureError, Position
from gluon_inspect.recording.exploration import Exploration
from gluon_inspect.recording.job import Job, ScriptKind
from gluon_inspect.recording.notebook import is_notebook, notebook_source
from gluon_inspect.recording.substitution import Substitution

_TEST_PREFIX = ("test", "Test")


@dataclass(frozen=True, slots=True)
class Wanted:
    """A recording as it was asked for (see `record`)."""

    script: str
    target: str
    argv: tuple[str, ...] = ()
    function: str = ""
    kernel: str = ""
    module: bool = False
    tests: bool = False
    substitutions: tuple[Substitution, ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    all_configs: bool = False
    only_launches: int = 0
    assumed: tuple[tuple[str, int | float | bool], ...] = ()
    exploration: Exploration | None = None


def make_job(wanted: Wanted, scratch: Path) -> Job:
    """The job; CaptureError for a script that is missing or no Python. A notebook's code goes to `scratch`."""
    if wanted.module:
        return Job(
            wanted.script,
            ScriptKind.MODULE,
            wanted.target,
            "",
            wanted.argv,
            wanted.kernel,
            "",
            wanted.substitutions,
            wanted.texts,
            all_configs=wanted.all_configs,
            only_launches=wanted.only_launches,
            assumed=wanted.assumed,
            exploration=wanted.exploration,
        )
    file, separator, selector = wanted.script.partition("::")
    path, selector = Path(file), wanted.function or selector
    if not path.is_file():
        raise CaptureError(f"no such script: {file}", hint="give a Python file, or -m and a module's name")
    kind = _kind(path, selector, wanted.tests or (bool(separator) and not selector))
    script = _from_notebook(path, scratch) if is_notebook(file) else path.resolve()
    tree = _parsed(script, file)
    if kind is ScriptKind.FUNCTION:
        _check_function(tree, selector, file)
    return Job(
        str(script),
        kind,
        wanted.target,
        selector,
        wanted.argv,
        wanted.kernel,
        str(path.resolve().parent),
        wanted.substitutions,
        wanted.texts,
        notebook=str(path.resolve()) if is_notebook(file) else "",
        all_configs=wanted.all_configs,
        only_launches=wanted.only_launches,
        assumed=wanted.assumed,
        exploration=wanted.exploration,
    )


def _kind(path: Path, selector: str, tests: bool) -> ScriptKind:
    named_so = path.name.startswith("test_") or path.stem.endswith("_test")
    if (
        tests
        or selector.partition("[")[0].rpartition("::")[2].startswith(_TEST_PREFIX)
        or (named_so and not selector)
    ):
        return ScriptKind.TESTS
    return ScriptKind.FUNCTION if selector else ScriptKind.FILE


def _from_notebook(path: Path, scratch: Path) -> Path:
    script = scratch / f"{path.stem}.py"
    script.write_text(notebook_source(path), encoding="utf-8")
    return script


def _check_function(tree: ast.Module, name: str, shown: str) -> None:
    """A function that the file defines nowhere is told at once; one that it imports is taken on trust."""
    defined = [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    imports = any(isinstance(node, ast.Import | ast.ImportFrom) and _binds(node, name) for node in tree.body)
    if name not in defined and not imports:
        near = get_close_matches(name, defined, n=1)
        hint = f"did you mean {near[0]}?" if near else f"it has {', '.join(defined[:8]) or 'no functions'}"
        raise CaptureError(f"{shown} has no function {name!r}", hint=hint)


def _binds(node: ast.Import | ast.ImportFrom, name: str) -> bool:
    return any(alias.name == "*" or (alias.asname or alias.name) == name for alias in node.names)


def _parsed(script: Path, shown: str) -> ast.Module:
    try:
        return ast.parse(script.read_bytes(), filename=shown)
    except SyntaxError as error:
        raise CaptureError(
            f"the script has a syntax error: {error.msg}",
            position=Position(shown, error.lineno or 0, error.offset or 0),
            excerpt=_excerpt(error),
        ) from None
    except ValueError as error:
        raise CaptureError(f"not a Python script: {error}", position=Position(shown)) from None


def _excerpt(error: SyntaxError) -> str:
    line = (error.text or "").rstrip("\n").replace("\t", " ")
    return f"  {line}\n  {' ' * max((error.offset or 1) - 1, 0)}^" if line else ""
