"""What each operation of a launch does to shared memory: lowered once, with all that lowering needs to know."""

from __future__ import annotations

from collections.abc import Mapping

from gluon_inspect.ir.graph import Graph
from gluon_inspect.ir.partitions import homes
from gluon_inspect.model.mlir import Module
from gluon_inspect.model.target import Target
from gluon_inspect.model.versions import Version
from gluon_inspect.traffic.global_memory.access import GlobalAccess
from gluon_inspect.traffic.shared.lowering import LoweringContext
from gluon_inspect.traffic.shared.nvidia.banks import Addresses
from gluon_inspect.traffic.shared.nvidia.last_store import find_last_store
from gluon_inspect.traffic.shared.operations import Executions, SharedOperation, shared_operations


def lowered_operations(
    module: Module,
    structure: Graph,
    target: Target,
    version: Version,
    executions: Executions,
    accesses: Mapping[int, GlobalAccess],
    scale: float,
    two_address_reads: frozenset[int] = frozenset(),
) -> tuple[SharedOperation, ...]:
    """The operations that may touch shared memory, in textual order.

    `accesses`: the evaluated global ones by their operations' span starts; `scale`: programs of the launch for
    each that was evaluated. Addresses of copies are those of the first program that was evaluated.
    `two_address_reads`: span starts of operations whose LDS reads stand in pairs in the AMDGCN.
    """
    context = LoweringContext(
        target=target,
        version=version,
        warps=structure.warps,
        warps_of={start: partition.warps for start, partition in homes(module).items()},
        used=frozenset(structure.users),
        copy_vectors={start: access.vector for start, access in accesses.items()},
        copy_addresses=_addresses(accesses),
        two_address_reads=two_address_reads,
    )
    # what sinks behind the last store was learnt from NVIDIA's assembler
    last = find_last_store(module, structure, accesses, scale, executions) if target.backend == "cuda" else None
    return shared_operations(module, structure, context, last, executions)


def _addresses(accesses: Mapping[int, GlobalAccess]) -> Mapping[int, Addresses]:
    samples = {start: access.tally.sample for start, access in accesses.items()}
    return {
        start: (sample.row + sample.base).reshape(-1) for start, sample in samples.items() if sample is not None
    }
