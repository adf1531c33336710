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
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from gluon_inspect.bulkheads import contained
from gluon_inspect.loading.stored import find, packed, stored
from gluon_inspect.model.artifact import PASSES as PASSES_DUMP
from gluon_inspect.model.artifact import CompiledKernel
from gluon_inspect.recording.child import described
from gluon_inspect.recording.child.dumps import PassDumps
from gluon_inspect.recording.child.madeup import MadeUp
from gluon_inspect.recording.child.patches import Patches
from gluon_inspect.recording.child.pending import Order, Outcome, PendingKernel, SkippedKernel
from gluon_inspect.recording.child.workers import Task, Workers
from gluon_inspect.recording.child.writes import UNKNOWN, Effects
from gluon_inspect.recording.journal import PASSES, JournalWriter
from gluon_inspect.targets import find as find_target

_STAGES = ("source", "ttir", "ttgir", "llir", "ptx", "amdgcn")
TIMED_STAGES = ("ttgir", "amdgcn")
"""What the time model reads, beside the binary."""
_TAIL_BYTES = 1 << 20
_DUMPS, _GETPID, _EXIT = json.dumps, os.getpid, os._exit
"""Taken before the script runs, which may put others in their places."""
_NO_DUMPS: Mapping[str, str] = {}
_WARM_BEFORE = 2
"""Where one kernel is all there is, preparing for more is not worth it."""
_NOTHING = """
module attributes {{
  "ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = {threads} : i32,
  ttg.target = "{target}"
}} {{
  tt.func public @nothing() {{ tt.return }}
}}
"""
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
    """Stands for triton.compile: compilations go to processes of their own, the journal says what comes of each.

    The script gets a kernel that waits for its compilation where it is asked what only that tells, and at once
    where the script is ready for a failure (`must_wait`), and compiles itself where no process can be split.

    `configuration`: what a tuner tries at the moment. `bare`: without the passes' IR and what costs no time.
    """

    def __init__(
        self,
        journal: JournalWriter,
        target: str,
        made_up: MadeUp,
        skipped: Mapping[str, str] | None = None,
        slots: int = 0,
        must_wait: Callable[[], bool] = lambda: True,
        configuration: Callable[[], Mapping[str, str]] = dict,
        *,
        cached: bool = False,
        bare: bool = False,
    ) -> None:
        self._configuration, self._suffix = configuration, "-bare" if bare else ""
        self._made_up = made_up
        self._skipped = skipped or {}
        self._journal = journal
        self._cached, self._must_wait = cached, must_wait
        self._owner = _GETPID()
        self._lock = threading.RLock()
        cache = os.environ.get("TRITON_CACHE_DIR", str(journal.blobs.parent / "cache"))
        self._compiler = Compiler(journal, target, cache, bare=bare)
        self._workers = Workers(slots, self._tell_death) if Workers.are_possible(slots) else None
        self._orders: dict[str, Order] = {}
        self._sources: set[str] = set()

    def install(self, patches: Patches) -> None:
        """Replaces compile under every name by which it is called."""
        compiler: Any = importlib.import_module("triton.compiler.compiler")
        self._original = compiler.compile
        for module in ("triton.compiler.compiler", "triton.compiler", "triton"):
            patches.set(importlib.import_module(module), "compile", self._compile)
        # the cache is a recording's own and empty: no need to hash all of Triton to tell it from another
        patches.set(importlib.import_module("triton.runtime.cache"), "triton_key", triton_version)
        patches.set(os, "_exit", self._leaving(os._exit))
        patches.set(os, "abort", self._leaving(os.abort))
        described.install(patches)
        patches.on_exit(self.finish)

    def finish(self) -> None:
        """Waits for all compilations."""
        if self._workers is not None and _GETPID() == self._owner:
            self._workers.finish()

    def effects(self, kernel: str) -> Effects:
        """What a launch of a kernel, by its hash, does to memory."""
        order = self._orders.get(kernel)
        return Effects(partial(self._text, order)) if order else self._compiler.effects.get(kernel, UNKNOWN)

    def _compile(self, src: Any, *arguments: Any, **options: Any) -> Any:
        if _GETPID() != self._owner:
            return self._original(src, *arguments, **options)
        with self._lock:
            if self._made_up.has_news():  # whatever ends the process, what was said by now is kept
                self._journal.event("notes", texts=self._made_up.notes())
            call = Call(src, partial(self._original, src, *arguments, **options))
            if call.key in self._skipped:
                self._compiler.failed(call, self._skipped[call.key])
                return SkippedKernel(call.name, call.key)
            self._keep_source(call)
            if self._workers is None:
                return self._compiler.compiled_here(call)
            target = options.get("target") or (arguments[0] if arguments else None) or _current_target()
            key = described.compilation_key(src, target, options.get("options"))
            return self._ordered(call, f"{key}{self._suffix}")

    def _ordered(self, call: Call, name: str) -> PendingKernel:
        order = self._orders.get(name)
        if order is None:
            order = self._orders[name] = Order(call, name)
            self._journal.event("queued", id=name, name=call.name, configuration=self._configuration())
            if self._cached and find(name) is not None:
                self._journal.event("compiled", id=name, cached=name)
                order.is_cached = True
            else:
                self._start(order)
        elif self._workers is not None:
            self._workers.look()
        kernel = PendingKernel(order, call.src, self)
        if self._must_wait():
            kernel.check()
        return kernel

    def _start(self, order: Order) -> None:
        if self._workers is not None:
            if len(self._orders) == _WARM_BEFORE:
                self._compiler.warm_up()
            work = partial(self._compiler.compiled_elsewhere, order, len(self._orders))
            order.task = self._workers.add(work)

    def outcome(self, order: Order) -> Outcome:
        """What became of a compilation, as soon as it has ended."""
        with self._lock:
            if order.task is None:
                self._start(order)
            if order.task is None or self._workers is None or _GETPID() != self._owner:
                return Outcome("not compiled in this process")
            self._workers.wait(order.task)
            if order.task.died:
                return Outcome(f"the compiler died ({order.task.died})")
            found = Outcome(**json.loads(order.task.said))
            self._compiler.padding_bytes = found.padding_bytes
            return found

    def raised(self, order: Order, outcome: Outcome) -> NoReturn:
        """Raises what the compiler raised, by compiling once more, here; not what would kill this process too."""
        if outcome.raised:
            with self._compiler.quietly():
                try:
                    order.call.work()
                except Exception as error:
                    blame(error, order.call.key)
                    raise
        failure = RuntimeError(outcome.failed)
        blame(failure, order.call.key)
        raise failure

    def waits(self) -> bool:
        """Whether the script is ready for a launch that fails, and so must hear of it."""
        return self._must_wait()

    def _text(self, order: Order) -> str | None:
        """The TTGIR of a compilation, waited for; None where there is none."""
        if order.is_cached and (content := find(order.name)) is not None:
            return stored(content).stages.get("ttgir", "")
        group = self.outcome(order).group
        return next((Path(path).read_text() for name, path in group.items() if name.endswith(".ttgir")), None)

    def _tell_death(self, task: Task) -> None:
        for order in self._orders.values():
            if order.task is task:
                self._journal.event("died", id=order.name, how=task.died)

    def _leaving(self, end: Callable[..., NoReturn]) -> Callable[..., NoReturn]:
        """A script that ends its process past everything does so when its kernels are compiled."""

        def leave(*status: int) -> NoReturn:
            self.finish()
            end(*status)

        return leave

    def _keep_source(self, call: Call) -> None:
        """The kernel's file as it is now: a script may have written it to a folder that it removes again."""
        file = _source(call.src).get("source_file", "")
        if file not in self._sources and (lines := linecache.getlines(file)):
            self._sources.add(file)
            text = "".join(lines)
            self._journal.event("source", file=file, text=self._journal.put(text.encode(errors="replace")))


@dataclass(frozen=True, slots=True)
class Call:
    """One call of triton.compile: its source, and what makes it."""

    src: Any
    work: Callable[[], Any]

    @property
    def name(self) -> str:
        """The kernel's."""
        return _name(self.src)

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
            contained("the compiler", lambda: self._original(str(source), target=_current_target()))

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
            **_source(call.src),
        )
        self._tell(name or f"failed{self._count}", kernel)

    def _tell(self, name: str, kernel: CompiledKernel) -> None:
        """The kernel goes to a file of its own; the journal has the file's name."""
        self._journal.event("compiled", id=name, kernel=self._journal.put(packed(kernel)))


def _current_target() -> Any:
    return importlib.import_module("triton.runtime.driver").driver.active.get_current_target()


def describe(kernel: Any, target: str, stages: Sequence[str] = TIMED_STAGES) -> CompiledKernel:
    """Triton's compiled kernel as plain data, with the stages that are wanted of those that it has."""
    asm: Any = kernel.asm
    return CompiledKernel(
        name=kernel.name,
        target=target,
        triton_version=triton_version(),
        stages={stage: asm[stage] for stage in stages if stage in asm},
        binaries={stage: asm[stage] for stage in _BINARIES if stage in asm},
        metadata=_metadata(kernel.metadata._asdict()),
        **_source(kernel.src),
    )


_BLAMED = "_gluon_inspect_compilation"
_TOO_LARGE = "OutOfResources"


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


def _metadata(given: dict[str, Any]) -> dict[str, Any]:
    """What the compiler says of its kernel in plain values; its table of host-side descriptors as JSON."""
    plain = {name: value for name, value in given.items() if _is_scalar(value) and not name.isupper()}
    descriptors = given.get("tensordesc_meta")
    return plain | ({"tensordesc_meta": _DUMPS(descriptors)} if descriptors else {})


def triton_version() -> str:
    """The installed one."""
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
