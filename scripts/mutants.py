"""Random small changes to the package that a test should notice: `python -m scripts.mutants --package layouts`.

Draws mutants by a seed, runs the tests that cover each mutated line in a copy of the tree, and prints those that
no test noticed. Which tests cover a line is recorded once a state of the package and its tests, in build/mutants.
Goldens are run only on what the other tests let live, and are a column of their own: they say that a number
changed, not which one is right. `--unchanged` runs the same tests on files that only lost their comments: all must
live.
"""

from __future__ import annotations

import ast
import random
import shutil
import subprocess
import sys
from argparse import ArgumentParser, Namespace
from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from compileall import compile_dir
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from enum import StrEnum
from hashlib import sha256
from importlib.util import cache_from_source
from itertools import accumulate
from os import environ, pathsep
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from xml.etree import ElementTree

from coverage import CoverageData

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "gluon_inspect"
ROOMS = ("layouts", "axis", "evaluate", "traffic", "cost", "analyses", "ir", "explaining")
GOLDENS = "tests/golden/"
SLOW = ("tui", "cli", "commands")
"""Rooms of tests that draw: no law of the core is in them. Those that run scripts are left out by their marker."""
_LEFT_BEHIND = shutil.ignore_patterns(".*", "__pycache__", "build", "dist", "*.egg-info")
_FLIPPED = {
    **{ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq},
    **{ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is},
}
_SWAPPED = {
    **{ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult, ast.Div: ast.Mult},
    **{ast.Mod: ast.FloorDiv, ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.BitAnd: ast.BitOr},
    **{ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitOr, ast.And: ast.Or, ast.Or: ast.And},
}


class Fate(StrEnum):
    """What became of a mutant."""

    TEST = "killed by tests"
    GOLDEN = "by goldens alone"
    ALIVE = "alive"


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change: the file from the root, the lines of what is changed, and the file's text afterwards."""

    file: str
    lines: range
    change: str
    text: str

    @property
    def room(self) -> str:
        """The package that it stands in."""
        return self.file.split("/")[1]


class Coverage:
    """The tests that ran each line, and how long each took (seconds)."""

    def __init__(self, folder: Path) -> None:
        self._sources = folder / "sources"
        self._data = CoverageData(str(folder / "contexts"))
        self._data.read()
        self._files = {name[name.index(f"/{PACKAGE}/") + 1 :]: name for name in self._data.measured_files()}
        cases = ElementTree.parse(folder / "times.xml").iter("testcase")
        self.seconds = {_node(case): float(case.get("time", 0)) for case in cases if not len(case)}

    def of(self, mutant: Mutant) -> list[str]:
        """Tests of a mutant's lines, shortest first; of the whole file for what runs on import."""
        by_line = self._data.contexts_by_lineno(self._files[mutant.file]) if mutant.file in self._files else {}
        lines = self._then(mutant)
        tests = self._tests(context for line in lines for context in by_line.get(line, ()))
        if not tests and any("" in by_line.get(line, ("",)) for line in lines):
            tests = self._tests(context for contexts in by_line.values() for context in contexts)
        return sorted(tests, key=lambda test: self.seconds[test])

    def beside(self, tests: Sequence[str]) -> list[str]:
        """Other tests of the same files, shortest first."""
        files = {test.partition("::")[0] for test in tests}
        others = {test for test in self.seconds if test.partition("::")[0] in files} - set(tests)
        return sorted(others, key=lambda test: self.seconds[test])

    def _then(self, mutant: Mutant) -> list[int]:
        """A mutant's lines as they were counted when the tests were recorded; 0 for those that are new."""
        was = self._sources / mutant.file
        old = was.read_text().splitlines() if was.is_file() else []
        new = (ROOT / mutant.file).read_text().splitlines()
        same = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
        before = {block.b + n + 1: block.a + n + 1 for block in same for n in range(block.size)}
        return [before.get(line, 0) for line in mutant.lines]

    def _tests(self, contexts: Iterable[str]) -> set[str]:
        return {context.rpartition("|")[0] for context in contexts} & self.seconds.keys()


def main() -> int:
    """Exit code 1 if fewer are killed than asked for."""
    asked = _arguments()
    coverage = Coverage(asked.recording or recorded(asked.jobs, asked.tests or ["tests"]))
    mutants = drawn(asked.package or ROOMS, asked.number, asked.seed)
    if asked.unchanged:
        mutants = [replace(each, text=ast.unparse(ast.parse((ROOT / each.file).read_text()))) for each in mutants]
    with TemporaryDirectory(prefix="mutants-") as scratch:
        copies: SimpleQueue[Path] = SimpleQueue()
        for index in range(asked.jobs):
            copies.put(copied(Path(scratch) / str(index)))
        with ThreadPoolExecutor(asked.jobs) as pool:
            trial = Trial(coverage, copies, asked.also, asked.seconds)
            fates = list(pool.map(lambda each: _told(each, *trial.of(each)), mutants))
    return _summed(mutants, fates, asked.at_least)


def drawn(rooms: Sequence[str], number: int, seed: int) -> list[Mutant]:
    """That many mutants of those packages, in the order of the files."""
    chosen = [file for room in rooms for file in sorted((ROOT / PACKAGE / room).rglob("*.py"))]
    sites = [(file, site) for file in chosen for site in range(len(list(_sites(ast.parse(file.read_text())))))]
    picked = random.Random(seed).sample(sites, min(number, len(sites)))
    return [mutated(file, site) for file, site in sorted(picked)]


def mutated(file: Path, site: int) -> Mutant:
    """The file with one of its sites changed."""
    tree = ast.parse(file.read_text())
    node = list(_sites(tree))[site]
    lines, before = _place(node)
    _change(node)
    after = "the branch is never taken" if isinstance(node, ast.If | ast.IfExp) else ast.unparse(node)
    return Mutant(str(file.relative_to(ROOT)), lines, f"{before}  ->  {after}", ast.unparse(tree))


def _sites(tree: ast.Module) -> Iterator[ast.AST]:
    """What can be changed: comparisons, whole numbers, operators, branches; not types."""
    unread = {id(each) for top in ast.walk(tree) for part in _unread(top) for each in ast.walk(part)}
    for node in ast.walk(tree):
        match node:
            case _ if id(node) in unread:
                continue
            case ast.Compare(ops=[operator]) if type(operator) in _FLIPPED:
                yield node
            case ast.BinOp(op=operator) | ast.BoolOp(op=operator) | ast.AugAssign(op=operator):
                if type(operator) in _SWAPPED and not _is_text(node):
                    yield node
            case ast.Constant(value=value) if type(value) is int:
                yield node
            case ast.If() | ast.IfExp():
                yield node


def _unread(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.AnnAssign(annotation=part) | ast.arg(annotation=ast.expr() as part):
            yield part
        case ast.FunctionDef(returns=ast.expr() as part):
            yield part
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            yield node
        case ast.Module():
            yield from (each for each in node.body if isinstance(each, ast.Assign) and _is_union(each.value))
        case ast.Call(func=ast.Name(id="isinstance" | "cast"), args=[*args]):
            yield from args


def _is_union(value: ast.expr) -> bool:
    """Whether it is types with bars between them, as names of unions are written."""
    if isinstance(value, ast.BinOp):
        return isinstance(value.op, ast.BitOr) and _is_union(value.left) and _is_union(value.right)
    return isinstance(value, ast.Name | ast.Attribute | ast.Subscript) or ast.unparse(value) == "None"


def _is_text(node: ast.AST) -> bool:
    parts = (node.left, node.right) if isinstance(node, ast.BinOp) else ()
    return any(isinstance(part, ast.JoinedStr) or isinstance(getattr(part, "value", 0), str) for part in parts)


def _place(node: ast.AST) -> tuple[range, str]:
    """Lines and text of what is changed; a branch is its condition."""
    shown = node.test if isinstance(node, ast.If | ast.IfExp) else node
    return range(node.lineno, shown.end_lineno + 1), ast.unparse(shown)


def _change(node: ast.AST) -> None:
    match node:
        case ast.Compare():
            node.ops = [_FLIPPED[type(node.ops[0])]()]
        case ast.BinOp() | ast.BoolOp() | ast.AugAssign():
            node.op = _SWAPPED[type(node.op)]()
        case ast.Constant():
            node.value += 1
        case ast.If() | ast.IfExp():
            node.test = ast.copy_location(ast.Constant(False), deepcopy(node.test))


def recorded(jobs: int, tests: Sequence[str]) -> Path:
    """The folder with which tests cover what in this state of package and tests; recorded if that was not done."""
    folder = ROOT / "build" / "mutants" / _state(tests)
    if (folder / "times.xml").is_file():
        return folder
    shutil.copytree(ROOT / PACKAGE, folder / "sources" / PACKAGE, ignore=_LEFT_BEHIND, dirs_exist_ok=True)
    (folder / "settings").write_text(f"[run]\nsource = {PACKAGE}\ndata_file = {folder / 'contexts'}\n")
    where = [f"--cov={PACKAGE}", f"--cov-config={folder / 'settings'}", "--cov-context=test", "--cov-report="]
    what = [
        *(f"--ignore=tests/{room}" for room in SLOW),
        "-m",
        "not needs_torch",
        f"--junitxml={folder / 'times.xml'}",
    ]
    subprocess.run(
        [*_PYTEST, "-n", str(jobs), *where, *what, "--tb=line", "--continue-on-collection-errors", *tests],
        cwd=ROOT,
        check=False,
    )
    return folder


def _state(tests: Sequence[str]) -> str:
    """A digest of what the package and the tests say, and of which tests were asked for."""
    files = sorted(file for top in (PACKAGE, "tests") for file in (ROOT / top).rglob("*.py"))
    return sha256(b"".join(file.read_bytes() for file in files) + repr(tests).encode()).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Trial:
    """Runs the tests that cover a mutant in one of the copies of the tree.

    Near ones first, then others, then those beside them (what a module of tests keeps counts for the first that
    asks), then goldens; of each, shortest first and up to so many seconds as recorded.
    """

    coverage: Coverage
    copies: SimpleQueue[Path]
    also: Sequence[str]
    seconds: float

    def of(self, mutant: Mutant) -> tuple[Fate, str]:
        """Its fate, and the test that noticed."""
        covering = self.coverage.of(mutant)
        near = [test for test in covering if test.startswith(f"tests/{mutant.room}/")]
        goldens = [test for test in covering if test.startswith(GOLDENS)]
        far = [test for test in covering if test not in {*near, *goldens}]
        beside = self.coverage.beside([*near, *far])
        tree = self.copies.get()
        file = tree / mutant.file
        original = file.read_text()
        try:
            file.write_text(mutant.text)
            Path(cache_from_source(file)).unlink(missing_ok=True)
            for tests in (self.also, near, far, beside, goldens):
                if noticed := self._noticed(tree, tests):
                    return Fate.GOLDEN if tests is goldens else Fate.TEST, noticed
            return Fate.ALIVE, f"of {len(covering)} tests"
        finally:
            file.write_text(original)
            Path(cache_from_source(file)).unlink(missing_ok=True)
            self.copies.put(tree)

    def _noticed(self, tree: Path, covering: Sequence[str]) -> str:
        """The first that fails, or pytest's last word; running for ever is failing; empty if all pass."""
        if not (tests := self._affordable(covering)):
            return ""
        names = tree / "tests.txt"
        names.write_text("\n".join(tests))
        quiet = ["-n", "0", "-x", "-p", "no:cacheprovider", "--no-header", "--tb=no", "--hypothesis-seed=0"]
        settings = {**environ, "PYTHONPATH": pathsep.join((str(tree), environ.get("PYTHONPATH", "")))}
        patience = 60 + 3 * sum(self.coverage.seconds.get(test, 30) for test in tests)
        try:
            done = subprocess.run(
                [*_PYTEST, *quiet, f"@{names}"],
                cwd=tree,
                env=settings,
                capture_output=True,
                text=True,
                timeout=patience,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"no end after {patience:.0f} s"
        said = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
        return (said or ["it does not start"])[0][:150] if done.returncode else ""

    def _affordable(self, tests: Sequence[str]) -> Sequence[str]:
        """The first that fit, at least one."""
        ends = list(accumulate(self.coverage.seconds.get(test, 0) for test in tests))
        return tests[: max(1, bisect(ends, self.seconds))]


def copied(tree: Path) -> Path:
    """The checkout, compiled, with what lies beside it beside the copy."""
    here = tree / "checkout"
    shutil.copytree(ROOT, here, ignore=_LEFT_BEHIND)
    (tree / "shared").symlink_to(ROOT.parent / "shared")
    compile_dir(here / PACKAGE, quiet=1)
    return here


def _node(case: ElementTree.Element) -> str:
    """pytest's name of a test in a report of its times, which names modules and classes alike."""
    parts = case.get("classname", "").split(".")
    depth = next(
        (n for n in range(len(parts), 0, -1) if (ROOT / Path(*parts[:n])).with_suffix(".py").is_file()), 0
    )
    return "::".join(("/".join(parts[:depth]) + ".py", *parts[depth:], case.get("name", "")))


def _told(mutant: Mutant, fate: Fate, noticed: str) -> Fate:
    print(f"{fate:16} {mutant.file}:{mutant.lines.start}  {mutant.change}  [{noticed}]", flush=True)
    return fate


def _summed(mutants: Sequence[Mutant], fates: Sequence[Fate], at_least: float) -> int:
    """The rates by package, and the exit code."""
    rooms = Counter(mutant.room for mutant in mutants)
    found = Counter((mutant.room, fate) for mutant, fate in zip(mutants, fates, strict=True))
    for room in (*rooms, "all"):
        counts = [
            sum(n for (each, kind), n in found.items() if kind is fate and room in (each, "all")) for fate in Fate
        ]
        print(
            f"{room:12} {sum(counts):4} mutants:",
            ", ".join(f"{n} {fate}" for n, fate in zip(counts, Fate, strict=True)),
        )
    rate = 1 - fates.count(Fate.ALIVE) / len(fates)
    print(f"{rate:.0%} die, {fates.count(Fate.TEST) / len(fates):.0%} without goldens")
    return int(rate < at_least)


def _arguments() -> Namespace:
    parser = ArgumentParser("mutants", description=__doc__)
    parser.add_argument("--number", type=int, default=120, help="how many mutants (default 120)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2, help="copies of the tree that are worked in at once")
    parser.add_argument("--package", action="append", choices=ROOMS, help="only these packages; repeatable")
    parser.add_argument("--recording", type=Path, help="another folder of build/mutants: an older state's")
    parser.add_argument(
        "--seconds", type=float, default=10, help="of recorded time for near tests, others, goldens"
    )
    parser.add_argument("--unchanged", action="store_true", help="run the tests without the change: all must live")
    parser.add_argument(
        "--tests", action="append", help="look for killers here alone (default: tests); repeatable"
    )
    parser.add_argument("--also", action="append", default=[], help="tests to run on every mutant; repeatable")
    parser.add_argument("--at-least", type=float, default=0.85, help="the rate below which the exit code is 1")
    return parser.parse_args()


_PYTEST = (sys.executable, "-m", "pytest", "-q")

if __name__ == "__main__":
    sys.exit(main())
