"""What if a layout were another: written by hand or proposed, evaluated in the background, before and after."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, OptionList

from gluon_inspect.errors import InspectError
from gluon_inspect.model.access import Access
from gluon_inspect.model.encodings import Encoding
from gluon_inspect.model.explanation import Proposal
from gluon_inspect.tui.highlight import Token
from gluon_inspect.tui.messages import Tried
from gluon_inspect.tui.values import LaidOut
from gluon_inspect.tui.widgets.listing import Item, Listing
from gluon_inspect.tui.widgets.prose import Passage, Prose
from gluon_inspect.wording.characters import visible
from gluon_inspect.wording.numbers import percent, ratio, short_count

if TYPE_CHECKING:
    from gluon_inspect.tui.insight import Insight, Trial

_HINT = "write a layout in Gluon's syntax for the value under the cursor, or take a proposal; enter evaluates it"


class WhatIfPane(Vertical):
    """An expression, proposals, and what would come of it: predicted from the same addresses, not compiled."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "Back to the proposals", show=False)]

    def __init__(self) -> None:
        super().__init__(id="what-if")
        self._insight: Insight | None = None
        self._old: Encoding | None = None

    def compose(self) -> ComposeResult:
        """Expression above, proposals and result below."""
        yield Input(id="expression", placeholder="BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])", compact=True)
        with Horizontal():
            yield Listing(id="proposals")
            yield Prose(id="trial", title="What if")

    def show_insight(self, insight: Insight | None) -> None:
        """The proposals of a kernel; None while they are worked out."""
        self._insight = insight
        proposals = self._proposals()
        listing = self.query_one("#proposals", Listing)
        listing.show_items([Item(str(at), _entry(proposal)) for at, proposal in enumerate(proposals)])
        listing.display = bool(proposals)
        waiting = "the launch is being evaluated" if insight is None else insight.problem or _HINT
        self._say([Passage(waiting, Token.MUTED)])

    def show_value(self, value: LaidOut | None) -> None:
        """The layout to start from: that of the value under the cursor, unless something is being written."""
        field = self.query_one("#expression", Input)
        if value is not None and not field.has_focus and value.encoding != self._old:
            self._old = value.encoding
            field.value = value.layout

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Show the proposal's source."""
        event.stop()
        if self.query_one("#proposals", Listing).has_focus:
            self._say(list(_proposal(self._proposals()[event.option_index])))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Enter takes the proposal into the expression, to be evaluated or changed."""
        event.stop()
        proposal = self._proposals()[event.option_index]
        if proposal.substitutions and proposal.replaces:
            from gluon_inspect.layouts.gluon_syntax import read_layout

            self._old = read_layout(proposal.replaces)
            field = self.query_one("#expression", Input)
            field.value = next(iter(proposal.substitutions.values()))
            field.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Nothing happens until enter."""
        event.stop()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Evaluate."""
        event.stop()
        if self._insight is None or self._old is None:
            self._say([Passage("move to a line with a tensor first", Token.WARNING)])
            return
        self._say([Passage("evaluating …", Token.MUTED)])
        work = partial(self._try, self._insight, self._old, event.value)
        self.run_worker(work, thread=True, exclusive=True, group="what-if")

    def on_tried(self, message: Tried) -> None:
        """Before and after."""
        message.stop()
        self._say(
            list(
                _trial(message.outcome)
                if not isinstance(message.outcome, InspectError)
                else _error(message.outcome)
            )
        )

    def action_leave(self) -> None:
        """Out of the expression."""
        listing = self.query_one("#proposals", Listing)
        (listing if listing.display else self.query_one(Prose)).focus()

    def _proposals(self) -> tuple[Proposal, ...]:
        explanation = self._insight.explanation if self._insight is not None else None
        return explanation.proposals if explanation is not None else ()

    def _say(self, passages: list[Passage]) -> None:
        self.query_one(Prose).show_passages(passages)

    def _try(self, insight: Insight, old: Encoding, text: str) -> None:
        from gluon_inspect.tui.insight import try_layout

        try:
            self.post_message(Tried(try_layout(insight, old, text)))
        except InspectError as error:
            self.post_message(Tried(error))


def _entry(proposal: Proposal) -> Text:
    speedup = proposal.effect.speedup if proposal.effect is not None else None
    text = Text(no_wrap=True, overflow="ellipsis")
    text.append(f"{speedup:.2f}× " if speedup is not None else "  ?  ", "bold")
    text.append(visible(proposal.title, 120))
    return text


def _proposal(proposal: Proposal) -> Iterator[Passage]:
    yield Passage(proposal.title, Token.HEADING)
    yield from (Passage(line, fixed=True) for line in proposal.source)
    yield from (Passage(text, Token.MUTED) for text in (proposal.where, proposal.note) if text)
    if proposal.effect is not None:
        before, after = proposal.effect.sectors_before, proposal.effect.sectors_after
        yield Passage(
            f"sectors {short_count(before)} → {short_count(after)}  ({proposal.status.value})", Token.ADDED
        )
    if proposal.substitutions:
        yield Passage("enter takes it into the expression", Token.MUTED)


def _trial(trial: Trial) -> Iterator[Passage]:
    speedup = trial.speedup
    if speedup is not None and trial.old == trial.new:
        yield Passage("the layout as it is: change it and press enter", Token.MUTED)
    elif speedup is not None:
        word = "less" if speedup >= 1 else "more"
        token = Token.ADDED if speedup >= 1 else Token.REMOVED
        factor = ratio(speedup if speedup >= 1 else 1 / speedup)
        yield Passage(f"{factor}× {word} memory time, predicted from the same addresses; not compiled", token)
    else:
        yield Passage("the effect on the time is unknown: some addresses are", Token.WARNING)
    yield Passage("")
    yield Passage(f"{'line':>5}  {'access':<12}{'bits':>10}{'sectors':>20}{'used':>14}", Token.MUTED, fixed=True)
    for before, after in zip(trial.before, trial.after, strict=True):
        yield _difference(before, after)


def _difference(before: Access, after: Access) -> Passage:
    line = before.location.line if before.location is not None else 0
    bits = f"{before.vector_bits or '?'} → {after.vector_bits or '?'}"
    sectors = f"{short_count(before.sectors)} → {short_count(after.sectors)}"
    used = f"{percent(before.efficiency)} → {percent(after.efficiency)}"
    text = f"{line:>5}  {before.direction.value:<12}{bits:>10}{sectors:>20}{used:>14}"
    if before.sectors == after.sectors or before.sectors is None or after.sectors is None:
        return Passage(text, fixed=True)
    return Passage(text, Token.ADDED if after.sectors < before.sectors else Token.REMOVED, fixed=True)


def _error(error: InspectError) -> Iterator[Passage]:
    yield Passage(error.message, Token.ERROR)
    if error.excerpt:
        yield Passage(error.excerpt, Token.MUTED, fixed=True)
    if error.hint:
        yield Passage(error.hint)
