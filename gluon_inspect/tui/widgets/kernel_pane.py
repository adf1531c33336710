"""The kernels of the report, to filter and to choose from."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input, OptionList

from gluon_inspect.model.artifact import Launch
from gluon_inspect.model.report import KernelReport, Report
from gluon_inspect.tui.chosen import Chosen
from gluon_inspect.tui.marks import SYMBOLS
from gluon_inspect.tui.messages import KernelChosen
from gluon_inspect.tui.palette import is_dark, level_colour
from gluon_inspect.tui.widgets.listing import Item, Listing
from gluon_inspect.wording.characters import visible
from gluon_inspect.wording.numbers import percent
from gluon_inspect.wording.verdict import needed_share, tally, verdict


class KernelPane(Vertical):
    """A filter and a list; each entry says the kernel, its launch and how bad it is."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "clear_filter", "Clear the filter", show=False)]

    def __init__(self) -> None:
        super().__init__(id="kernels")
        self.border_title = "Kernels"
        self._report: Report | None = None

    def compose(self) -> ComposeResult:
        """The filter above the list."""
        yield Input(placeholder="filter", id="filter", compact=True)
        yield Listing(id="kernel-list")

    def show_report(self, report: Report) -> None:
        """Another report; the filter stays."""
        self._report = report
        self._fill()

    def show_kernel(self, chosen: Chosen) -> None:
        """Highlight the kernel that the panes show."""
        self.query_one(Listing).select_key(str(chosen.index))

    def visible_kernels(self) -> tuple[int, ...]:
        """Indices of the kernels that the filter lets through."""
        if self._report is None:
            return ()
        words = self.query_one(Input).value.lower().split()
        texts = [_words(kernel) for kernel in self._report.kernels]
        return tuple(index for index, text in enumerate(texts) if all(word in text for word in words))

    def open(self) -> None:
        """Into the list, shown also where there is no room for it all the time."""
        self.add_class("-open")
        self.screen.set_focus(self.query_one(Listing))

    def on_descendant_blur(self) -> None:
        """Where there is no room it goes when the focus does."""
        self.call_after_refresh(self._close_if_left)

    def _close_if_left(self) -> None:
        if not self.has_focus_within:
            self.remove_class("-open")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter as the user types."""
        event.stop()
        self._fill()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Into the list."""
        event.stop()
        self.screen.set_focus(self.query_one(Listing))

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Moving through the list chooses."""
        event.stop()
        key = self.query_one(Listing).key
        if key is not None:
            self.post_message(KernelChosen(int(key)))

    def action_clear_filter(self) -> None:
        """All kernels again."""
        self.query_one(Input).value = ""
        self.screen.set_focus(self.query_one(Listing))

    def _fill(self) -> None:
        if self._report is None:
            return
        dark = is_dark(self)
        shown = self.visible_kernels()
        items = [Item(str(index), _entry(self._report.kernels[index], dark)) for index in shown]
        self.query_one(Listing).show_items(items)
        total = len(self._report.kernels)
        self.border_subtitle = f"{len(shown)} of {total}" if len(shown) != total else str(total)


def _words(kernel: KernelReport) -> str:
    return f"{kernel.name} {kernel.kernel.target} {grid_text(kernel.launch)} {verdict(kernel).level}".lower()


def _entry(kernel: KernelReport, dark: bool) -> Text:
    level = verdict(kernel).level
    colour = level_colour(level, dark)
    text = Text(no_wrap=True, overflow="ellipsis")
    text.append(f"{SYMBOLS.get(level, '?')} ", colour)
    text.append(visible(kernel.name, 60), "bold")
    text.append(f"\n  {kernel.kernel.target} {grid_text(kernel.launch)}", "dim")
    text.append(f"\n  {_judgement(kernel)}", colour)
    return text


def _judgement(kernel: KernelReport) -> str:
    """The findings in short, else the share of the global traffic that was needed."""
    if kernel.kernel.error:
        return "not compiled"
    share = needed_share(kernel.accesses)
    used = f"{percent(share)} used" if share is not None else ""
    return "  ".join(filter(None, (tally(kernel.findings), used))) or "nothing judged"


def grid_text(launch: Launch) -> str:
    """ "32x64", and how often where it is more than once."""
    if launch.grid is None:
        return ""
    sizes = list(launch.grid)
    while len(sizes) > 1 and sizes[-1] == 1:
        sizes.pop()
    times = f" ×{launch.count}" if launch.count > 1 else ""
    return "x".join(map(str, sizes)) + times
