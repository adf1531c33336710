"""The IR before every pass of a compilation, as Triton dumps it, without what that costs on standard error.

There every word is a system call, half the time of a compilation. With MLIR_DUMP_PATH all compilations of a
process go to one file through a buffer. So a module of padding is dumped after each: it pushes out what came
before and marks its end.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gluon_inspect.recording.journal import PASSES

_HEADER = b"// -----// IR Dump Before"
_LEAST_PADDING_BYTES = 8192


class PassDumps:
    """Cuts the process's dump file into one dump a compilation.

    `padding_bytes`: what a padding takes in the file, where another process has found that out; 0: it is measured.
    """

    def __init__(self, blobs: Path, name: str = PASSES, padding_bytes: int = 0) -> None:
        self.name = name
        self._path = blobs / name
        self._padding = blobs / f"{name}.padding"
        self.padding_bytes = padding_bytes
        self.at = 0
        """Where in the file the next dump begins."""

    @contextmanager
    def listening(self) -> Generator[None]:
        """The compiler dumps to the file; a process that the script starts meanwhile would too."""
        ours = {"MLIR_ENABLE_DUMP": "1", "MLIR_DUMP_PATH": str(self._path)}
        before = {name: os.environ.get(name) for name in ours}
        os.environ.update(ours)
        try:
            if not self._padding.exists():
                self._begin()
            yield
        finally:
            for name, value in before.items():
                os.environ.pop(name) if value is None else os.environ.__setitem__(name, value)

    def take(self) -> bytes:
        """What was dumped since the last time. To be called while listening."""
        self._pad()
        with self._path.open("rb") as file:
            file.seek(self.at)
            found = file.read()
        end = found.rfind(_HEADER)
        if end < 0:  # the script has closed the compiler's file
            return b""
        self.at += end + self.padding_bytes
        os.truncate(self._path, 0)  # the compiler writes on at its own offset: what was read is a hole
        return found[:end]

    def _begin(self) -> None:
        self._path.touch()
        least = max(_LEAST_PADDING_BYTES, 2 * self._path.stat().st_blksize)
        self._padding.write_text(f'module attributes {{ttg.padding = "{"=" * least}"}} {{}}\n')
        if not self.padding_bytes:
            self._measure()

    def _measure(self) -> None:
        """Padding twice: the second begins where the first ends."""
        self._pad()
        self._pad()
        written = self._path.read_bytes()
        self.padding_bytes = written.index(_HEADER, 1)
        self.at = 2 * self.padding_bytes

    def _pad(self) -> None:
        triton: Any = importlib.import_module("triton._C.libtriton")
        context = triton.ir.context()
        triton.ir.load_dialects(context)
        module = triton.ir.parse_mlir_module(str(self._padding), context)
        manager = triton.ir.pass_manager(context)
        manager.enable_debug()
        triton.passes.common.add_symbol_dce(manager)
        manager.run(module, "padding")
