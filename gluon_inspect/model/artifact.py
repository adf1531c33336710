"""What a capture holds: kernels as compiled, launches as made. Plain data, safe to load from anywhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gluon_inspect.model.brief import brief
from gluon_inspect.model.versions import Version, version_of

PASSES = "passes"
"""The one entry of `CompiledKernel.dumps`."""
_SHOWN = 8
"""Names and values in a `repr`, which is to fit a terminal."""


@dataclass(frozen=True, slots=True)
class TensorArgument:
    """A tensor passed to a kernel. `strides` in elements; `address` in bytes (fake, but its alignment is true).

    `data` holds the contents of small integer tensors that were real (row-major), else None.
    """

    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    address: int
    data: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class PixelBox:
    """What an im2col descriptor has besides its tensor, outermost dimension first.

    `lower`, `upper`: the window's corners, spatial dimensions only, relative to the tensor's first and last
    element. `steps`: element strides of all dimensions (image, spatial dimensions, channel).
    """

    lower: tuple[int, ...]
    upper: tuple[int, ...]
    steps: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DescriptorArgument:
    """A host-side tensor descriptor (TMA): its tensor, the block it moves and the shared layout's text.

    `pixels`: of an im2col descriptor only; None there too if an older version recorded it.
    """

    tensor: TensorArgument
    block_shape: tuple[int, ...]
    layout: str = ""
    pixels: PixelBox | None = None


ArgumentValue = int | float | bool | str | None | TensorArgument | DescriptorArgument


MOST_PROGRAMS = 2**31 - 1
"""Along one axis of a grid (CUDA C++ Programming Guide, technical specifications: the x dimension)."""


@dataclass(frozen=True, slots=True)
class Launch:
    """One distinct (compilation, arguments, grid), made `count` times.

    `arguments` by the Python parameter's name, in order, run-time ones only. None: grid unknown.
    """

    id: str
    count: int = 1
    grid: tuple[int, int, int] | None = None
    arguments: Mapping[str, ArgumentValue] = field(default_factory=dict[str, ArgumentValue])
    assumed: tuple[str, ...] = ()
    """Names of `arguments` whose value is only assumed."""
    trial: bool = False
    """Made by the autotuner to time a configuration, and by nothing else."""

    def __repr__(self) -> str:
        grid = "x".join(map(str, self.grid)) if self.grid else "unknown"
        return brief(
            f"<Launch {self.id}, {self.count} times, grid {grid}: {', '.join(self.arguments) or 'no arguments'}>"
        )


@dataclass(frozen=True, slots=True)
class PassDump:
    """The module before one pass ran; `text` may be shared with the pass before when nothing changed."""

    index: int
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class CompiledKernel:
    """One compilation.

    `stages` maps a stage ("source", "ttir", "ttgir", "llir", "ptx", "amdgcn", "sass") to its text, `binaries`
    "cubin" or "hsaco" to its content, `dumps` PASSES to the MLIR_ENABLE_DUMP log as written; all three may be read
    only when asked for. `error` is what the compiler said if it failed.
    """

    name: str
    target: str
    triton_version: str = ""
    stages: Mapping[str, str] = field(default_factory=dict[str, str])
    binaries: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    dumps: Mapping[str, str] = field(default_factory=dict[str, str])
    constexprs: Mapping[str, str] = field(default_factory=dict[str, str])
    signature: Mapping[str, str] = field(default_factory=dict[str, str])
    metadata: Mapping[str, int | float | str | bool | None] = field(
        default_factory=dict[str, "int | float | str | bool | None"]
    )
    launches: tuple[Launch, ...] = ()
    source_file: str = ""
    source_line: int = 0
    error: str = ""
    compile_seconds: float | None = None
    configuration: Mapping[str, str] = field(default_factory=dict[str, str])
    """What a tuner chose for it, constants and options by name, as Python; empty where none did."""

    def __repr__(self) -> str:
        stages = ", ".join((*self.stages, *self.binaries)) or "nothing"
        return brief(f"<CompiledKernel {self.name} for {self.target}: {stages}, {len(self.launches)} launches>")

    @property
    def binary(self) -> bytes:
        """The cubin or hsaco; empty: none."""
        return next(iter(self.binaries.values()), b"")

    @property
    def dump(self) -> str:
        """The log of the compiler's passes; empty: none."""
        return self.dumps.get(PASSES, "")

    @property
    def version(self) -> Version:
        """The version of Triton that compiled it, as the capture says or its IR tells."""
        return version_of(self.triton_version, self.stages.get("ttgir") or self.stages.get("ttir") or self.dump)


@dataclass(frozen=True, slots=True)
class ScriptError:
    """A script that raised: what was recorded before it stands."""

    message: str
    file: str = ""
    line: int = 0
    traceback: str = ""

    @property
    def told(self) -> str:
        """What happened, as a clause: an exception is raised, anything else says itself who did what."""
        return self.message if self.message.startswith("the ") else f"the script raised {self.message}"


@dataclass(frozen=True, slots=True)
class Capture:
    """Everything that one recording or one file gave. `sources` maps file paths to their text."""

    origin: str
    kernels: tuple[CompiledKernel, ...]
    sources: Mapping[str, str] = field(default_factory=dict[str, str])
    notes: tuple[str, ...] = ()
    error: ScriptError | None = None
    files: tuple[str, ...] | None = None
    """What the script read besides installed packages; None: not known. Not kept in capture files."""

    def __repr__(self) -> str:
        names = ", ".join(dict.fromkeys(kernel.name for kernel in self.kernels[:_SHOWN]))
        more = ", …" if len(self.kernels) > _SHOWN else ""
        return brief(f"<Capture of {self.origin}: {len(self.kernels)} kernels ({names}{more})>")
