"""torch.compile inside a recorded script: Inductor's kernels where it takes the function, eager results always."""

from __future__ import annotations

import copy
import functools
import importlib
from collections.abc import Callable, Generator
from contextlib import contextmanager, nullcontext
from typing import Any

from gluon_inspect.recording.child.madeup import MadeUp
from gluon_inspect.recording.child.patches import Patches
from gluon_inspect.recording.journal import JournalWriter
from gluon_inspect.wording.characters import shortened

torch: Any = importlib.import_module("torch")

RECORDED = (
    "torch.compile: {} was traced as one graph, without gradients: the kernels are Inductor's, the results eager's"
)
EAGER = (
    "torch.compile was asked for, but {} ran eagerly ({}): Inductor's kernels are not here "
    "(save its output with TORCH_LOGS=output_code and record that file)"
)
_INDUCTOR = "inductor"
_VARIANTS = 8
"""Compilations of one function, as many as torch.compile itself makes before it gives up."""
_REASON_CHARACTERS = 160


class Compiler:
    """Replaces torch.compile; a function that is compiled within another is a part of it.

    `written` is told of each argument of a kernel whose launch stands in Inductor's code.
    """

    def __init__(
        self,
        journal: JournalWriter,
        made_up: MadeUp,
        patches: Patches,
        all_configs: bool,
        written: Callable[[Any], None],
    ) -> None:
        self._written = written
        self._patches, self._all_configs = patches, all_configs
        self._journal = journal
        self._made_up = made_up
        self._within = False

    def install(self) -> None:
        """From here on compiled functions are recorded."""
        self._patches.set(torch, "compile", self._compile)

    def _compile(self, model: Any = None, **options: Any) -> Any:
        if model is None:
            return functools.partial(self._compile, **options)
        if options.get("backend", _INDUCTOR) != _INDUCTOR or options.get("disable"):
            return model
        if not isinstance(model, torch.nn.Module):
            return self._recorded(model)
        compiled: Any = copy.copy(model)  # has the same parameters
        compiled.forward = self._recorded(compiled.forward)
        return compiled

    def _recorded(self, function: Callable[..., Any]) -> Callable[..., Any]:
        variants: dict[Any, Callable[..., Any] | None] = {}

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            if self._within:
                return function(*args, **kwargs)
            with self._inside():
                recorded = self._record(function, variants, args, kwargs)
            with self._silent() if recorded else nullcontext():
                return function(*args, **kwargs)

        return call

    @contextmanager
    def _inside(self) -> Generator[None]:
        self._within = True
        try:
            yield
        finally:
            self._within = False

    @contextmanager
    def _silent(self) -> Generator[None]:
        """Kernels of the function's own stand in Inductor's code already; here they only write."""
        jit: Any = importlib.import_module("triton.runtime.jit").JITFunction
        tuner: Any = importlib.import_module("triton.runtime.autotuner")

        def write(_: Any, *args: Any, **kwargs: Any) -> None:
            for argument in (*args, *kwargs.values()):
                self._written(argument)

        with self._inside(), Patches() as patches:
            for owner in (jit, tuner.Autotuner, tuner.Heuristics):
                patches.set(owner, "run", write)
            yield

    def _record(self, function: Any, variants: dict[Any, Any], args: Any, kwargs: Any) -> bool:
        """Whether Inductor's kernels were launched for a call; what they compute is thrown away."""
        graphs = _load(self._patches, self._all_configs)
        try:
            return self._launched(graphs, graphs.Call(function, args, kwargs), variants)
        except Exception as error:  # noqa: BLE001 (a compiler may raise anything: the reason is told)
            self._eager(_name(function), error)
            return False
        finally:
            if any(variants.values()):
                self._made_up.remark(RECORDED.format(_name(function)))

    def _launched(self, graphs: Any, call: Any, variants: dict[Any, Any]) -> bool:
        """A call that failed once, in compiling or in launching, is not tried again."""
        key = call.key()
        launch = variants.get(key)
        if key not in variants:
            variants[key] = None
            if len(variants) > _VARIANTS:
                raise graphs.NotRecordedError(f"more than {_VARIANTS} kinds of arguments")
            launch = graphs.compiled(call, self._generated)
        if launch is None:
            return False
        variants[key] = None
        launch(call.tensors())
        variants[key] = launch
        return True

    def _generated(self, code: str) -> None:
        self._journal.event("generated", text=code)

    def _eager(self, name: str, error: Exception) -> None:
        first = next(iter(str(error).strip().splitlines()), "")
        reason = shortened(f"{type(error).__name__}: {first}", _REASON_CHARACTERS)
        self._made_up.remark(EAGER.format(name, reason))


def _name(function: Any) -> str:
    return str(getattr(function, "__qualname__", type(function).__name__))


@functools.cache
def _load(patches: Patches, all_configs: bool) -> Any:
    """Inductor takes seconds to import: only for a script that calls what it compiled."""
    importlib.import_module("gluon_inspect.recording.child.fake.inductor").install_benchmark(patches, all_configs)
    return importlib.import_module("gluon_inspect.recording.child.inductor_graph")
