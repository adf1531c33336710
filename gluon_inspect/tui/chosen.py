"""The kernel that all panes show, and what a pane that shows one offers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from gluon_inspect.model.report import KernelReport, Report


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """A kernel of a report by its index; two are equal only where the report is the very same."""

    report: Report
    index: int

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Chosen) and other.report is self.report and other.index == self.index

    def __hash__(self) -> int:
        return hash((id(self.report), self.index))

    @property
    def kernel(self) -> KernelReport:
        """The kernel itself."""
        return self.report.kernels[self.index]

    def again_in(self, report: Report) -> int:
        """The index of the same kernel in another report; 0 where it is not there any more."""
        wanted = _identity(self.kernel)
        return next((index for index, kernel in enumerate(report.kernels) if _identity(kernel) == wanted), 0)


def _identity(kernel: KernelReport) -> tuple[str, str, str]:
    return kernel.name, kernel.kernel.target, kernel.launch.id


@runtime_checkable
class KernelView(Protocol):
    """A pane over the chosen kernel."""

    def show_kernel(self, chosen: Chosen) -> None:
        """Show another kernel."""
        ...


@runtime_checkable
class Searchable(Protocol):
    """A pane that `/` searches."""

    def search(self, text: str) -> str:
        """Mark and go to the first hit; says how many there are."""
        ...

    def search_step(self, forward: bool) -> str:
        """Go to the next or previous hit."""
        ...
