"""Findings, worst first, and what the chosen one rests on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import OptionList

from gluon_inspect.listings.marks import SYMBOLS
from gluon_inspect.model.explanation import Explanation
from gluon_inspect.model.finding import Finding
from gluon_inspect.tui.chosen import Chosen
from gluon_inspect.tui.highlight import Token
from gluon_inspect.tui.messages import JumpTo
from gluon_inspect.tui.palette import is_dark, level_colour
from gluon_inspect.tui.passages import Passage
from gluon_inspect.tui.widgets.listing import Item, Listing
from gluon_inspect.tui.widgets.prose import Prose
from gluon_inspect.wording.characters import visible
from gluon_inspect.wording.numbers import percent, plain
from gluon_inspect.wording.places import place
from gluon_inspect.wording.verdict import verdict

if TYPE_CHECKING:
    from gluon_inspect.tui.insight import Insight


class FindingsPane(Horizontal):
    """The list on the left, the words on the right."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "jump", "Jump to the line", show=False)]

    def __init__(self) -> None:
        super().__init__(id="findings")
        self._findings: tuple[Finding, ...] = ()
        self._insight: Insight | None = None

    def compose(self) -> ComposeResult:
        """List and detail."""
        yield Listing(id="finding-list")
        yield Prose(id="finding", title="finding")

    def show_kernel(self, chosen: Chosen) -> None:
        """The kernel's findings; without any, what was proven."""
        self._findings = chosen.kernel.findings
        dark = is_dark(self)
        listing = self.query_one(Listing)
        listing.show_items([Item(finding.id, _entry(finding, dark)) for finding in self._findings])
        listing.display = bool(self._findings)
        if not self._findings:
            self.query_one(Prose).show_passages(tuple(_nothing(chosen)))

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Explain the finding, and show its line if it is the user who moves."""
        event.stop()
        finding = self.finding
        if finding is None:
            return
        self._explain(finding)
        if self.query_one(Listing).has_focus and finding.location is not None:
            self.post_message(JumpTo(finding.location))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Enter or a click jumps."""
        event.stop()
        self.action_jump()

    @property
    def finding(self) -> Finding | None:
        """The highlighted finding."""
        key = self.query_one(Listing).key
        return next((finding for finding in self._findings if finding.id == key), None)

    def show_insight(self, insight: Insight | None) -> None:
        """The explanation has come (None: it is being worked out)."""
        self._insight = insight
        if self.finding is not None:
            self._explain(self.finding)

    def _explain(self, finding: Finding) -> None:
        explanation = self._insight.explanation if self._insight is not None else None
        items = explanation.items if explanation is not None else ()
        item = next((item for item in items if item.finding.id == finding.id), None)
        passages = (*_passages(finding), *(_explained(item) if item is not None else ()))
        self.query_one(Prose).show_passages((*passages, *_evidence(finding)))

    def action_jump(self) -> None:
        """To the finding's line, with the focus."""
        if self.finding is not None and self.finding.location is not None:
            self.post_message(JumpTo(self.finding.location, focus=True))


def _entry(finding: Finding, dark: bool) -> Text:
    level = finding.severity.value
    colour = level_colour(level, dark)
    line = f"{finding.location.author.line}" if finding.location is not None else "-"
    text = Text(no_wrap=True, overflow="ellipsis")
    text.append(f"{SYMBOLS[level]} ", colour)
    text.append(f"{finding.rule} ", f"bold {colour}")
    text.append(f"{line:>4} ", "dim")
    text.append(f"{finding.name}: {visible(finding.message, 200)}")
    return text


def _passages(finding: Finding) -> Iterator[Passage]:
    trust = f"{finding.confidence.value}, model {finding.model.value}"
    cost = f", {percent(finding.cost)} of the kernel's time" if finding.cost is not None else ""
    yield Passage(f"{finding.severity.value} {finding.rule} {finding.name}", Token(finding.severity.value))
    yield Passage(f"{place(finding.location)}  ({trust}{cost})", Token.MUTED)
    yield Passage("")
    yield Passage(finding.message)
    if finding.help:
        yield Passage("")
        yield Passage("What to do", Token.HEADING)
        yield Passage(finding.help)


def _explained(item: Explanation) -> Iterator[Passage]:
    if item.drawing:
        yield Passage("")
        yield Passage("Where the lanes meet memory", Token.HEADING)
        yield from (Passage(line, fixed=True) for line in item.drawing)
    if item.cost or item.advice:
        yield Passage("")
        yield Passage("Why", Token.HEADING)
        yield from (Passage(text) for text in (item.cost, *item.advice) if text)


def _evidence(finding: Finding) -> Iterator[Passage]:
    if finding.evidence:
        yield Passage("")
        yield Passage("Evidence", Token.HEADING)
        widest = max(map(len, finding.evidence))
        for name, value in finding.evidence.items():
            yield Passage(f"{name.replace('_', ' '):<{widest}}  {plain(value)}")


def _nothing(chosen: Chosen) -> Iterator[Passage]:
    """No findings is a statement: say what it rests on."""
    said = verdict(chosen.kernel)
    yield Passage(said.text, Token.ADDED if said.level == "clean" else Token.HEADING)
    for problem in chosen.kernel.problems:
        yield Passage("")
        yield Passage(problem, Token.MUTED)
