"""What an analysis says: findings, tables and metrics that any renderer can draw without knowing it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from gluon_inspect.model.brief import brief
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.location import CodePlace, Location

Scalar = str | int | float | bool | None
Evidence = Scalar | tuple[Scalar, ...]


class Severity(StrEnum):
    """How much a finding matters, least first."""

    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"


class ExampleLanguage(StrEnum):
    """What a rule's examples are written in."""

    PYTHON = "python"
    CONFIGURATION = "toml"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its code is never reused, its name reads well after "allow".

    The texts are Markdown. `bad` and `good` are examples that tests run for `example_target`: scripts that follow
    `wording.examples.IMPORTS`, or a project's configuration; the first gives the finding, the second does not.
    """

    code: str
    name: str
    summary: str
    what: str = ""
    why: str = ""
    how: str = ""
    not_modelled: str = ""
    bad: str = ""
    good: str = ""
    example_target: str = "cuda:90"
    example_language: ExampleLanguage = ExampleLanguage.PYTHON


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing worth the author's attention, at the author's line.

    `evidence` holds the numbers the message rests on; `cost` orders findings: predicted lost time as a
    fraction of the kernel (0 to 1), None where unknown.
    """

    id: str
    rule: str
    name: str
    severity: Severity
    confidence: Confidence
    model: ModelStatus
    message: str
    location: Location | None = None
    evidence: Mapping[str, Evidence] = field(default_factory=dict[str, Evidence])
    help: str = ""
    subject: str = ""
    """`id` of the access, conversion or tensor it is about, or empty."""
    cost: float | None = None
    code: tuple[CodePlace, ...] = ()
    """The IR operation and the machine's instructions that stand for it, the first few of each."""

    def __repr__(self) -> str:
        where = self.location or "an unknown line"
        return brief(f"<Finding {self.rule} {self.name}, {self.severity} at {where}: {self.message}>")


@dataclass(frozen=True, slots=True)
class Column:
    """A table's column: `align` is "left" or "right"; `unit` such as "B" or "sectors", or empty."""

    title: str
    align: str = "left"
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table any renderer can draw; `locations` gives each row its source place, where it has one."""

    key: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Scalar, ...], ...]
    locations: tuple[Location | None, ...] = ()
    note: str = ""

    def __repr__(self) -> str:
        titles = ", ".join(column.title for column in self.columns)
        return brief(f"<Table {self.key}: {len(self.rows)} rows of {titles}>")


@dataclass(frozen=True, slots=True)
class Metric:
    """One named number of a kernel; `value` None is unknown."""

    key: str
    title: str
    value: Scalar
    unit: str = ""
    confidence: Confidence = Confidence.EXACT


@dataclass(frozen=True, slots=True)
class AnalysisResult:
    """What one analysis returns."""

    findings: tuple[Finding, ...] = ()
    tables: tuple[Table, ...] = ()
    metrics: tuple[Metric, ...] = ()
