"""What workers and panes tell the application: small, no widgets inside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

from gluon_inspect.errors import InspectError
from gluon_inspect.listings.document import Document
from gluon_inspect.listings.ir import IrText
from gluon_inspect.model.location import Location
from gluon_inspect.model.mlir import Operation
from gluon_inspect.model.report import KernelReport, Report
from gluon_inspect.tui.chosen import Chosen

if TYPE_CHECKING:
    from gluon_inspect.tui.insight import Insight, Trial
    from gluon_inspect.tui.pass_steps import Step


@dataclass
class Doing(Message):
    """What the background is busy with."""

    text: str


@dataclass
class Inspected(Message):
    """A report has come; `failures` are inputs that gave none, `more`: the background is still at it."""

    report: Report
    failures: tuple[InspectError, ...] = ()
    more: bool = False


@dataclass
class Failed(Message):
    """There is no report."""

    error: InspectError


@dataclass
class Cancelled(Message):
    """The background has stopped, as asked."""


@dataclass
class AssemblyRead(Message):
    """The listing of a kernel; `kernel` is its index in the report."""

    kernel: int
    document: Document


@dataclass
class IrRead(Message):
    """A kernel's IR, first without places and then with them."""

    kernel: int
    text: IrText
    problem: str = ""


@dataclass
class PassesRead(Message):
    """The timeline of the chosen kernel."""

    chosen: Chosen
    steps: tuple[Step, ...]


@dataclass
class DiffRead(Message):
    """The difference between two passes."""

    chosen: Chosen
    document: Document


@dataclass
class ShowIr(Message):
    """Show this IR among the linked panes."""

    title: str
    text: str


@dataclass
class CompileAsked(Message):
    """Compile a kernel with a constexpr layout replaced by this one, in Gluon's syntax."""

    kernel: KernelReport
    parameter: str
    layout: str


@dataclass
class Recompiled(Message):
    """A kernel before and after, or why there is no after."""

    before: KernelReport
    after: KernelReport | InspectError


@dataclass
class Tried(Message):
    """What came of a layout that was tried."""

    outcome: Trial | InspectError


@dataclass
class KernelChosen(Message):
    """A kernel was picked in the list."""

    index: int


@dataclass
class JumpTo(Message):
    """Show this place in the source; `focus`: and stay there."""

    location: Location
    focus: bool = False


@dataclass
class LinePicked(Message):
    """The cursor of the pane with this id is on another line."""

    pane: str
    line: int


@dataclass
class TextChanged(Message):
    """The pane with this id shows another text."""

    pane: str


@dataclass
class OperationsPicked(Message):
    """The operations of the IR that belong to the picked line."""

    operations: tuple[Operation, ...]


@dataclass
class Explained(Message):
    """A kernel's explanation and evaluated launch."""

    chosen: Chosen
    insight: Insight


@dataclass
class Copied(Message):
    """Text for the clipboard, and what it is in words."""

    text: str
    what: str
