"""Kernels that are still being compiled, as the script sees them."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from gluon_inspect.recording.child.workers import Task

if TYPE_CHECKING:
    from gluon_inspect.recording.child.compiler import Call


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a compilation: `failed` says why there is none, `raised` that the compiler raised it."""

    failed: str = ""
    raised: bool = False
    group: Mapping[str, str] = field(default_factory=dict[str, str])
    """Triton's own files of it."""
    hash: str = ""
    padding_bytes: int = 0


@dataclass(slots=True)
class Order:
    """A compilation that was asked for, and who makes it. `is_cached`: an earlier run has made it."""

    call: Call
    name: str
    task: Task | None = None
    is_cached: bool = False


class Compilations(Protocol):
    """Who has the orders."""

    def outcome(self, order: Order) -> Outcome:
        """What became of one, waited for."""
        ...

    def raised(self, order: Order, outcome: Outcome) -> NoReturn:
        """Raises what the compiler raised."""
        ...

    def waits(self) -> bool:
        """Whether the script must hear now of what fails."""
        ...


@dataclass(frozen=True, slots=True)
class PendingMetadata:
    """What a launcher needs of a kernel before it is compiled."""

    hash: str
    name: str


class Later:
    """An object that is made when somebody asks it for something."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    def __getattr__(self, name: str) -> Any:
        return getattr(self._make(), name)


class PendingKernel:
    """Takes the place of Triton's CompiledKernel: launches at once, and waits for its compilation for all else."""

    function = packed_metadata = None

    def __init__(self, order: Order, src: Any, compilations: Compilations) -> None:
        self.src = src
        self._order, self._compilations = order, compilations
        self._launcher: Callable[..., None] | None = None
        self._real: Any = None

    def check(self) -> None:
        """Raises what compiling it raised."""
        if not self._order.is_cached:
            self._compiled()

    @property
    def run(self) -> Callable[..., None]:
        """The launcher; where the script is ready for that, refused as on a device that is too small."""
        if self._compilations.waits():
            kernel = self._compiled()
            try:
                kernel._init_handles()
            finally:
                self._launcher = self._made_launcher()  # a refused launch is that of the last launcher's kernel
        launcher = self._launcher = self._launcher or self._made_launcher()
        return launcher

    def _made_launcher(self) -> Callable[..., None]:
        driver: Any = importlib.import_module("triton.runtime.driver").driver.active
        return driver.launcher_cls(self.src, PendingMetadata(self._order.name, self._order.call.name))

    def launch_metadata(self, grid: Any, stream: Any, *values: Any) -> Any:
        """What a launch hook is given; worked out when it asks."""
        return Later(lambda: self._compiled().launch_metadata(grid, stream, *values))

    def __getitem__(self, grid: Any) -> Callable[..., None]:
        def launch(*values: Any, stream: Any = None) -> None:
            self.run(*grid, stream, None, None, self.launch_metadata(grid, stream, *values), None, None, *values)

        return launch

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        kernel = self._compiled()
        if self._launcher is not None and not hasattr(kernel, name):
            kernel._init_handles()  # as a launch does: from then on it has registers and spills
        return getattr(kernel, name)

    def _compiled(self) -> Any:
        """Triton's own kernel, as soon as there is one; raises what compiling it raised."""
        if self._real is None:
            outcome = self._compilations.outcome(self._order)
            if outcome.failed:
                self._compilations.raised(self._order, outcome)
            kernels: Any = importlib.import_module("triton.compiler.compiler")
            self._real = kernels.CompiledKernel(self.src, outcome.group, outcome.hash)
        return self._real


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
