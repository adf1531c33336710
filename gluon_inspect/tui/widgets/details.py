"""The lower half: one tab a subject."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widget import Widget
from textual.widgets import TabbedContent, TabPane

from gluon_inspect.model.mlir import Operation
from gluon_inspect.tui.background import in_background
from gluon_inspect.tui.chosen import Chosen
from gluon_inspect.tui.messages import Explained
from gluon_inspect.tui.widgets.access_pane import AccessPane
from gluon_inspect.tui.widgets.findings_pane import FindingsPane
from gluon_inspect.tui.widgets.layout_pane import LayoutPane
from gluon_inspect.tui.widgets.measured_pane import MeasuredPane
from gluon_inspect.tui.widgets.output_pane import OutputPane
from gluon_inspect.tui.widgets.passes_pane import PassesPane
from gluon_inspect.tui.widgets.resource_pane import ResourcePane
from gluon_inspect.tui.widgets.what_if_pane import WhatIfPane

if TYPE_CHECKING:
    from gluon_inspect.tui.insight import Insight

TABS = {
    "tab-findings": "Findings",
    "tab-accesses": "Accesses",
    "tab-layout": "Layout",
    "tab-what-if": "What if",
    "tab-passes": "Passes",
    "tab-resources": "Registers",
    "tab-measured": "Measured",
    "tab-output": "Output",
}


class Details(Vertical):
    """Findings, accesses, layout, passes, registers, measurement, output."""

    ALLOW_MAXIMIZE = True

    def __init__(self) -> None:
        super().__init__(id="details")
        self._chosen: Chosen | None = None

    def compose(self) -> ComposeResult:
        """Tabs around the panes."""
        panes = (
            FindingsPane(),
            AccessPane(),
            LayoutPane(),
            WhatIfPane(),
            PassesPane(),
            ResourcePane(),
            MeasuredPane(),
            OutputPane(),
        )
        with TabbedContent(initial="tab-findings"):
            for (tab, title), pane in zip(TABS.items(), panes, strict=True):
                with TabPane(title, id=tab):
                    yield pane

    def show_tab(self, tab: str) -> None:
        """Bring a tab to the front and move the focus into it."""
        content = self.query_one(TabbedContent)
        content.active = tab
        inside = content.get_pane(tab).query("*").results(Widget)
        first = next((widget for widget in inside if widget.can_focus and widget.display), None)
        if first is not None:
            self.screen.set_focus(first)

    def show_operations(self, operations: Sequence[Operation]) -> None:
        """The layouts of the picked line."""
        layout = self.query_one(LayoutPane)
        layout.show_operations(operations)
        self.query_one(WhatIfPane).show_value(layout.value)

    def on_explained(self, message: Explained) -> None:
        """What the background has worked out of the chosen kernel."""
        message.stop()
        if message.chosen == self._chosen:
            self._show_insight(message.insight)

    def _show_insight(self, insight: Insight | None) -> None:
        self.query_one(FindingsPane).show_insight(insight)
        self.query_one(LayoutPane).show_insight(insight)
        self.query_one(WhatIfPane).show_insight(insight)

    def _explain(self, chosen: Chosen) -> None:
        from gluon_inspect.tui.insight import insight_of

        self.post_message(Explained(chosen, insight_of(chosen.kernel)))

    def show_kernel(self, chosen: Chosen) -> None:
        """Counts beside the titles; the explanation comes from the background."""
        # Later, since tabs that are just being mounted would write their first label over it.
        self.call_after_refresh(self._count, chosen)
        if chosen != self._chosen:
            self._chosen = chosen
            self._show_insight(None)
            in_background(self, partial(self._explain, chosen), "explain")

    def _count(self, chosen: Chosen) -> None:
        findings, accesses = len(chosen.kernel.findings), len(chosen.kernel.accesses)
        content = self.query_one(TabbedContent)
        for tab, count in (("tab-findings", findings), ("tab-accesses", accesses)):
            content.get_tab(tab).label = f"{TABS[tab]} {count}" if count else TABS[tab]
