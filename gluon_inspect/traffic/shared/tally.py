"""Adding up the steps of one direction: requests, wavefronts, bytes of one execution in one CTA."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gluon_inspect.traffic.shared.steps import OperandRead, Step


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
