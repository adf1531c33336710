"""What one IR operation does to shared memory: transfers in order, each so many times."""

from __future__ import annotations

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
