"""The kernels of captures, each with its passes."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from gluon_inspect import targets
from gluon_inspect.errors import InspectError
from gluon_inspect.model.artifact import Capture, CompiledKernel
from gluon_inspect.model.dump import Level
from gluon_inspect.model.target import Target
from gluon_inspect.passes.contents import Contents, contents_of
from gluon_inspect.passes.states import State, of_kernel
from gluon_inspect.passes.timeline import Timeline

_LEVELS = {"ttgir": Level.TRITON_GPU, "ttir": Level.TRITON}


@dataclass(frozen=True, slots=True)
class Subject:
    """A kernel and its passes; `timeline` None where no dump was kept or the compiler never got so far."""

    capture: Capture
    kernel: CompiledKernel
    target: Target
    timeline: Timeline | None

    @property
    def sources(self) -> Mapping[str, str]:
        """Source files by path, as far as they are at hand."""
        return self.capture.sources

    @property
    def failed(self) -> bool:
        """Whether the compilation did not end well."""
        in_passes = self.timeline is not None and self.timeline.compilation.failure is not None
        return in_passes or bool(self.kernel.error)

    def final(self) -> Contents | None:
        """What the last IR with layouts holds; None if there is none."""
        for stage, level in _LEVELS.items():
            if text := self.kernel.stages.get(stage):
                return contents_of(State(level, text, 0, len(text)), self.target, self.kernel.version)
        return None


def subjects(found: Iterable[Capture]) -> Iterator[Subject]:
    """Every kernel of the captures; one for an unknown target is read as if for the default one."""
    for capture in found:
        for kernel in capture.kernels:
            compilation = of_kernel(kernel)
            target = _target(kernel)
            timeline = None if compilation is None else Timeline(compilation, target, kernel.version)
            yield Subject(capture, kernel, target, timeline)


def _target(kernel: CompiledKernel) -> Target:
    try:
        return targets.find(kernel.target)
    except InspectError:
        return targets.find(targets.USUAL)
