"""What an analysis says: findings, tables and metrics that any renderer can draw without knowing it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from gluon_inspect.model.brief import brief, spot
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

    def __repr__(self) -> str:
        return brief(f"<Rule {self.code} {self.name}: {self.summary}>")


@dataclass(frozen=True, slots=True)
class Replacement:
    """What to write instead, as source, and the expected time of one launch with it. `title`: what it is."""

    title: str
    source: tuple[str, ...]
    seconds_before: float | None = None
    seconds_after: float | None = None


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
    lost_seconds: float | None = None
    """The same in seconds of one launch; None where no time is expected."""
    code: tuple[CodePlace, ...] = ()
    """The IR operation and the machine's instructions that stand for it, the first few of each."""
    replacement: Replacement | None = None
    """What to write instead, where that is known without compiling it."""

    def __repr__(self) -> str:
        return brief(
            f"<Finding {self.rule} {self.name}, {self.severity} at {spot(self.location)}: {self.message}>"
        )


class Kind(StrEnum):
    """How a cell's value reads. ABSENT: a value does not apply, which is not to say that it is unknown."""

    PLAIN = "plain"
    COUNT = "count"
    BYTES = "bytes"
    SHARE = "share"
    RATIO = "ratio"
    LINE = "line"
    LAYOUT = "layout"
    NAME = "name"
    LEVEL = "level"
    ABSENT = "absent"


class Tone(StrEnum):
    """What a cell's value means to the reader; each drawer has its own colours for them."""

    NONE = ""
    GOOD = "good"
    FAIR = "fair"
    POOR = "poor"
    QUIET = "quiet"
    UNSURE = "unknown"


@dataclass(frozen=True, slots=True)
class Cell:
    """A typed value of a table: None is unknown, `unit` follows the number, a confidence is said unless EXACT.

    SHARE is a fraction of 1. LEVEL is a severity, "clean" or "unknown". LAYOUT is an attribute's text, or the pair
    of the layout in registers and that in memory.
    """

    value: Evidence = None
    kind: Kind = Kind.PLAIN
    unit: str = ""
    tone: Tone = Tone.NONE
    confidence: Confidence = Confidence.EXACT


Entry = Scalar | Cell


@dataclass(frozen=True, slots=True)
class Column:
    """A table's column: `align` is "left" or "right"; `unit` such as "B" or "sectors", or empty.

    Narrow places lose the columns of the highest `priority` first and never those of 0. A column that `wraps` may
    use several lines; a `remark` stands below the table where rows are short, with the row's line.
    """

    title: str
    align: str = "left"
    unit: str = ""
    priority: int = 0
    wraps: bool = False
    remark: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table any renderer can draw; `locations` gives each row its source place, where it has one.

    `metrics` are the keys of metrics that it says too, so that nobody prints them a second time.
    """

    key: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Entry, ...], ...]
    locations: tuple[Location | None, ...] = ()
    note: str = ""
    metrics: tuple[str, ...] = ()

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
