"""What the machine code of two compilations of a kernel differs in."""

from __future__ import annotations

from dataclasses import dataclass

from gluon_inspect.model.artifact import CompiledKernel

_CODE = ("sass", "amdgcn", "ptx")


@dataclass(frozen=True, slots=True)
class Machine:
    """Registers a thread, bytes spilled a thread, bytes of shared memory; None: not known."""

    registers: int | None
    spill_bytes: int | None
    shared_bytes: int | None

    @property
    def is_known(self) -> bool:
        """Whether there is any number at all."""
        return any(value is not None for value in (self.registers, self.spill_bytes, self.shared_bytes))


def machine_of(kernel: CompiledKernel) -> Machine:
    """The numbers of a kernel's binary or assembly."""
    # Late: a timeline needs nothing of the pipeline, which takes its time to import.
    from gluon_inspect.assembly.binary import read_binary

    facts = read_binary(kernel)
    shared = kernel.metadata.get("shared")
    return Machine(facts.registers_per_thread, facts.spill_bytes, shared if isinstance(shared, int) else None)


def same_code(left: CompiledKernel, right: CompiledKernel) -> bool | None:
    """Whether the machine code is the same; None where one side has none."""
    if left.binary and right.binary:
        return left.binary == right.binary
    for stage in _CODE:
        if stage in left.stages and stage in right.stages:
            return left.stages[stage] == right.stages[stage]
    return None
