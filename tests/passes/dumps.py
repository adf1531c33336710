"""Dumps for tests: small ones written here, and those of tests/data/passes."""

from __future__ import annotations

import gzip
from pathlib import Path

from gluon_inspect import targets
from gluon_inspect.model.versions import NEWEST
from gluon_inspect.passes.states import Compilation, compilations
from gluon_inspect.passes.timeline import Timeline

DATA = Path(__file__).parent.parent / "data" / "passes"
KERNELS = DATA / "kernels.py"
MODULE = "('builtin.module' operation)"
ROWS = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>"
COLUMNS = "#ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>"


def header(rest: str, moment: str = "Before") -> str:
    return f"// -----// IR Dump {moment} {rest} //----- //\n"


def kernel(body: str, name: str = "kernel", attributes: str = '"ttg.num-warps" = 4 : i32') -> str:
    """A TTGIR module whose function holds the lines of `body`, each with its place at line 10, 11, …"""
    lines = body.strip().split("\n")
    placed = "\n".join(f'    {line.strip()} loc("k.py":{at}:5)' for at, line in enumerate(lines, 10))
    return (
        f"#rows = {ROWS}\n#columns = {COLUMNS}\nmodule attributes {{{attributes}}} {{\n"
        f"  tt.func public @{name}(%p: !tt.ptr<f32>) {{\n{placed}\n    tt.return\n  }}\n}}\n"
    )


def text_of(name: str) -> str:
    path = DATA / name
    return gzip.open(path, "rt").read() if path.suffix == ".gz" else path.read_text()


def timeline_of(name: str) -> Timeline:
    """The timeline of the only compilation of a dump beside the tests."""
    (compilation,) = compilations(text_of(name))
    return timeline(compilation, "hip:gfx942" if "gfx942" in name else "cuda:90")


def timeline(compilation: Compilation, target: str = "cuda:90") -> Timeline:
    return Timeline(compilation, targets.find(target), NEWEST)


def line_of(code: str) -> int:
    """The line of the kernels' file that holds some code."""
    return next(at for at, line in enumerate(KERNELS.read_text().split("\n"), 1) if code in line)
