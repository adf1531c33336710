"""A recorded kernel made launchable: its own binary where there is one, else its IR compiled anew.

Nothing of the script is executed. What runs is the kernel, on the GPU, in the process that calls this.
"""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from gluon_inspect.errors import CaptureError
from gluon_inspect.model.artifact import CompiledKernel

DESCRIPTORS = "tensordesc_meta"
"""Triton's metadata of host-side descriptors, kept in a capture as JSON."""
_TYPE = re.compile(r"constexpr|\*k?[a-z]\w*|[a-z]+\d+\w*|tensordesc<.*>", re.DOTALL)
_IR_STAGES = ("ttgir", "ttir")


def has_own_binary(kernel: CompiledKernel) -> bool:
    """Whether it is launched from its binary, with an argument for each of its signature; else from its IR."""
    return bool(kernel.binaries and kernel.signature)


def load(kernel: CompiledKernel, folder: Path) -> Any:
    """Triton's CompiledKernel, its launcher and function made. `folder` is for its files.

    Raises CaptureError where the kernel holds nothing that can be launched, and whatever Triton raises.
    """
    compiled = _own_binary(kernel, folder) if has_own_binary(kernel) else _compiled_ir(kernel, folder)
    compiled.run  # noqa: B018 (makes the handles)
    return compiled


def _own_binary(kernel: CompiledKernel, folder: Path) -> Any:
    odd = next((kind for kind in kernel.signature.values() if not _TYPE.fullmatch(kind)), None)
    if odd is not None:
        raise CaptureError(f"an argument of type {odd} cannot be made anew")
    backend, _, architecture = kernel.target.partition(":")
    suffix = "hsaco" if backend == "hip" else "cubin"
    files = {f"k.{each}": str(folder / f"k.{each}") for each in ("json", suffix)}
    Path(files["k.json"]).write_text(json.dumps(metadata(kernel, backend, architecture)), encoding="utf-8")
    Path(files[f"k.{suffix}"]).write_bytes(kernel.binary)
    compiler: Any = importlib.import_module("triton.compiler.compiler")
    source = SimpleNamespace(signature=dict(kernel.signature), constants={}, name=kernel.name)
    return compiler.CompiledKernel(source, files, "recorded")


def metadata(kernel: CompiledKernel, backend: str, architecture: str) -> dict[str, Any]:
    """The compiler's metadata as Triton's own cache keeps it. CaptureError where descriptors lack theirs."""
    found: dict[str, Any] = dict(kernel.metadata)
    warp = found.get("warp_size") or (64 if backend == "hip" else 32)
    arch: int | str = architecture if backend == "hip" else int(architecture)
    found["target"] = {"backend": backend, "arch": arch, "warp_size": warp}
    if any(kind.startswith("tensordesc") for kind in kernel.signature.values()):
        if not isinstance(found.get(DESCRIPTORS), str):
            raise CaptureError(
                "the capture does not say how its tensor descriptors are encoded", hint="capture again"
            )
        found[DESCRIPTORS] = json.loads(found[DESCRIPTORS])
    return found


def _compiled_ir(kernel: CompiledKernel, folder: Path) -> Any:
    stage = next((stage for stage in _IR_STAGES if kernel.stages.get(stage)), None)
    if stage is None:
        raise CaptureError("it holds neither a binary with its parameters' types nor Triton's IR")
    path = folder / f"k.{stage}"
    path.write_text(kernel.stages[stage], encoding="utf-8")
    triton: Any = importlib.import_module("triton")
    return triton.compile(str(path), options=_options(kernel.metadata))


def _options(given: Mapping[str, Any]) -> dict[str, Any]:
    """The options that a recording used and that the IR does not hold."""
    return {name: given[name] for name in ("maxnreg", "enable_fp_fusion") if given.get(name) is not None}


def other_version(kernel: CompiledKernel) -> str:
    """A note where another Triton launches what one has compiled; empty where it is the same or unknown."""
    here = str(importlib.import_module("triton").__version__)
    if kernel.triton_version in ("", here):
        return ""
    return f"compiled by Triton {kernel.triton_version}, launched by Triton {here}"


def provide_scratch(torch: Any) -> None:
    """Kernels that need scratch memory get it from torch, as scripts arrange for theirs."""
    triton: Any = importlib.import_module("triton")

    def allocate(size: int, _alignment: int, _stream: int) -> Any:
        return torch.empty(size, dtype=torch.int8, device="cuda")

    triton.set_allocator(allocate)
