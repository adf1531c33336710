"""Puts all of the fake CUDA in place, in the order in which its parts need each other."""

from __future__ import annotations

import importlib
from typing import Any

from gluon_inspect.model.target import Target
from gluon_inspect.recording.child.fake import (
    autograd,
    comparisons,
    cuda,
    dynamo,
    generators,
    inductor,
    layers,
    modules,
)
from gluon_inspect.recording.child.fake.dispatch import CudaDispatch
from gluon_inspect.recording.child.fake.functions import CudaFunctions, install_methods
from gluon_inspect.recording.child.fake.guard import DeviceGuard
from gluon_inspect.recording.child.fake.memory import Memory
from gluon_inspect.recording.child.fake.pinned import Pinned
from gluon_inspect.recording.child.madeup import MadeUp
from gluon_inspect.recording.child.patches import Patches

torch: Any = importlib.import_module("torch")


def _build_from_data_on_cpu(patches: Patches) -> None:
    """torch.tensor(data, device="cuda") then makes a CPU tensor and dispatches its copy to the device."""
    before = torch._C._only_lift_cpu_tensors()
    torch._C._set_only_lift_cpu_tensors(True)
    patches.on_exit(lambda: torch._C._set_only_lift_cpu_tensors(before))


def _no_context(_device: Any) -> None:
    """There is no device to start."""


def _without_context(patches: Patches) -> None:
    """Torch makes a real tensor with the first fake one, to start the device; a CUDA build then wants a driver."""
    fakes: Any = importlib.import_module("torch._subclasses.fake_tensor")
    patches.set(fakes.FakeTensorMode, "avoid_device_init", True)
    if hasattr(fakes, "init_gpu_context"):
        patches.set(fakes, "init_gpu_context", _no_context)


def install(patches: Patches, target: Target, made_up: MadeUp) -> Memory:
    """From here on torch has one cuda device: the target. Undone with `patches`."""
    pinned = Pinned()
    memory = Memory(pinned)
    patches.enter(DeviceGuard())
    cuda.install(patches, target, memory)
    dynamo.when_loaded(patches, lambda: inductor.install_interface(patches))
    _without_context(patches)
    modes = CudaDispatch(memory, made_up), CudaFunctions(pinned)
    for part in (generators, modules, autograd, comparisons, inductor):
        part.install(patches)
    install_methods(patches, memory, made_up)
    _build_from_data_on_cpu(patches)
    for mode in modes:
        patches.enter(mode)
    layers.hide_questions(patches)
    return memory
