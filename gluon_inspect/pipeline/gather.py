"""Everything that is worked out of one kernel before any analysis runs.

What cannot be had (no IR, no assembly, a layout that is not understood) stays None, with the reason in
`problems`; the rest stands.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property

from gluon_inspect.addresses.launch import (
    DEFAULT_PROGRAMS,
    Evaluated,
    assumed_launch,
    entry_function,
    evaluate_launch,
)
from gluon_inspect.addresses.records import global_records
from gluon_inspect.addresses.register_tensors import register_tensors
from gluon_inspect.errors import InspectError
from gluon_inspect.model.artifact import CompiledKernel, Launch
from gluon_inspect.model.facts import Facts
from gluon_inspect.model.mlir import Module, Operation
from gluon_inspect.model.report import Coverage, Programs, Registers, RegisterTensor
from gluon_inspect.model.target import Target
from gluon_inspect.parsers.mlir import parse_module

_IR_STAGES = ("ttgir", "ttir")


class Reader:
    """One compiled kernel, parsed at most once however many launches it has."""

    def __init__(self, kernel: CompiledKernel, target: Target) -> None:
        self.kernel, self.target = kernel, target
        self.problems: list[str] = []

    @cached_property
    def module(self) -> Module | None:
        """The last IR that still has layouts; None if there is none or it cannot be parsed."""
        for stage in _IR_STAGES:
            text = self.kernel.stages.get(stage)
            if text:
                return self._parsed(stage, text)
        self.problems.append("no TTGIR: accesses, layouts and conversions are unknown")
        return None

    def _parsed(self, stage: str, text: str) -> Module | None:
        try:
            return parse_module(text, name=f"{self.kernel.name}.{stage}")
        except InspectError as error:
            self.problems.append(str(error))
            return None

    @cached_property
    def function(self) -> Operation | None:
        """The kernel's function in the IR."""
        return None if self.module is None else entry_function(self.module, self.kernel.name)

    @cached_property
    def tensors(self) -> tuple[RegisterTensor, ...]:
        """The distributed tensors of the kernel."""
        return () if self.function is None else register_tensors(self.function)

    def number(self, attribute: str, metadata: str) -> int | None:
        """A whole number that the module's attributes or the compiler's metadata give."""
        found = self.module.attributes.get(attribute) if self.module is not None else None
        given = found if isinstance(found, int) else self.kernel.metadata.get(metadata)
        return int(given) if isinstance(given, int) else None


def facts_of(reader: Reader, launch: Launch, programs: int | None) -> Facts:
    """The facts of one launch. `programs`: None as many as is cheap, 0 all."""
    limit = DEFAULT_PROGRAMS if programs is None else (programs or None)
    warps = reader.number("ttg.num-warps", "num_warps")
    evaluated = _evaluate(reader, launch, limit, warps or 4)
    assumed = _assume(reader, launch, evaluated, warps or 4)
    registers = Registers(tensors=reader.tensors)
    return Facts(
        kernel=reader.kernel,
        launch=launch,
        target=reader.target,
        module=reader.module,
        assembly=None,
        num_warps=warps,
        num_ctas=reader.number("ttg.num-ctas", "num_ctas"),
        total_warps=reader.number("ttg.total-num-warps", "total_num_warps") or warps,
        programs=Programs(None, None) if evaluated is None else evaluated.programs,
        accesses=() if evaluated is None else global_records(evaluated, assumed),
        conversions=(),
        registers=registers,
        shared_bytes=reader.number("ttg.shared", "shared"),
        occupancy=None,
        coverage=_coverage(reader),
        problems=tuple(reader.problems),
    )


def _evaluate(reader: Reader, launch: Launch, limit: int | None, warps: int) -> Evaluated | None:
    if reader.module is None or reader.function is None:
        return None
    return evaluate_launch(reader.module, reader.function, launch, reader.target, warps, limit)


def _assume(reader: Reader, launch: Launch, evaluated: Evaluated | None, warps: int) -> Evaluated | None:
    """The same under assumed arguments, where arguments or grid are missing and something is unknown."""
    if evaluated is None or not any(access.tally.unknown for access in evaluated.accesses.values()):
        return None
    stand_in = assumed_launch(evaluated.function, launch)
    if stand_in == launch:
        return None
    return _evaluate(reader, stand_in, 1, warps)


def _coverage(reader: Reader) -> Coverage:
    if reader.module is None:
        return Coverage()
    unknown = Counter(op.name for op in reader.module.walk() if op.name in reader.module.opaque_names)
    total = sum(1 for _ in reader.module.walk())
    return Coverage(total, total - sum(unknown.values()), dict(unknown))
