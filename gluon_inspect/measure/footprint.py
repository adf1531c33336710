"""What memory a recorded launch needs, and which part of it fits: worked out from addresses, before it runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from gluon_inspect import targets
from gluon_inspect.errors import CaptureError
from gluon_inspect.facts.kernel import KernelFacts
from gluon_inspect.ir.parameters import argument_name
from gluon_inspect.measure.loading import has_own_binary
from gluon_inspect.measure.memory import Range, extent, merged, total_bytes
from gluon_inspect.model.artifact import ArgumentValue, CompiledKernel, DescriptorArgument, Launch, TensorArgument
from gluon_inspect.model.mlir import Operation
from gluon_inspect.model.types import PointerType
from gluon_inspect.traffic.launch import bind, evaluate_launch

_PROGRAMS = 1 << 12
"""Programs that are evaluated to find the bounds of the addresses; the first and the last are among them."""
_LEAST_BYTES = 256
_DESCRIPTORS = "tensor descriptors are neither made from IR alone nor scaled down"


@dataclass(frozen=True, slots=True)
class Plan:
    """What to launch, with every argument, the memory it needs, how many times fewer programs than recorded."""

    launch: Launch
    ranges: tuple[Range, ...]
    factor: int = 1


def tensors_of(launch: Launch) -> tuple[TensorArgument, ...]:
    """Every tensor among the arguments, those of descriptors included."""
    values = launch.arguments.values()
    return tuple(
        value.tensor if isinstance(value, DescriptorArgument) else value
        for value in values
        if isinstance(value, TensorArgument | DescriptorArgument)
    )


class Footprint:
    """The memory of one kernel's launches."""

    def __init__(self, kernel: CompiledKernel, torch: Any) -> None:
        self._kernel, self._torch = kernel, torch
        self._target = targets.find(kernel.target)
        self._reader = KernelFacts(kernel, self._target)

    def plan(self, launch: Launch, free_bytes: int) -> Plan:
        """The launch whole, or with as few programs left out as it takes to fit.

        CaptureError where the grid or an argument is not given, or nothing can be left out.
        """
        if launch.grid is None:
            raise CaptureError("its grid is not given", hint="--grid X[,Y[,Z]]")
        complete = launch if has_own_binary(self._kernel) else self._completed(launch)
        whole = merged(self._whole(complete))
        if total_bytes(whole) <= free_bytes:
            return Plan(complete, whole)
        return self._smaller(complete, whole, free_bytes)

    def _whole(self, launch: Launch) -> Iterator[Range]:
        tensors = tensors_of(launch)
        for tensor in tensors:
            yield extent(self._torch, tensor) if tensor.shape else _around(tensor.address)
        if not has_own_binary(self._kernel) and not all(tensor.shape for tensor in tensors):
            yield from self._touched(launch)

    def _completed(self, launch: Launch) -> Launch:
        """Arguments in the IR's order; pointers that are not given lie where the prediction takes them to be."""
        if any(isinstance(value, DescriptorArgument) for value in launch.arguments.values()):
            raise CaptureError(_DESCRIPTORS)
        function = self._function
        values, _ = bind(function, launch)
        arguments: dict[str, ArgumentValue] = {}
        for argument, value in zip(function.regions[0].blocks[0].arguments, values, strict=True):
            name = argument_name(argument)
            if name in launch.arguments:
                arguments[name] = launch.arguments[name]
            elif isinstance(argument.type, PointerType) and isinstance(value, int):
                arguments[name] = TensorArgument("float32", (), (), value)
            else:
                raise CaptureError(f"its argument {name} is not given", hint=f"--arg {name}=VALUE")
        return replace(launch, arguments=arguments)

    @cached_property
    def _function(self) -> Operation:
        function = self._reader.function
        if function is None:
            raise CaptureError(self._reader.unread or "it has no IR that says what it touches")
        return function

    def _touched(self, launch: Launch) -> Iterator[Range]:
        """Bounds of each access's addresses; CaptureError where one is unknown."""
        function, module = self._function, self._reader.module
        if module is None:
            return
        warps = self._reader.number("ttg.num-warps", "num_warps") or 4
        found = evaluate_launch(module, function, launch, self._target, warps, _PROGRAMS)
        if found.bulk:
            raise CaptureError(_DESCRIPTORS)
        for access in found.accesses.values():
            if access.tally.unknown:
                raise CaptureError(f"what it touches is not known: {access.tally.unknown}")
            if access.tally.low is not None:
                yield access.tally.low, access.tally.high

    def _smaller(self, launch: Launch, whole: tuple[Range, ...], free_bytes: int) -> Plan:
        for factor in _powers(max(launch.grid or (1,))):
            for axis in range(3):
                smaller = _divided(launch, axis, factor)
                if smaller is None:
                    continue
                ranges = merged(self._needed(smaller, whole))
                if total_bytes(ranges) <= free_bytes:
                    return Plan(smaller, ranges, factor)
        needed, free = total_bytes(whole) / 2**30, free_bytes / 2**30
        raise CaptureError(
            f"it needs {needed:.1f} GiB of which {free:.1f} are free, and fewer programs need no less"
        )

    def _needed(self, launch: Launch, whole: tuple[Range, ...]) -> Iterator[Range]:
        """The touched part of what there is, and the start of each tensor, which its pointer names."""
        for low, high in self._touched(launch):
            yield from ((max(low, first), min(high, end)) for first, end in whole)
        yield from (_around(tensor.address) for tensor in tensors_of(launch))


def _around(address: int) -> Range:
    return address, address + _LEAST_BYTES


def _powers(most: int) -> Iterator[int]:
    factor = 2
    while factor <= most:
        yield factor
        factor *= 2


def _divided(launch: Launch, axis: int, factor: int) -> Launch | None:
    """The launch with the programs of one axis divided; None where there are too few."""
    if launch.grid is None or launch.grid[axis] < factor:
        return None
    x, y, z = (-(-size // factor) if axis == each else size for each, size in enumerate(launch.grid))
    return replace(launch, grid=(x, y, z))
