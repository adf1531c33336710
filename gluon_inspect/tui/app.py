"""The application: themes, sizes and the command palette around the main screen."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from textual.app import App, SystemCommand
from textual.screen import Screen

from gluon_inspect.model.report import Report
from gluon_inspect.model.request import Request
from gluon_inspect.tui.main_screen import MainScreen
from gluon_inspect.tui.palette import DARK, LIGHT
from gluon_inspect.tui.widgets.details import TABS


class InspectApp(App[None]):
    """Opens on a request, which the background fulfils, or on a report at hand."""

    CSS_PATH = "app.tcss"
    TITLE = "gluon-inspect"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-medium"), (160, "-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-short"), (36, "-tall")]

    def __init__(
        self,
        request: Request,
        *,
        printed: Callable[[], str] = str,
        watch: bool = False,
        dark: bool = True,
        report: Report | None = None,
    ) -> None:
        super().__init__()
        self.main = MainScreen(request, printed, watch, report)
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        self.theme = DARK.name if dark else LIGHT.name

    def get_default_screen(self) -> Screen[None]:
        """The main screen lies at the bottom of the stack."""
        return self.main

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """Panes, tabs and kernels in the command palette."""
        yield from super().get_system_commands(screen)  # pyright: ignore[reportUnknownMemberType]
        for tab, title in TABS.items():
            yield SystemCommand(title, f"show {title.lower()}", lambda tab=tab: self.main.action_tab(tab))
        yield SystemCommand("Inspect again", "record or read the input again", self.main.action_rerun)
        yield SystemCommand("Light or dark", "the other theme", self.main.action_light_or_dark)
        for index, kernel in enumerate(self.main.report.kernels if self.main.report is not None else ()):
            title = f"Kernel {index + 1}: {kernel.name}"
            yield SystemCommand(title, kernel.kernel.target, lambda at=index: self.main.choose(at))
