"""What explain says of a kernel: causes, drawings and proposals, ready to be set as text or data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from gluon_inspect.model.brief import brief
from gluon_inspect.model.finding import Finding
from gluon_inspect.model.report import KernelReport


class ProposalStatus(StrEnum):
    """How far a proposal was followed."""

    PREDICTED = "predicted, not compiled"
    CHECKED = "checked: compiled and inspected again"
    REJECTED = "tried and not better"


@dataclass(frozen=True, slots=True)
class Effect:
    """Sectors, wavefronts of shared memory and expected time of a kernel, before and after. None: unknown."""

    sectors_before: int | None
    sectors_after: int | None
    seconds_before: float | None = None
    seconds_after: float | None = None
    wavefronts_before: int | None = None
    wavefronts_after: int | None = None

    @property
    def speedup(self) -> float | None:
        """Expected time before over after; None where either is unknown."""
        if self.seconds_before is None or not self.seconds_after:
            return None
        return self.seconds_before / self.seconds_after


@dataclass(frozen=True, slots=True)
class FromStrides:
    """A layout that may be derived from the strides of a kernel's parameter, for tiles of a shape."""

    tensor: str
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Proposal:
    """One change: what to do, as Gluon source, and what it is predicted to do.

    `substitutions` maps constexpr parameters to layout expressions: what `--try` compiles; empty where the
    change is not of a constexpr. `replaces` names what is replaced, in Gluon's syntax. `layouts`: the proposed
    one, or that of the loads and that of the stores; empty where no layout is proposed. `patch`: lines of a
    unified diff of the kernel's file; empty where the change cannot be made automatically. `after`: the kernel as
    it becomes, once that was compiled.
    """

    title: str
    source: tuple[str, ...]
    effect: Effect | None = None
    status: ProposalStatus = ProposalStatus.PREDICTED
    substitutions: Mapping[str, str] = field(default_factory=dict[str, str])
    replaces: str = ""
    where: str = ""
    note: str = ""
    layouts: tuple[str, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()
    """Accesses, by id, that become one of neighbouring elements; the lower address first."""
    from_strides: FromStrides | None = None
    """How the layout may be derived instead, so that tensors of another order get theirs."""
    patch: tuple[str, ...] = ()
    changes_grid: bool = False
    """Other block constants: the grid must follow them."""
    after: KernelReport | None = None

    def __repr__(self) -> str:
        return brief(f"<Proposal: {self.title}, {self.status}>")


@dataclass(frozen=True, slots=True)
class Explanation:
    """One costly thing: the finding, a drawing of the first warp, and what it costs in words.

    `also`: further findings of the same cause. `why`: why the rule matters, at the first item of that rule only.
    `drawn_in`: the number (from 1) of the item whose drawing is this one's too.
    """

    finding: Finding
    layout: str = ""
    drawing: tuple[str, ...] = ()
    cost: str = ""
    advice: tuple[str, ...] = ()
    also: tuple[Finding, ...] = ()
    why: str = ""
    drawn_in: int | None = None

    def __repr__(self) -> str:
        return brief(f"<Explanation of {self.finding!r}>")


@dataclass(frozen=True, slots=True)
class KernelExplanation:
    """Everything explain says of one kernel and launch."""

    report: KernelReport
    verdict: str
    items: tuple[Explanation, ...]
    proposals: tuple[Proposal, ...]
    limits: tuple[str, ...]
    """What the numbers do not cover: assumptions, samples, what is not modelled."""

    def __repr__(self) -> str:
        counts = f"{len(self.items)} costs, {len(self.proposals)} proposals"
        return brief(f"<{type(self).__name__} of {self.report.name}: {self.verdict}; {counts}>")
