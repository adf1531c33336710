"""What is known of a script: its report, and what explaining its kernels adds."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from gluon_inspect.explaining.fixes import Fix
from gluon_inspect.lsp.lines import Lines
from gluon_inspect.model.access import Access
from gluon_inspect.model.explanation import Proposal
from gluon_inspect.model.location import Location
from gluon_inspect.model.report import KernelReport, Report
from gluon_inspect.verdict.problems import Problem, problems


@dataclass(frozen=True)
class Studied:
    """A kernel's fixes, best first, what they are made of, and global accesses' first warps drawn, by id."""

    fixes: tuple[Fix, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    drawings: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])


@dataclass(frozen=True)
class Seen:
    """A script's report. `studied` by the kernel's place in it; empty until that is done."""

    script: str
    report: Report
    studied: Mapping[int, Studied] = field(default_factory=dict[int, Studied])
    texts: Mapping[str, str] = field(default_factory=dict[str, str])
    """Files that fixes change, by their real paths, with their own line ends."""

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """Those that a report shows, worst first."""
        return tuple(each for each in problems(self.report) if each.is_shown)

    @cached_property
    def files(self) -> Mapping[str, str]:
        """Recorded texts by their real paths."""
        return {real(file): text for file, text in self.report.sources.items()}

    def lines(self, file: str, now: str) -> Lines | None:
        """How a file's lines moved; None where the script does not use it."""
        recorded = self.files.get(real(file))
        return None if recorded is None else Lines(recorded, now)

    def kernels(self, file: str) -> Iterator[tuple[int, KernelReport]]:
        """The kernels that stand in a file, each launch an entry, with their place in the report."""
        for index, kernel in enumerate(self.report.kernels):
            if real(kernel.kernel.source_file) == real(file):
                yield index, kernel

    def accesses(self, file: str) -> Iterator[tuple[int, KernelReport, Access]]:
        """Accesses at the author's lines of a file."""
        for index, kernel in enumerate(self.report.kernels):
            for access in kernel.accesses:
                if access.location is not None and is_in(access.location, file):
                    yield index, kernel, access


@lru_cache(maxsize=4096)
def real(file: str) -> str:
    """A path without links, so that an editor's and the recorder's are one; "" stays."""
    return os.path.realpath(file) if file else ""


def is_in(location: Location, file: str) -> bool:
    """Whether the author's place is in a file."""
    return real(location.author.file) == real(file)


def of_file(seen: Iterable[Seen], file: str, now: str) -> Sequence[tuple[Seen, Lines]]:
    """What is known of a file by each script that uses it, and how its lines moved since."""
    found = ((each, each.lines(file, now)) for each in seen)
    return [(each, lines) for each, lines in found if lines is not None]


def seconds(kernel: KernelReport) -> float:
    """Expected time of all launches of an entry, to tell the worst; 0 where it is not known."""
    return 0.0 if kernel.cost is None else kernel.cost.seconds * kernel.launch.count
