"""Launches as they would be made, one record for each distinct compilation, grid and argument set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from gluon_inspect.loading.encoding import encode_launch
from gluon_inspect.loading.identity import identity
from gluon_inspect.model.artifact import ArgumentValue, Launch, TensorArgument
from gluon_inspect.recording.child.arguments import ArgumentReader, flatten
from gluon_inspect.recording.child.compilations import CompilationRecorder
from gluon_inspect.recording.child.fake.memory import Memory
from gluon_inspect.recording.child.pending import PendingMetadata
from gluon_inspect.recording.journal import JournalWriter

FIXED_ARGUMENTS = 9
"""grid x, y, z, stream, function, packed metadata, launch metadata, enter hook, exit hook."""


class EnoughLaunches(BaseException):
    """As many launches were made as were asked for."""


class LaunchRecorder:
    """Writes launches to the journal; after `most` of them it raises EnoughLaunches.

    `memory` forgets what a kernel may have written; `load` is told of each kernel's metadata when it is loaded,
    whether or not it can then be launched. `is_trial`: whether the autotuner makes the launch.
    """

    def __init__(
        self,
        journal: JournalWriter,
        reader: ArgumentReader,
        memory: Memory,
        kernels: CompilationRecorder,
        load: Callable[[Any], None],
        most: int | None = None,
        is_trial: Callable[[], bool] = lambda: False,
    ) -> None:
        self._left = most
        self._is_trial = is_trial
        self._load = load
        self._kernels = kernels
        self._journal = journal
        self._reader = reader
        self._memory = memory
        self._known: dict[Any, str] = {}
        self._loaded: dict[int, tuple[Any, str]] = {}
        """By a kernel's function: what was last made ready to be launched, which keeps the function."""

    def launcher(self, source: Any, metadata: Any) -> Callable[..., None]:
        """What Triton takes for its launcher: called once a kernel, then for each launch."""
        if not isinstance(metadata, PendingMetadata):
            self._load(metadata)
        self._loaded[id(getattr(source, "fn", None))] = source, metadata.hash
        declared = declared_constexprs(source)
        names: list[str] = list(getattr(getattr(source, "fn", None), "arg_names", ()))

        def launch(*arguments: Any) -> None:
            *fixed, launch_metadata, enter, leave = arguments[:FIXED_ARGUMENTS]
            values = arguments[FIXED_ARGUMENTS:]
            bound = bind(names or [f"arg{index}" for index in range(len(values))], values)
            runtime = {name: value for name, value in bound.items() if name not in declared}
            if enter is not None:
                enter(launch_metadata)
            self._record(metadata.hash, (int(fixed[0]), int(fixed[1]), int(fixed[2])), runtime)
            if leave is not None:
                leave(launch_metadata)

        return launch

    def _record(self, kernel: str, grid: tuple[int, int, int], bound: dict[str, Any]) -> None:
        leaves = [leaf for name, value in bound.items() for leaf in flatten(name, value)]
        self._refuse_cpu(value for _, value in leaves)
        arguments = {name: self._reader.read(value) for name, value in leaves}
        self._write(kernel, grid, arguments)
        effects = self._kernels.effects(kernel)
        for name, value in leaves:
            self._memory.written(value, ((kernel, name), partial(effects.writes, name)))
        self._memory.forget_at(_integers(arguments.values()), ((kernel, None), effects.makes_pointers))
        self._count()

    def refused(self, function: Any, grid: tuple[int, int, int], bound: dict[str, Any]) -> None:
        """Record a launch that Triton refused behind the launcher's making; nothing was written by it."""
        source, kernel = self._loaded.get(id(function), (None, ""))
        if not kernel:
            return
        out = declared_constexprs(source)
        names = [name for name in function.arg_names if name in bound and name not in out]
        leaves = [leaf for name in names for leaf in flatten(name, bound[name])]
        self._write(kernel, grid, {name: self._reader.read(value) for name, value in leaves})

    def _count(self) -> None:
        if self._left is None:
            return
        self._left -= 1
        if self._left <= 0:
            raise EnoughLaunches("the script was ended after the launches that --only-launches asked for")

    def _refuse_cpu(self, values: Iterable[Any]) -> None:
        """As Triton's launcher does, in its words."""
        for index, value in enumerate(values):
            tensor = value if hasattr(value, "stride") else getattr(value, "base", value)
            if not self._memory.reaches(tensor):
                raise ValueError(f"Pointer argument (at {index}) cannot be accessed from Triton (cpu tensor?)")

    def _write(self, kernel: str, grid: tuple[int, int, int], arguments: dict[str, ArgumentValue]) -> None:
        key = (kernel, grid, identity(arguments))
        if known := self._known.get(key):
            self._journal.event("again", launch=known, trial=self._is_trial())
            return
        name = self._known[key] = f"launch{len(self._known)}"
        launch = encode_launch(Launch(name, 1, grid, arguments, trial=self._is_trial()), self._journal.put)
        self._journal.event("launch", kernel=kernel, launch=launch)


def bind(names: list[str], values: tuple[Any, ...]) -> dict[str, Any]:
    """The arguments of a launch by their parameters' names."""
    return dict(zip(names, values, strict=False))


def declared_constexprs(source: Any) -> frozenset[str]:
    """Parameters that the author declared as constexpr; a launch's arguments are the others."""
    parameters = getattr(getattr(source, "fn", None), "params", ())
    return frozenset(parameter.name for parameter in parameters if parameter.is_constexpr)


def _integers(arguments: Iterable[ArgumentValue]) -> Iterator[int]:
    """Every number that a kernel was given and may take for an address."""
    for value in arguments:
        if isinstance(value, TensorArgument):
            yield from value.data or ()
        elif isinstance(value, int):
            yield value
