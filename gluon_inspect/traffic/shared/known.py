"""What an analysis asks about a kernel's shared memory, from its facts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gluon_inspect.model.access import Access, Space
from gluon_inspect.model.facts import Facts
from gluon_inspect.model.mlir import Module, Operation
from gluon_inspect.traffic.shared.beyond import version_of
from gluon_inspect.traffic.shared.lowering import Surroundings
from gluon_inspect.traffic.shared.memory_layout import Version


def version_in(facts: Facts) -> Version:
    """The version of Triton that compiled the kernel."""
    return version_of(facts.kernel.triton_version, "" if facts.module is None else facts.module.source.text)


def surroundings_in(facts: Facts) -> Surroundings:
    """What lowering an operation of the kernel needs beyond the operation."""
    return Surroundings(facts.target, version_in(facts), widths_of(facts.accesses), warps=facts.num_warps or 4)


def widths_of(accesses: Iterable[Access]) -> Mapping[int, int]:
    """Elements a lane that each global access moves at once, by its operation's span start."""
    return {
        access.result_of: access.vector_bits // access.element_bits
        for access in accesses
        if access.space is Space.GLOBAL and access.vector_bits and access.element_bits
    }


def operation_of(access: Access, module: Module) -> Operation | None:
    """The operation of an access; several that begin at one place are told apart by their name."""
    return next((op for op in module.walk() if op.span.start == access.result_of and op.name == access.op), None)
