"""The lower half: one tab a subject."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widget import Widget
from textual.widgets import TabbedContent, TabPane

from gluon_inspect.tui.chosen import Chosen
from gluon_inspect.tui.widgets.access_pane import AccessPane
from gluon_inspect.tui.widgets.findings_pane import FindingsPane
from gluon_inspect.tui.widgets.layout_pane import LayoutPane
from gluon_inspect.tui.widgets.measured_pane import MeasuredPane
from gluon_inspect.tui.widgets.output_pane import OutputPane
from gluon_inspect.tui.widgets.resource_pane import ResourcePane

TABS = {
    "tab-findings": "Findings",
    "tab-accesses": "Accesses",
    "tab-layout": "Layout",
    "tab-resources": "Registers",
    "tab-measured": "Measured",
    "tab-output": "Output",
}


class Details(Vertical):
    """Findings, accesses, layout, passes, registers, measurement, output."""

    ALLOW_MAXIMIZE = True

    def __init__(self) -> None:
        super().__init__(id="details")

    def compose(self) -> ComposeResult:
        """Tabs around the panes."""
        panes = (
            FindingsPane(),
            AccessPane(),
            LayoutPane(),
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
            first.focus()

    def show_kernel(self, chosen: Chosen) -> None:
        """Counts beside the titles."""
        findings, accesses = len(chosen.kernel.findings), len(chosen.kernel.accesses)
        content = self.query_one(TabbedContent)
        for tab, count in (("tab-findings", findings), ("tab-accesses", accesses)):
            content.get_tab(tab).label = f"{TABS[tab]} {count}" if count else TABS[tab]
