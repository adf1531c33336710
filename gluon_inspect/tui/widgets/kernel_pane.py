"""The kernels of the report, to filter and to choose from."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input, OptionList

from gluon_inspect.model.report import Report
from gluon_inspect.tui.chosen import Chosen
from gluon_inspect.tui.kernels import Order, entry, listed, told_apart
from gluon_inspect.tui.messages import KernelChosen
from gluon_inspect.tui.palette import is_dark
from gluon_inspect.tui.widgets.listing import Item, Listing


class KernelPane(Vertical):
    """A filter and a list; each entry says the kernel, its launch, its time and how bad it is."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "next_order", "Sort", tooltip="by loss, slowest first, as recorded"),
        Binding("escape", "clear_filter", "Clear the filter", show=False),
    ]

    def __init__(self) -> None:
        super().__init__(id="kernels")
        self.border_title = "Kernels"
        self.order = Order.WORST
        self._report: Report | None = None

    def compose(self) -> ComposeResult:
        """The filter above the list."""
        yield Input(placeholder="filter: name or rule", id="filter", compact=True)
        yield Listing(id="kernel-list")

    def show_report(self, report: Report) -> None:
        """Another report; the filter stays."""
        self._report = report
        self._fill()

    def show_kernel(self, chosen: Chosen) -> None:
        """Highlight the kernel that the panes show."""
        self.query_one(Listing).select_key(str(chosen.index))

    def visible_kernels(self) -> tuple[int, ...]:
        """Indices of the kernels that the filter lets through, as sorted."""
        if self._report is None:
            return ()
        return listed(self._report, self.query_one(Input).value, self.order)

    def open(self) -> None:
        """Into the list, shown also where there is no room for it all the time; from the list into the filter."""
        self.add_class("-open")
        listing = self.query_one(Listing)
        self.screen.set_focus(self.query_one(Input) if listing.has_focus else listing)

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

    def action_next_order(self) -> None:
        """By loss, by time, as recorded."""
        orders = tuple(Order)
        self.order = orders[(orders.index(self.order) + 1) % len(orders)]
        self._fill()

    def action_clear_filter(self) -> None:
        """All kernels again."""
        self.query_one(Input).value = ""
        self.screen.set_focus(self.query_one(Listing))

    def _fill(self) -> None:
        if self._report is None:
            return
        dark = is_dark(self)
        shown = self.visible_kernels()
        kernels = self._report.kernels
        differs = told_apart(kernels)
        items = [Item(str(index), entry(kernels[index], dark, differs[index])) for index in shown]
        self.query_one(Listing).show_items(items)
        total = len(self._report.kernels)
        count = f"{len(shown)} of {total}" if len(shown) != total else str(total)
        self.border_subtitle = f"{count}, {self.order.value}"
