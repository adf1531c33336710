"""What one IR operation does to shared memory: transfers in order, each so many times."""

from __future__ import annotations

from dataclasses import dataclass

from gluon_inspect.addresses.shared.transfer import Transfer


@dataclass(frozen=True, slots=True)
class Step:
    """One transfer, done `times` times by every execution of its operation in one CTA."""

    store: bool
    transfer: Transfer
    times: int = 1


@dataclass(frozen=True, slots=True)
class Lowering:
    """The shared-memory side of an operation: its steps, scratch bytes and CTA-wide barriers."""

    steps: tuple[Step, ...]
    scratch_bytes: int = 0
    barriers: int = 0
    exact: bool = True
    reason: str = ""

    def of(self, *, store: bool) -> tuple[Step, ...]:
        """The stores, or the loads."""
        return tuple(step for step in self.steps if step.store == store)
