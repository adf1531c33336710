"""One compilation, with the IR before each pass, told to the journal whether it succeeds or not."""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from gluon_inspect.bulkheads import contained
from gluon_inspect.loading.stored import packed
from gluon_inspect.model.artifact import PASSES as PASSES_DUMP
from gluon_inspect.model.artifact import CompiledKernel
from gluon_inspect.recording.child.blame import blame, describe_failure, diagnostics
from gluon_inspect.recording.child.dumps import PassDumps
from gluon_inspect.recording.child.kernels import TIMED_STAGES, describe, kernel_name, source_of, triton_version
from gluon_inspect.recording.child.pending import Order, Outcome
from gluon_inspect.recording.child.writes import Effects
from gluon_inspect.recording.journal import PASSES, JournalWriter
from gluon_inspect.targets import find as find_target

_STAGES = ("source", "ttir", "ttgir", "llir", "ptx", "amdgcn")
_GETPID = os.getpid
"""Taken before the script runs, which may put another in its place."""
_NO_DUMPS: Mapping[str, str] = {}
_NOTHING = """
module attributes {{
  "ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = {threads} : i32,
  ttg.target = "{target}"
}} {{
  tt.func public @nothing() {{ tt.return }}
}}
"""


@contextmanager
def standard_error_to(path: Path) -> Generator[None]:
    """File descriptor 2 goes to a file: MLIR's messages are written by C++, past sys.stderr."""
    sys.stderr.flush()
    saved = os.dup(2)
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(file, 2)
    try:
        yield
    finally:
        sys.stderr.flush()
        os.dup2(saved, 2)
        os.close(saved)
        os.close(file)


@contextmanager
def own_places(cache: str) -> Generator[None]:
    """Caches and dumps that the script asked Triton for stay as they are: no kernel of ours gets into them."""
    knobs: Any = importlib.import_module("triton").knobs
    with knobs.compilation.scope(), knobs.cache.scope():
        knobs.cache.dir = cache
        knobs.compilation.always_compile = True
        knobs.compilation.dump_ir = knobs.compilation.override = knobs.compilation.store_binary_only = False
        yield


@dataclass(frozen=True, slots=True)
class Call:
    """One call of triton.compile: its source, and what makes it."""

    src: Any
    work: Callable[[], Any]

    @property
    def name(self) -> str:
        """The kernel's."""
        return kernel_name(self.src)

    @property
    def key(self) -> str:
        """What tells a compilation in every run of a script: its name, types and constants."""
        hashed = getattr(self.src, "hash", None)
        return f"{self.name} {hashed()}" if callable(hashed) else self.name


class Compiler:
    """Compiles, and tells the journal of it: in the script's process, or in one split off for it."""

    def __init__(self, journal: JournalWriter, target: str, cache: str, *, bare: bool) -> None:
        self._journal, self._target, self._cache, self._bare = journal, target, cache, bare
        self._original: Callable[..., Any] = importlib.import_module("triton.compiler.compiler").compile
        self._pid, self._passes = _GETPID(), PassDumps(journal.blobs)
        self.padding_bytes = 0
        self.effects: dict[str, Effects] = {}
        self._count = 0

    @contextmanager
    def quietly(self) -> Generator[None]:
        """Compiling once more what was compiled elsewhere leaves no trace."""
        with own_places(self._cache), standard_error_to(Path(os.devnull)):
            yield

    def warm_up(self) -> None:
        """Has this process load and ask what each process split off from it would: tools, dialects, modules."""
        source = self._journal.blobs / "nothing.ttgir"
        threads = find_target(self._target).warp_size
        source.write_text(_NOTHING.format(threads=threads, target=self._target), encoding="utf-8")
        with self.quietly():
            contained("the compiler", lambda: self._original(str(source), target=current_target()))

    def compiled_here(self, call: Call) -> Any:
        """The kernel; raises what the compiler raises."""
        with own_places(self._cache), self._dumping():
            dump = f"dump{self._count}"
            self._count += 1
            kernel = self._compiled(call, "", dump, self._passes)
        ttgir = kernel.asm.get("ttgir", "")
        self.effects[kernel.hash] = Effects(lambda: ttgir)
        return kernel

    def compiled_elsewhere(self, order: Order, number: int) -> bytes:
        """The outcome, told by a process split off for it and others: it has a file of passes of its own."""
        if _GETPID() != self._pid:
            self._pid, self._journal = _GETPID(), self._journal.reopened()
            self._passes = PassDumps(self._journal.blobs, f"{PASSES}{number}", self.padding_bytes)
        try:
            with own_places(self._cache), self._dumping():
                kernel = self._compiled(order.call, order.name, f"dump{number}", self._passes)
            found = Outcome(group=dict(kernel.metadata_group), hash=kernel.hash)
        except Exception as error:  # noqa: BLE001 (a compiler may raise anything: the journal has it)
            found = Outcome(f"{type(error).__name__}: {error}", raised=True)
        return json.dumps(asdict(replace(found, padding_bytes=self._passes.padding_bytes))).encode()

    def _dumping(self) -> AbstractContextManager[None]:
        return nullcontext() if self._bare else self._passes.listening()

    def _log(self, said: Path) -> dict[str, str]:
        """The passes before what was said to standard error: one dump, as a log has them."""
        if self._bare:
            return {}
        log = (self._passes.take() + said.read_bytes()).decode("utf-8", errors="replace")
        return {PASSES_DUMP: log} if log else {}

    def _compiled(self, call: Call, name: str, dump: str, passes: PassDumps) -> Any:
        said = self._journal.blobs / dump
        told = {"name": call.name, "dump": dump, "passes": passes.name, "at": passes.at, "pid": _GETPID()}
        self._journal.event("compiling", id=name, key=call.key, **told)
        start = time.perf_counter()
        try:
            with standard_error_to(said):
                kernel = call.work()
        except Exception as error:
            seconds = time.perf_counter() - start
            text = describe_failure(call.src, error) + diagnostics(said)
            self.failed(call, text, self._log(said), seconds, name)
            blame(error, call.key)
            raise
        seconds = time.perf_counter() - start
        dumps = self._log(said)
        said.unlink(missing_ok=True)
        found = describe(kernel, self._target, TIMED_STAGES if self._bare else _STAGES)
        self._tell(name or kernel.hash, replace(found, compile_seconds=seconds, dumps=dumps))
        return kernel

    def failed(
        self, call: Call, error: str, dumps: Mapping[str, str] = _NO_DUMPS, seconds: float = 0.0, name: str = ""
    ) -> None:
        """Tells of a kernel that does not compile."""
        self._count += 1
        kernel = CompiledKernel(
            name=call.name,
            target=self._target,
            triton_version=triton_version(),
            error=error,
            compile_seconds=seconds,
            dumps=dumps,
            **source_of(call.src),
        )
        self._tell(name or f"failed{self._count}", kernel)

    def _tell(self, name: str, kernel: CompiledKernel) -> None:
        """The kernel goes to a file of its own; the journal has the file's name."""
        self._journal.event("compiled", id=name, kernel=self._journal.put(packed(kernel)))


def current_target() -> Any:
    """The target that Triton compiles for in this process: its own GPUTarget."""
    return importlib.import_module("triton.runtime.driver").driver.active.get_current_target()
