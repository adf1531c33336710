"""cubins to SASS text by NVIDIA's nvdisasm: Triton's own copy, or one on PATH. Results are cached.

A process takes a third of a second before it reads a cubin, and a hundredth for a kernel: cubins are joined,
several processes run at once, and none runs twice.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from gluon_inspect.assembly.cubin import looks_like_cubin
from gluon_inspect.assembly.elf import DAMAGE
from gluon_inspect.assembly.joined import joined, joins, parts
from gluon_inspect.errors import CaptureError, InspectError
from gluon_inspect.loading import cache
from gluon_inspect.loading.cache import cache_folder
from gluon_inspect.loading.scratch import scratch_folder
from gluon_inspect.model.artifact import Capture, CompiledKernel

_TOOL = "nvdisasm"
_OPTIONS = ("-c", "-gi", "-gp", "-hex")
"""Code sections only, with call-site chains, lines of the PTX, and encodings for the scheduling control."""
_TIMEOUT_SECONDS = 120
_PROCESSES = 4
_MOST_JOINED = 64
"""Cubins in one: more of them would rather be another process."""


def disassemble(cubin: bytes, name: str = "<cubin>") -> str:
    """The SASS of all functions of a cubin as `nvdisasm -c -gi -gp -hex` prints it.

    Raises CaptureError when there is no nvdisasm or when it refuses the file.
    """
    tool = find_tool()
    text = _kept(cubin, tool)
    if text is None:
        text = _run(tool, cubin, name)
        cache.keep(_place(cubin, tool), text.encode())
    return text


def _place(cubin: bytes, tool: Path) -> Path:
    return cache_folder() / "sass" / f"{_key(cubin, tool)}.sass"


def _kept(cubin: bytes, tool: Path) -> str | None:
    content = cache.read(_place(cubin, tool))
    return None if content is None else content.decode("utf-8", errors="replace")


def with_sass(capture: Capture, tell: Callable[[str], None] | None = None, processes: int = _PROCESSES) -> Capture:
    """The capture with SASS for every kernel that has a cubin and no SASS yet.

    What cannot be disassembled stays as it is; the capture's notes say why, once for each reason.
    """
    wanting = {kernel.binary: kernel for kernel in capture.kernels if _wants(kernel)}
    if not wanting:
        return capture
    names = [kernel.name for kernel in wanting.values()]
    if tell is not None:
        tell(f"disassembling {len(names)} kernels" if len(names) > 1 else f"disassembling {names[0]}")
    batches = _batches(list(wanting.values()))
    with ThreadPoolExecutor(processes) as pool:
        found = [each for results in pool.map(_attempts, batches) for each in results]
    results = dict(zip((kernel.binary for batch in batches for kernel in batch), found, strict=True))
    kernels = tuple(_with(each, results.get(each.binary)) if _wants(each) else each for each in capture.kernels)
    notes = dict.fromkeys(str(result) for result in results.values() if isinstance(result, InspectError))
    return replace(capture, kernels=kernels, notes=(*capture.notes, *notes))


def find_tool() -> Path:
    """Triton's nvdisasm (found without importing Triton), or the one on PATH."""
    bundled = _bundled()
    if bundled is not None and bundled.is_file():
        return bundled
    found = shutil.which(_TOOL)
    if found is None:
        raise CaptureError(
            f"no {_TOOL}: SASS, its instruction counts and spills by line are unknown",
            hint="install triton, which brings it, or the CUDA toolkit's binary utilities on PATH",
        )
    return Path(found)


def _bundled() -> Path | None:
    spec = find_spec("triton")
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).parent / "backends" / "nvidia" / "bin" / _TOOL


def _wants(kernel: CompiledKernel) -> bool:
    """Whose binary cannot be read is told when it is analysed."""
    with suppress(InspectError):
        return looks_like_cubin(kernel.binary) and not kernel.stages.get("sass")
    return False


def _batches(kernels: Sequence[CompiledKernel]) -> list[list[CompiledKernel]]:
    """Kernels that one process disassembles: those that are not at hand and can be joined, the others alone."""
    groups: dict[object, list[CompiledKernel]] = {}
    for kernel in kernels:
        found = joins(kernel.binary)
        groups.setdefault(id(kernel) if found is None else found[1], []).append(kernel)
    return [
        group[start : start + _MOST_JOINED]
        for group in groups.values()
        for start in range(0, len(group), _MOST_JOINED)
    ]


def _attempts(batch: Sequence[CompiledKernel]) -> list[str | InspectError]:
    """Each kernel's text; where joining them does not work, each by itself."""
    together: Mapping[bytes, str] = {}
    with suppress(InspectError, *DAMAGE):
        together = _together([kernel.binary for kernel in batch], find_tool())
    return [together.get(kernel.binary) or _attempt(kernel) for kernel in batch]


def _together(cubins: Sequence[bytes], tool: Path) -> Mapping[bytes, str]:
    """The text of those that are not at hand, by one process. ValueError where it does not give all."""
    names = {cubin: found[0] for cubin in cubins if (found := joins(cubin)) and _kept(cubin, tool) is None}
    if len(names) <= 1:
        return {}
    texts = parts(_run(tool, joined(list(names)), "joined cubins"), list(names.values()))
    found = dict(zip(names, texts, strict=True))
    for cubin, text in found.items():
        cache.keep(_place(cubin, tool), text.encode())
    return found


def _attempt(kernel: CompiledKernel) -> str | InspectError:
    try:
        return disassemble(kernel.binary, kernel.name)
    except InspectError as error:
        return error


def _with(kernel: CompiledKernel, result: str | InspectError | None) -> CompiledKernel:
    if not isinstance(result, str):
        return kernel
    return replace(kernel, stages={**kernel.stages, "sass": result})


def _key(cubin: bytes, tool: Path) -> str:
    """Another tool or other options give another text: they are part of the key."""
    version = f"{tool.stat().st_size} {tool.stat().st_mtime_ns} {' '.join(_OPTIONS)}"
    return hashlib.sha256(version.encode() + b"\0" + cubin).hexdigest()


def _run(tool: Path, cubin: bytes, name: str) -> str:
    with scratch_folder() as folder:
        file = folder / "kernel.cubin"
        file.write_bytes(cubin)
        try:
            done = subprocess.run(
                [tool, *_OPTIONS, file],
                capture_output=True,
                text=True,
                errors="replace",
                timeout=_TIMEOUT_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise CaptureError(f"{name}: {_TOOL} did not run: {error}", hint=f"tried {tool}") from error
    if done.returncode or "/*0000*/" not in done.stdout:
        said = (done.stderr or done.stdout).strip().split("\n")[-1]
        raise CaptureError(f"{name}: {_TOOL} refused the cubin: {said or 'it printed no instruction'}")
    return done.stdout
