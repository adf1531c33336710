"""Every compilation, with the IR before each pass, whether it succeeds or not."""

from __future__ import annotations

import importlib
import json
import linecache
import os
import sys
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from gluon_inspect.ir.operations import tt
from gluon_inspect.loading.encoding import encode_kernel
from gluon_inspect.model.artifact import CompiledKernel
from gluon_inspect.recording.child.dumps import PassDumps
from gluon_inspect.recording.child.madeup import MadeUp
from gluon_inspect.recording.child.patches import Patches
from gluon_inspect.recording.child.writes import read_only
from gluon_inspect.recording.journal import JournalWriter

_STAGES = ("source", "ttir", "ttgir", "llir", "ptx", "amdgcn")
TIMED_STAGES = ("ttgir", "amdgcn")
"""What the time model reads, beside the binary."""
_TAIL_BYTES = 1 << 20
_DUMPS, _GETPID = json.dumps, os.getpid
"""Taken before the script runs, which may put others in their places."""
_BINARIES = ("cubin", "hsaco")


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


class CompilationRecorder:
    """Wraps triton.compile; the journal gets one event a distinct compilation.

    `configuration`: what a tuner tries at the moment. `bare`: without the passes' IR and what costs no time.
    """

    def __init__(
        self,
        journal: JournalWriter,
        target: str,
        made_up: MadeUp,
        skipped: Mapping[str, str] | None = None,
        configuration: Callable[[], Mapping[str, str]] = dict,
        *,
        bare: bool = False,
    ) -> None:
        self._configuration, self._bare = configuration, bare
        self._made_up = made_up
        self._skipped = skipped or {}
        self._journal = journal
        self._target = target
        self._owner = _GETPID()
        self._cache = os.environ.get("TRITON_CACHE_DIR", str(journal.blobs.parent / "cache"))
        self._passes = PassDumps(journal.blobs)
        self._seen: set[str] = set()
        self._sources: set[str] = set()
        self._read_only: dict[str, frozenset[str]] = {}
        self._makes_pointers: set[str] = set()
        self._count = 0
        self._lock = threading.Lock()

    def install(self, patches: Patches) -> None:
        """Replaces compile under every name by which it is called."""
        compiler: Any = importlib.import_module("triton.compiler.compiler")
        wrapped = self._wrap(compiler.compile)
        for module in ("triton.compiler.compiler", "triton.compiler", "triton"):
            patches.set(importlib.import_module(module), "compile", wrapped)
        # the cache is a recording's own and empty: no need to hash all of Triton to tell it from another
        patches.set(importlib.import_module("triton.runtime.cache"), "triton_key", _version)

    def read_only(self, kernel: str) -> frozenset[str]:
        """The parameters through which a compiled kernel, by its hash, does not write."""
        return self._read_only.get(kernel, frozenset())

    def makes_pointers(self, kernel: str) -> bool:
        """Whether a compiled kernel, by its hash, takes integers for addresses: it may write anywhere they say."""
        return kernel in self._makes_pointers

    def _wrap(self, compile_: Callable[..., Any]) -> Callable[..., Any]:
        def compile(src: Any, *arguments: Any, **options: Any) -> Any:
            if _GETPID() != self._owner:
                return compile_(src, *arguments, **options)
            with self._lock, own_places(self._cache), nullcontext() if self._bare else self._passes.listening():
                return self._compile(compile_, src, arguments, options)

        return compile

    def _compile(self, compile_: Callable[..., Any], src: Any, arguments: Any, options: Any) -> Any:
        dump = f"dump{self._count}"
        self._count += 1
        if self._made_up.has_news():  # whatever ends the process, what was said by now is kept
            self._journal.event("notes", texts=self._made_up.notes())
        key = _key(src)
        if key in self._skipped:
            self._failed(src, self._skipped[key], "", 0.0)
            return SkippedKernel(_name(src), key)
        self._journal.event("compiling", name=_name(src), dump=dump, at=self._passes.at, key=key)
        start = time.perf_counter()
        try:
            with standard_error_to(self._journal.blobs / dump):
                kernel = compile_(src, *arguments, **options)
        except Exception as error:
            seconds = time.perf_counter() - start
            said = diagnostics(self._journal.blobs / dump)
            self._keep(dump)
            self._failed(src, describe_failure(src, error) + said, dump, seconds)
            blame(error, key)
            raise
        seconds = time.perf_counter() - start
        self._keep(dump)
        self._compiled(kernel, dump, seconds)
        return kernel

    def _keep(self, dump: str) -> None:
        """The passes before what was said to standard error: one dump, as a log has them."""
        blob = self._journal.blobs / dump
        if self._bare:
            return
        said = blob.read_bytes()
        blob.write_bytes(self._passes.take() + said)

    def _compiled(self, kernel: Any, dump: str, seconds: float) -> None:
        if kernel.hash in self._seen:
            (self._journal.blobs / dump).unlink()
            self._journal.event("compiled", id=kernel.hash, kernel=None)
            return
        self._seen.add(kernel.hash)
        ttgir = kernel.asm.get("ttgir", "")
        self._read_only[kernel.hash] = read_only(ttgir)
        if tt.INT_TO_PTR.name in ttgir:
            self._makes_pointers.add(kernel.hash)
        described = replace(
            describe(kernel, self._target, TIMED_STAGES if self._bare else _STAGES),
            compile_seconds=seconds,
            configuration=self._configuration(),
        )
        self._keep_source(described.source_file)
        data = encode_kernel(described, self._journal.put)
        data["dump"] = dump
        self._journal.event("compiled", id=kernel.hash, kernel=data)

    def _keep_source(self, file: str) -> None:
        """The kernel's file as it is now: a script may have written it to a folder that it removes again."""
        if file not in self._sources and (lines := linecache.getlines(file)):
            self._sources.add(file)
            text = "".join(lines)
            self._journal.event("source", file=file, text=self._journal.put(text.encode(errors="replace")))

    def _failed(self, src: Any, error: str, dump: str, seconds: float) -> None:
        kernel = CompiledKernel(
            name=_name(src),
            target=self._target,
            triton_version=_version(),
            error=error,
            compile_seconds=seconds,
            configuration=self._configuration(),
            **_source(src),
        )
        data = encode_kernel(kernel, self._journal.put)
        data["dump"] = dump
        self._journal.event("compiled", id=f"failed{self._count}", kernel=data)


def describe(kernel: Any, target: str, stages: Sequence[str] = TIMED_STAGES) -> CompiledKernel:
    """Triton's compiled kernel as plain data, with the stages that are wanted of those that it has."""
    asm: Any = kernel.asm
    return CompiledKernel(
        name=kernel.name,
        target=target,
        triton_version=_version(),
        stages={stage: asm[stage] for stage in stages if stage in asm},
        binaries={stage: asm[stage] for stage in _BINARIES if stage in asm},
        metadata=_metadata(kernel.metadata._asdict()),
        **_source(kernel.src),
    )


class SkippedKernel:
    """Stands for a kernel whose compilation ended an earlier run: launching it does nothing."""

    asm: Mapping[str, Any] = {}
    function = packed_metadata = None
    n_regs = n_spills = n_max_threads = 0

    def __init__(self, name: str, key: str) -> None:
        self.name, self.hash = name, key

    def launch_metadata(self, *_: Any) -> None:
        """Nothing is launched."""

    def run(self, *_: Any) -> None:
        """Nothing is launched."""

    def __getitem__(self, _: Any) -> Callable[..., None]:
        return self.run

    def result(self) -> SkippedKernel:
        """What a compilation in the background comes to."""
        return self


_TOO_LARGE = "OutOfResources"
_BLAMED = "_gluon_inspect_compilation"


def blame(error: BaseException, key: str) -> None:
    """Remembers in an exception whose compilation raised it."""
    with suppress(AttributeError):
        setattr(error, _BLAMED, key)


def blamed(error: BaseException | None) -> str:
    """The key of the compilation that an exception came from, by itself or by what caused it; empty: none."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if key := getattr(error, _BLAMED, ""):
            return str(key)
        error = error.__cause__ or error.__context__
    return ""


def attempt(launch: Callable[[], object]) -> None:
    """A launch that may not compile or fit, which the journal or its kernel tells; what else it raises goes on."""
    try:
        launch()
    except Exception as error:
        if not blamed(error) and type(error).__name__ != _TOO_LARGE:
            raise


def _key(src: Any) -> str:
    """What tells a compilation in every run of a script: its name, types and constants."""
    hashed = getattr(src, "hash", None)
    return f"{_name(src)} {hashed()}" if callable(hashed) else _name(src)


def _metadata(given: dict[str, Any]) -> dict[str, Any]:
    """What the compiler says of its kernel in plain values; its table of host-side descriptors as JSON."""
    plain = {name: value for name, value in given.items() if _is_scalar(value) and not name.isupper()}
    descriptors = given.get("tensordesc_meta")
    return plain | ({"tensordesc_meta": _DUMPS(descriptors)} if descriptors else {})


def _version() -> str:
    return str(importlib.import_module("triton").__version__)


def _name(src: Any) -> str:
    return src if isinstance(src, str) else str(getattr(src, "name", src))


def _is_scalar(value: Any) -> bool:
    return value is None or isinstance(value, bool | int | float | str)


def _source(src: Any) -> dict[str, Any]:
    """Where the kernel function stands, its constexprs and its signature, for a kernel made from Python."""
    function = getattr(src, "fn", None)
    if function is None:
        return {}
    names: list[str] = list(function.arg_names)
    return {
        "source_file": str(function.fn.__code__.co_filename),
        "source_line": _definition_line(function),
        "constexprs": _constexprs(function, src.constants, names),
        "signature": {name: str(kind) for name, kind in src.signature.items()},
    }


def _definition_line(function: Any) -> int:
    """The line of `def`, below the decorators (Triton 3.6 keeps the first decorator's only)."""
    lines: list[str] = list(function.raw_src)
    below = next((index for index, line in enumerate(lines) if line.lstrip().startswith("def ")), 0)
    return int(function.starting_line_number) + below


def _constexprs(function: Any, constants: dict[Any, Any], names: list[str]) -> dict[str, str]:
    declared = {parameter.name for parameter in function.params if parameter.is_constexpr}
    found: dict[str, str] = {}
    for path, value in constants.items():
        name, *steps = _path(path, names)
        if name in declared:
            found[".".join([name, *steps])] = _spell(value)
    return found


def _path(path: Any, names: list[str]) -> list[str]:
    """A constant's place: a parameter's name, then indices into a tuple argument."""
    if isinstance(path, str):
        return [path]
    first, *steps = path
    return [names[first], *(str(step) for step in steps)]


def _spell(value: Any) -> str:
    inner = getattr(value, "value", value) if type(value).__name__ == "constexpr" else value
    return getattr(inner, "__name__", None) or str(inner)


def describe_failure(src: Any, error: Exception) -> str:
    """What the compiler said, innermost cause last, with the line in the author's file where it is known."""
    chain: list[BaseException] = [error]
    while (cause := chain[-1].__cause__) is not None and cause not in chain:
        chain.append(cause)
    text = "\n".join(f"{type(link).__name__}: {link}" for link in chain)
    place = _failed_line(src, chain)
    return f"{place}: {text}" if place else text


def diagnostics(dump: Path) -> str:
    """The errors that MLIR wrote to standard error on the way, each once, as further lines."""
    with dump.open("rb") as file:
        file.seek(max(0, dump.stat().st_size - _TAIL_BYTES))
        tail = file.read().decode("utf-8", errors="replace")
    lines = dict.fromkeys(line.strip() for line in tail.splitlines() if "error: " in line)
    return "".join(f"\n{line}" for line in lines)


def _failed_line(src: Any, chain: list[BaseException]) -> str:
    function = getattr(src, "fn", None)
    for link in reversed(chain):
        line = getattr(getattr(link, "node", None), "lineno", None)
        if line is not None and function is not None and getattr(link, "src", None) == function.src:
            return f"{function.fn.__code__.co_filename}:{_definition_line(function) + line - 1}"
    return ""
