"""Parsing one attention kernel's TTGIR: ours, full model included, against libtriton's own parser, interleaved.

Prints the ratio of the medians, first with nothing remembered of any type or location, then with.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from attention import compile_attention
from triton._C.libtriton import ir, nvidia

from gluon_inspect.ir.text import grammar, parse_mlir

ROUNDS = 15


def _seconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def main() -> None:
    """Compile, parse both ways, print."""
    text = compile_attention(copies=4).asm["ttgir"]
    context = ir.context()
    ir.load_dialects(context)
    nvidia.load_dialects(context)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "attention.ttgir")
        path.write_text(text)
        first = _seconds(lambda: parse_mlir(text))
        theirs, cold, warm = [], [], []
        for _ in range(ROUNDS):
            theirs.append(_seconds(lambda: ir.parse_mlir_module(str(path), context)))
            grammar.forget()
            cold.append(_seconds(lambda: parse_mlir(text)))
            warm.append(_seconds(lambda: parse_mlir(text)))
    operations = sum(1 for _ in parse_mlir(text).walk())
    print(f"{len(text) / 1000:.0f} KB of TTGIR, {operations} operations, medians of {ROUNDS}")
    print(f"libtriton            {median(theirs) * 1e3:7.1f} ms")
    print(f"ours, types unknown  {median(cold) * 1e3:7.1f} ms  ratio {median(cold) / median(theirs):.2f}")
    print(f"ours, types known    {median(warm) * 1e3:7.1f} ms  ratio {median(warm) / median(theirs):.2f}")
    print(f"first of the process {first * 1e3:7.1f} ms (builds the grammar)")


if __name__ == "__main__":
    main()
