"""What an operation does to memory: directions, and which operand plays which part (roles are ODS names)."""

from dataclasses import dataclass

from gluon_inspect.model.access import Direction


@dataclass(frozen=True, slots=True)
class LaneEffect:
    """An access to global memory, lane by lane; `direction` as seen from there.

    `offsets`: the role of a tensor of element offsets to a scalar pointer (buffer operations), or empty.
    `once`: copies in other lanes and warps are predicated off.
    """

    direction: Direction
    address: str = "ptr"
    offsets: str = ""
    mask: str = "mask"
    once: bool = False

    @property
    def is_buffer(self) -> bool:
        """Whether it addresses memory through a buffer resource (AMD)."""
        return bool(self.offsets)


@dataclass(frozen=True, slots=True)
class BulkEffect:
    """A bulk copy (TMA, TDM): one instruction moves a box; `direction` as seen from global memory.

    `rows`: the role of a tensor of row numbers (gather, scatter), or empty. `buffer` is empty before
    lowering, where the copy's shared memory is not in the IR yet. `prefetches`: it fills the L2 cache only.
    """

    direction: Direction
    coordinates: str
    buffer: str = ""
    rows: str = ""
    predicate: str = ""
    prefetches: bool = False

    @property
    def is_load(self) -> bool:
        """Whether it fills shared memory."""
        return self.direction is Direction.COPY and not self.prefetches


@dataclass(frozen=True, slots=True)
class Move:
    """What goes between a tensor and a buffer in shared or tensor memory; the role "" is the result.

    `is_store`: the buffer is written. `tensor` is that of the addresses where the data never are in registers.
    """

    is_store: bool
    buffer: str
    tensor: str
