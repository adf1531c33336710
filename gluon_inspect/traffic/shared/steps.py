"""What one IR operation does to shared memory: transfers in order, each so many times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gluon_inspect.traffic.shared.transfer import Transfer


@dataclass(frozen=True, slots=True)
class OperandRead:
    """A matrix unit that reads an operand from shared memory, in all warps of one CTA.

    `instructions` a warp, `wavefronts` of one warp's instruction (None: unknown), `bytes_each` that one
    instruction reads for its whole warp group.
    """

    mnemonic: str
    instructions: int
    warps: int
    wavefronts: int | None
    bytes_each: int


@dataclass(frozen=True, slots=True)
class Step:
    """One transfer, done `times` times by every execution of its operation in one CTA.

    `share` below 1: only that part of the executions has an active lane (whole CTAs are masked off).
    """

    store: bool
    transfer: Transfer | OperandRead
    times: int = 1
    share: float = 1.0


@dataclass(frozen=True, slots=True)
class Lowering:
    """The shared-memory side of an operation: its steps, scratch bytes and CTA-wide barriers.

    `known` is False where wavefronts depend on data or on rules that are not known; `reason` says why.
    `assumed`: the rule behind the numbers is not proven.
    """

    steps: tuple[Step, ...] = ()
    scratch_bytes: int = 0
    barriers: int = 0
    known: bool = True
    reason: str = ""
    assumed: bool = False

    def of(self, *, store: bool) -> tuple[Step, ...]:
        """The stores, or the loads."""
        return tuple(step for step in self.steps if step.store == store)


@dataclass(frozen=True, slots=True)
class Totals:
    """Of one execution in one CTA; fractions where only a part of the CTAs takes part. None: unknown.

    `vector_bits`: bits a lane of the instruction width that moves most bytes.
    """

    requests: float = 0
    wavefronts: float | None = None
    wavefronts_ideal: float | None = None
    bytes_moved: float = 0
    vector_bits: int | None = None


def add_up(steps: Sequence[Step]) -> Totals:
    """All steps together. An unknown part makes the wavefronts unknown."""
    requests = bytes_moved = 0.0
    wavefronts: float | None = 0
    ideal: float | None = 0
    by_width: dict[int, float] = {}
    for step in steps:
        part = _read(step.transfer) if isinstance(step.transfer, OperandRead) else _moved(step)
        weight = step.times * step.share
        requests += part.requests * weight
        bytes_moved += part.bytes_moved * weight
        wavefronts = _plus(wavefronts, part.wavefronts, weight)
        ideal = _plus(ideal, part.wavefronts_ideal, weight)
        if part.vector_bits is not None:
            by_width[part.vector_bits] = by_width.get(part.vector_bits, 0) + part.bytes_moved * weight
    widest = max(by_width, key=lambda bits: (by_width[bits], bits), default=None)
    return Totals(requests, wavefronts, ideal, bytes_moved, widest)


def _plus(total: float | None, part: float | None, weight: float) -> float | None:
    return None if total is None or part is None else total + part * weight


def _read(read: OperandRead) -> Totals:
    count = read.instructions * read.warps
    wavefronts = None if read.wavefronts is None else read.wavefronts * count
    return Totals(count, wavefronts, wavefronts, read.bytes_each * read.instructions * max(read.warps // 4, 1))


def _moved(step: Step) -> Totals:
    transfer = step.transfer
    if isinstance(transfer, OperandRead):
        raise TypeError("an operand read has no lanes")
    cost = transfer.cost()
    moved = transfer.threads * transfer.bits // 8
    return Totals(transfer.requests, cost.total, cost.total_ideal, moved, transfer.bits)
