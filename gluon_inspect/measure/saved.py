"""Launches of a capture or of IR, made without the script: memory is rebuilt, its contents are made up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gluon_inspect.errors import CaptureError, InspectError
from gluon_inspect.loading.scratch import scratch_folder
from gluon_inspect.measure.footprint import Footprint, Plan, tensors_of
from gluon_inspect.measure.keys import kernel_key
from gluon_inspect.measure.loading import has_own_binary, load, other_version, provide_scratch
from gluon_inspect.measure.memory import RebuiltMemory, fill_all
from gluon_inspect.model.artifact import (
    ArgumentValue,
    Capture,
    CompiledKernel,
    DescriptorArgument,
    Launch,
    TensorArgument,
)
from gluon_inspect.model.report import Report
from gluon_inspect.recording.child.failures import script_error
from gluon_inspect.recording.journal import JournalWriter

if TYPE_CHECKING:
    from gluon_inspect.recording.child.replay import Distinct

CAPTURE = "capture.gi"
"""The file in a job's folder that holds launches to make without a script."""
RESERVE_BYTES = 1 << 30
"""Device memory that is left free, for the timer and for what the driver needs."""
_STAGES = ("ttgir", "ttir")
ZEROS = "integers whose contents were not recorded are zeros: accesses through them are not the recorded ones"


class Descriptor:
    """As much of a host-side tensor descriptor as Triton's launchers read."""

    padding, round_f32_to_tf32, element_strides = "zero", False, None

    def __init__(self, base: Any, tensor: TensorArgument, block_shape: tuple[int, ...]) -> None:
        self.base, self.shape, self.strides = base, list(tensor.shape), list(tensor.strides)
        self.block_shape = list(block_shape)


class Pointer:
    """What a launcher takes for a tensor; it keeps the memory alive."""

    def __init__(self, recorded: int, memory: RebuiltMemory) -> None:
        self._address, self._memory = memory.address(recorded), memory

    def data_ptr(self) -> int:
        """Where it is on the device."""
        return self._address


def launches_of(report: Report) -> Capture:
    """The report's launches as a capture of what it takes to make them again."""
    return Capture(
        report.origin,
        tuple(
            replace(
                each.kernel,
                launches=(each.launch,),
                dumps={},
                stages={stage: text for stage, text in each.kernel.stages.items() if stage in _STAGES},
            )
            for each in report.kernels
        ),
    )


def make_again(
    capture: Capture,
    target: str,
    torch: Any,
    journal: JournalWriter,
    first: Callable[[Distinct], None],
    *,
    whole: bool = False,
) -> None:
    """Shows `first` each launch that was compiled for `target`; what cannot be made is journalled with its reason.

    `whole`: launches that would have to be scaled down are left out.
    """
    provide_scratch(torch)
    for kernel, launch in _each(capture, target):
        torch.cuda.empty_cache()
        distinct = _distinct(kernel, launch, torch, journal, whole=whole)
        if distinct is not None:
            first(distinct)
        del distinct  # its memory is the next one's


def _distinct(
    kernel: CompiledKernel, launch: Launch, torch: Any, journal: JournalWriter, *, whole: bool
) -> Distinct | None:
    key = kernel_key(kernel, launch)
    try:
        plan = Footprint(kernel, torch).plan(launch, torch.cuda.mem_get_info()[0] - RESERVE_BYTES)
        if whole and plan.factor != 1:
            return None
        distinct, notes = _made(kernel, plan, key, torch)
    except Exception as error:  # noqa: BLE001 (Triton may raise anything; it is reported, not swallowed)
        told = str(error) if isinstance(error, InspectError) else script_error(error).message
        journal.event("skipped", key=key, reason=told)
        return None
    grid = None if plan.factor == 1 else plan.launch.grid
    journal.event("rebuilt", key=key, grid=grid, factor=plan.factor, notes=notes)
    return distinct


def _each(capture: Capture, target: str) -> Iterator[tuple[CompiledKernel, Launch]]:
    for kernel in capture.kernels:
        if kernel.target == target and not kernel.error:
            yield from ((kernel, launch) for launch in kernel.launches)


def _made(kernel: CompiledKernel, plan: Plan, key: str, torch: Any) -> tuple[Distinct, list[str]]:
    with scratch_folder() as name:
        compiled = load(kernel, Path(name))
    memory = RebuiltMemory(torch, plan.ranges)
    notes = ["launched without the script: made-up data in memory of the recorded size and alignment"]
    if not fill_all(memory, tensors_of(plan.launch)):
        notes.append(ZEROS)
    if told := other_version(kernel):
        notes.append(told)
    arguments = plan.launch.arguments
    names = kernel.signature if has_own_binary(kernel) else arguments
    values = [argument(arguments.get(each), memory) for each in names]
    grid = plan.launch.grid or (1, 1, 1)

    def run(on: int) -> None:
        compiled.run(*grid, on, compiled.function, compiled.packed_metadata, None, None, None, *values)

    stream = int(torch.cuda.current_stream().cuda_stream)
    # it imports torch, which reading a profile does not need
    from gluon_inspect.recording.child.replay import Distinct

    return Distinct(key, kernel.name, grid, (), run, stream), notes


def argument(value: ArgumentValue, memory: RebuiltMemory) -> Any:
    """What the launcher gets for a recorded argument."""
    match value:
        case TensorArgument():
            return None if 0 in value.shape else Pointer(value.address, memory)
        case DescriptorArgument():
            if _is_im2col(value):
                raise CaptureError("an im2col descriptor is not made again from a capture: measure the script")
            return Descriptor(Pointer(value.tensor.address, memory), value.tensor, value.block_shape)
        case _:
            return value


def _is_im2col(value: DescriptorArgument) -> bool:
    """Captures from before the pixel box was recorded show it by a block of another rank than the tensor."""
    return value.pixels is not None or len(value.block_shape) != len(value.tensor.shape)
