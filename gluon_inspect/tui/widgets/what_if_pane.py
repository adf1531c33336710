"""What if a layout were another: written by hand or proposed, evaluated or compiled in the background."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, OptionList

from gluon_inspect.errors import InspectError
from gluon_inspect.model.encodings import Encoding
from gluon_inspect.model.explanation import Proposal
from gluon_inspect.tui.background import in_background
from gluon_inspect.tui.highlight import Token
from gluon_inspect.tui.messages import CompileAsked, Recompiled, Tried
from gluon_inspect.tui.passages import Passage
from gluon_inspect.tui.trials import error_text, proposal_entry, proposal_text, recompiled_text, trial_text
from gluon_inspect.tui.values import LaidOut
from gluon_inspect.tui.widgets.listing import Item, Listing
from gluon_inspect.tui.widgets.prose import Prose

if TYPE_CHECKING:
    from gluon_inspect.tui.insight import Insight

_HINT = (
    "Write a layout in Gluon's syntax for the value under the cursor, or take a proposal. "
    "enter evaluates it on the same addresses, ctrl+r compiles the script with it."
)
_NO_PARAMETER = (
    "this layout is no constexpr parameter of the kernel: it can be evaluated (enter), but compiling it takes "
    "an edit of the script"
)
_EXAMPLE = "BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])"


class WhatIfPane(Vertical):
    """An expression, proposals, and what would come of it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "From the expression to the proposals", show=False),
        Binding("ctrl+r", "compile", "Compile the layout, report before and after", show=False),
    ]

    def __init__(self) -> None:
        super().__init__(id="what-if")
        self._insight: Insight | None = None
        self._old: Encoding | None = None

    def compose(self) -> ComposeResult:
        """Expression above, proposals and result below."""
        yield Input(id="expression", placeholder=_EXAMPLE, compact=True)
        with Horizontal():
            yield Listing(id="proposals")
            yield Prose(id="trial", title="What if")

    def show_insight(self, insight: Insight | None) -> None:
        """The proposals of a kernel; None while they are worked out."""
        self._insight = insight
        proposals = self._proposals()
        listing = self.query_one("#proposals", Listing)
        listing.show_items([Item(str(at), proposal_entry(proposal)) for at, proposal in enumerate(proposals)])
        listing.display = bool(proposals)
        waiting = "the launch is being evaluated" if insight is None else insight.problem or _HINT
        self._say([Passage(waiting, Token.MUTED)])

    def show_value(self, value: LaidOut | None) -> None:
        """The layout to start from: that of the value under the cursor, unless something is being written."""
        field = self.query_one("#expression", Input)
        if value is not None and not field.has_focus and value.encoding != self._old:
            self._old = value.encoding
            field.value = value.layout

    def show_recompiled(self, message: Recompiled) -> None:
        """The report before and after."""
        after = message.after
        self._say(error_text(after) if isinstance(after, InspectError) else recompiled_text(message.before, after))

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Show the proposal's source."""
        event.stop()
        if self.query_one("#proposals", Listing).has_focus:
            self._say(proposal_text(self._proposals()[event.option_index]))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Enter takes the proposal into the expression, to be evaluated, compiled or changed."""
        event.stop()
        proposal = self._proposals()[event.option_index]
        if proposal.substitutions and proposal.replaces:
            from gluon_inspect.layouts.gluon_syntax import read_layout

            self._old = read_layout(proposal.replaces)
            field = self.query_one("#expression", Input)
            field.value = next(iter(proposal.substitutions.values()))
            self.screen.set_focus(field)

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
        in_background(self, work, "what-if")

    def on_tried(self, message: Tried) -> None:
        """Before and after, as predicted."""
        message.stop()
        outcome = message.outcome
        self._say(error_text(outcome) if isinstance(outcome, InspectError) else trial_text(outcome))

    def action_compile(self) -> None:
        """Compile the expression in the place of the layout, if a constexpr parameter holds it."""
        from gluon_inspect.layouts.gluon_syntax import read_layout, write_layout
        from gluon_inspect.tui.insight import parameter_of

        insight, old = self._insight, self._old
        parameter = parameter_of(insight, old) if insight is not None and old is not None else None
        if insight is None or parameter is None:
            self._say([Passage(_NO_PARAMETER, Token.WARNING)])
            return
        try:
            layout = write_layout(read_layout(self.query_one("#expression", Input).value))
        except InspectError as error:
            self._say(error_text(error))
            return
        self._say([Passage(f"compiling {insight.kernel.name} with {parameter} = {layout}", Token.MUTED)])
        self.post_message(CompileAsked(insight.kernel, parameter, layout))

    def action_leave(self) -> None:
        """Out of the expression."""
        listing = self.query_one("#proposals", Listing)
        self.screen.set_focus(listing if listing.display else self.query_one(Prose))

    def _proposals(self) -> tuple[Proposal, ...]:
        explanation = self._insight.explanation if self._insight is not None else None
        return explanation.proposals if explanation is not None else ()

    def _say(self, passages: Iterable[Passage]) -> None:
        self.query_one(Prose).show_passages(tuple(passages))

    def _try(self, insight: Insight, old: Encoding, text: str) -> None:
        from gluon_inspect.tui.insight import try_layout

        try:
            self.post_message(Tried(try_layout(insight, old, text)))
        except InspectError as error:
            self.post_message(Tried(error))
