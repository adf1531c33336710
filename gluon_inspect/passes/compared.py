"""Two compilations of a kernel side by side: where they part, and whether only the machine code differs."""

from collections.abc import Sequence
from dataclasses import dataclass

from gluon_inspect.model.artifact import CompiledKernel
from gluon_inspect.passes.comparison import Parting, conversions_of, layouts_of, partings, widths_of
from gluon_inspect.passes.normalised import normalised
from gluon_inspect.passes.subjects import Subject

_IR = ("ttgir", "ttir")
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


@dataclass(frozen=True, slots=True)
class Compared:
    """One kernel of both sides. `same_ir`, `same_layouts`, `same_code` None: not known."""

    left: Subject
    right: Subject
    partings: tuple[Parting, ...]
    same_ir: bool | None
    same_layouts: bool | None
    same_code: bool | None
    machines: tuple[Machine, Machine]

    @property
    def verdict(self) -> str:
        """The result in one sentence."""
        if self.same_ir:
            return _machine_verdict(self.same_code, self.machines)
        if self.same_ir is None:
            return "one side has no TTGIR to compare"
        if self.same_layouts:
            return "layouts unchanged; the operations differ"
        return "the layouts differ"


def compare(left: Subject, right: Subject) -> Compared:
    """Where two compilations part."""
    found = () if left.timeline is None or right.timeline is None else partings(left.timeline, right.timeline)
    return Compared(
        left,
        right,
        found,
        _same_ir(left, right),
        _same_layouts(left, right),
        _same_code(left.kernel, right.kernel),
        (_machine_of(left.kernel), _machine_of(right.kernel)),
    )


def paired(left: Sequence[Subject], right: Sequence[Subject]) -> tuple[list[tuple[Subject, Subject]], list[str]]:
    """Kernels of one name, in order; and the names that only one side has."""
    rest = list(right)
    pairs: list[tuple[Subject, Subject]] = []
    alone: list[str] = []
    for one in left:
        other = next((each for each in rest if each.kernel.name == one.kernel.name), None)
        if other is None:
            alone.append(one.kernel.name)
            continue
        rest.remove(other)
        pairs.append((one, other))
    if not pairs and len(left) == len(right) == 1:
        return [(left[0], right[0])], []
    return pairs, alone + [each.kernel.name for each in rest]


def _same_ir(left: Subject, right: Subject) -> bool | None:
    for stage in _IR:
        one, other = left.kernel.stages.get(stage), right.kernel.stages.get(stage)
        if one and other:
            return normalised(one) == normalised(other)
    return None


def _same_layouts(left: Subject, right: Subject) -> bool | None:
    """Whether layouts, conversions and access widths of the last IR agree, line by line."""
    one, other = left.final(), right.final()
    if one is None or other is None or one.state is None or other.state is None:
        return None
    return all(view(one) == view(other) for view in (layouts_of, conversions_of, widths_of))


def _machine_verdict(same: bool | None, machines: tuple[Machine, Machine]) -> str:
    if same is None and not all(machine.is_known for machine in machines):
        return "layouts and TTGIR unchanged; there is no machine code to compare"
    if same or (same is None and machines[0] == machines[1]):
        return "layouts, TTGIR and machine code unchanged"
    return "layouts and TTGIR unchanged, the difference is in the machine code"


def _machine_of(kernel: CompiledKernel) -> Machine:
    """The numbers of a kernel's binary or assembly."""
    # Late: a timeline needs nothing of the pipeline, which takes its time to import.
    from gluon_inspect.assembly.binary import read_binary

    facts = read_binary(kernel)
    shared = kernel.metadata.get("shared")
    return Machine(facts.registers_per_thread, facts.spill_bytes, shared if isinstance(shared, int) else None)


def _same_code(left: CompiledKernel, right: CompiledKernel) -> bool | None:
    """Whether the machine code is the same; None where one side has none."""
    if left.binary and right.binary:
        return left.binary == right.binary
    for stage in _CODE:
        if stage in left.stages and stage in right.stages:
            return left.stages[stage] == right.stages[stage]
    return None
