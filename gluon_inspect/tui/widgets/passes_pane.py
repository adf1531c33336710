"""The passes of the compiler, and the difference that one or several of them made."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import OptionList

from gluon_inspect.listings.document import Document, Language
from gluon_inspect.tui.background import in_background
from gluon_inspect.tui.chosen import Chosen
from gluon_inspect.tui.messages import DiffRead, PassesRead, ShowIr
from gluon_inspect.tui.pass_steps import Step, change, steps_of
from gluon_inspect.tui.widgets.code_view import CodeView
from gluon_inspect.tui.widgets.listing import Item, Listing

_NO_DUMP = "this input has no pass dump: a script's recording has one, and so has an MLIR_ENABLE_DUMP log"


class PassesPane(Horizontal):
    """Passes on the left, a difference on the right."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "mark", "Compare from here", show=False),
        Binding("d", "changed(1)", "Next pass that changed something", show=False),
        Binding("D", "changed(-1)", "Previous pass that changed something", show=False),
    ]

    def __init__(self) -> None:
        super().__init__(id="passes")
        self._chosen: Chosen | None = None
        self._steps: tuple[Step, ...] = ()
        self._mark: int | None = None

    def compose(self) -> ComposeResult:
        """List and difference."""
        yield Listing(id="pass-list")
        yield CodeView(id="diff", title="Difference")

    def show_kernel(self, chosen: Chosen) -> None:
        """The kernel's timeline, read in the background."""
        if self._chosen is not None and self._chosen.kernel.kernel is chosen.kernel.kernel:
            return
        self._chosen, self._steps, self._mark = chosen, (), None
        self.query_one(Listing).show_items(())
        self._show(Document("passes", Language.DIFF, empty=_NO_DUMP))
        if chosen.kernel.kernel.dump:
            self._show(Document("passes", Language.DIFF, empty="the dump is being read"))
            in_background(self, partial(self._read, chosen), "passes")

    def on_passes_read(self, message: PassesRead) -> None:
        """The timeline has come."""
        message.stop()
        if message.chosen != self._chosen:
            return
        self._steps = message.steps
        self._list()
        first = next((at for at, step in enumerate(self._steps) if step.changed), None)
        if first is not None:
            self.query_one(Listing).highlighted = first

    def on_diff_read(self, message: DiffRead) -> None:
        """The difference has come."""
        message.stop()
        if message.chosen == self._chosen:
            self._show(message.document)

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """What this pass did, or everything from the marked one on."""
        event.stop()
        self._compare()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Enter shows the IR after the pass among the linked panes."""
        event.stop()
        step = None if self._at is None else self._steps[self._at]
        if step is None:
            return
        if step.run.after is None:
            self.notify(f"the state after {step.name} was not printed", severity="warning")
            return
        self.post_message(ShowIr(f"after {step.name}", step.run.after.ir))

    def action_mark(self) -> None:
        """Compare from the highlighted pass on; once more: each pass alone again."""
        self._mark = None if self._mark == self._at else self._at
        self._list()
        self._compare()

    def action_changed(self, step: int) -> None:
        """To the next or previous pass that changed something."""
        changed = [at for at, each in enumerate(self._steps) if each.changed]
        here = self._at or 0
        further = [at for at in changed if (at > here if step > 0 else at < here)]
        if further:
            self.query_one(Listing).highlighted = further[0] if step > 0 else further[-1]

    @property
    def _at(self) -> int | None:
        return self.query_one(Listing).highlighted if self._steps else None

    def _list(self) -> None:
        self.query_one(Listing).show_items(_items(self._steps, self._mark))

    def _compare(self) -> None:
        at = self._at
        if at is None or self._chosen is None:
            return
        first, last = sorted((at if self._mark is None else self._mark, at))
        work = partial(self._difference, self._chosen, self._steps[first], self._steps[last])
        in_background(self, work, "diff")

    def _show(self, document: Document) -> None:
        view = self.query_one(CodeView)
        view.show_document(document)
        view.border_title = document.name

    def _read(self, chosen: Chosen) -> None:
        steps = steps_of(chosen.kernel.kernel, chosen.kernel.passes)
        self.post_message(PassesRead(chosen, steps))

    def _difference(self, chosen: Chosen, first: Step, last: Step) -> None:
        self.post_message(DiffRead(chosen, change(first, last)))


def _items(steps: Sequence[Step], mark: int | None) -> list[Item]:
    return [Item(str(at), _entry(step, at == mark)) for at, step in enumerate(steps)]


def _entry(step: Step, marked: bool) -> Text:
    dull = "" if step.changed or step.run.failed else "dim"
    sign = "✖" if step.run.failed else "●" if step.changed else "?" if step.changed is None else "·"
    text = Text(no_wrap=True, overflow="ellipsis")
    text.append("▶" if marked else " ", "bold")
    text.append(f"{sign} ", dull)
    text.append(f"{step.run.index:>3} ", "dim")
    text.append(f"{'  ' if step.run.within else ''}{step.name}", dull or "bold")
    return text
