"""The main screen: it lays the panes out and passes messages between them; it works nothing out itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, cast

from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Footer, Input
from textual.worker import Worker, WorkerState

from gluon_inspect.model.report import Report
from gluon_inspect.model.request import Request
from gluon_inspect.tui import keys
from gluon_inspect.tui.background import in_background
from gluon_inspect.tui.chosen import Chosen, KernelView, Searchable
from gluon_inspect.tui.kernels import worst_index
from gluon_inspect.tui.messages import (
    CompileAsked,
    Copied,
    Doing,
    Failed,
    Inspected,
    JumpTo,
    KernelChosen,
    OperationsPicked,
    Recompiled,
    ShowIr,
)
from gluon_inspect.tui.palette import DARK, LIGHT, is_dark
from gluon_inspect.tui.widgets.code_panes import CodePanes
from gluon_inspect.tui.widgets.code_view import CodeView
from gluon_inspect.tui.widgets.details import Details
from gluon_inspect.tui.widgets.help_screen import HelpScreen, sections
from gluon_inspect.tui.widgets.ir_pane import IrPane
from gluon_inspect.tui.widgets.kernel_pane import KernelPane
from gluon_inspect.tui.widgets.output_pane import OutputPane
from gluon_inspect.tui.widgets.problem_panel import ProblemPanel
from gluon_inspect.tui.widgets.search_bar import SearchBar
from gluon_inspect.tui.widgets.status_bar import StatusBar
from gluon_inspect.tui.widgets.what_if_pane import WhatIfPane
from gluon_inspect.tui.work import Inspection, Job, Recompilation, Stamps, changed, stamps

_WATCH_SECONDS = 0.5
_SLOW_SECONDS = 1.0


class MainScreen(Screen[None]):
    """One report, one chosen kernel, everything linked."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.PANES, *keys.MOVES, *keys.GENERAL]

    def __init__(self, request: Request, printed: Callable[[], str], watch: bool, report: Report | None) -> None:
        super().__init__()
        self._request, self._printed, self._watching = request, printed, watch
        self._stamps: Stamps = stamps(request.paths)
        self._job: Job | None = None
        self.report: Report | None = report
        self.chosen: Chosen | None = None

    def compose(self) -> ComposeResult:
        """Status above, kernels on the left, code above details, keys below."""
        yield StatusBar(", ".join(Path(path).name for path in self._request.paths))
        with Horizontal(id="main"):
            yield KernelPane()
            with Vertical(id="work"):
                yield CodePanes()
                yield Details()
        yield ProblemPanel()
        yield SearchBar()
        yield Footer()

    def on_mount(self) -> None:
        """Show the report at hand, or get one; the first screen does not wait for it."""
        self.set_focus(self.query_one(CodePanes).front("source"))
        if self.report is not None:
            self.post_message(Inspected(self.report))
        else:
            self.call_after_refresh(self._inspect, self._request)
        self.set_interval(_WATCH_SECONDS if self._watching else _SLOW_SECONDS, self._look_around)

    def on_doing(self, message: Doing) -> None:
        """Progress."""
        self.query_one(StatusBar).doing = message.text

    def on_inspected(self, message: Inspected) -> None:
        """A report has come: keep the kernel that was chosen where it is still there."""
        before = self.chosen
        if not message.more:
            self._finish()
        self.report = message.report
        self._stamps = stamps((*self._request.paths, *self.report.sources))
        self.query_one(KernelPane).show_report(self.report)
        panel = self.query_one(ProblemPanel)
        panel.clear()
        if message.failures:
            panel.show_errors(message.failures)
        elif self.report.error is not None:
            panel.show_script_error(self.report.error)
        if self.report.kernels:
            self.choose(before.again_in(self.report) if before is not None else worst_index(self.report))

    def on_failed(self, message: Failed) -> None:
        """No report: the error in its panel, what was there before stays."""
        self._finish()
        self.query_one(ProblemPanel).show_errors([message.error])

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A bug in what the background did is told, and what stands on the screen stays usable."""
        worker = cast("Worker[object]", event.worker)  # pyright: ignore[reportUnknownMemberType]
        if event.state is not WorkerState.ERROR or worker.error is None:
            return
        if worker.group == "job":
            self._finish()
        self.query_one(ProblemPanel).show_bug(worker.error)

    def on_cancelled(self) -> None:
        """The background has stopped."""
        self._finish()
        self.notify("cancelled; R inspects again")

    def on_kernel_chosen(self, message: KernelChosen) -> None:
        """Another kernel in every pane."""
        if self.report is not None and self.chosen != Chosen(self.report, message.index):
            self.choose(message.index)

    def on_operations_picked(self, message: OperationsPicked) -> None:
        """Draw the layouts of the picked line."""
        self.query_one(Details).show_operations(message.operations)

    def on_show_ir(self, message: ShowIr) -> None:
        """The IR after a pass."""
        self.query_one(IrPane).show_stage(message.title, message.text)
        self.action_pane("ir")

    def on_compile_asked(self, message: CompileAsked) -> None:
        """Compile a kernel with another layout, unless the background is busy."""
        if self._job is None:
            job = (self._request, self.post_message)
            before, parameter, layout = message.kernel, message.parameter, message.layout
            self._start(Recompilation(*job, before=before, parameter=parameter, layout=layout))

    def on_recompiled(self, message: Recompiled) -> None:
        """Before and after."""
        self._finish()
        self.query_one(WhatIfPane).show_recompiled(message)

    def on_jump_to(self, message: JumpTo) -> None:
        """Show a place in the source."""
        if not self.query_one(CodePanes).jump(message.location, message.focus):
            self.notify(f"{message.location} is not part of this capture", severity="warning")

    def on_copied(self, message: Copied) -> None:
        """To the clipboard, through the terminal."""
        self._application.copy_to_clipboard(message.text)
        self.notify(f"copied {message.what}", timeout=2)

    def action_pane(self, pane: str) -> None:
        """Bring a code pane to the front."""
        self._focus(self.query_one(CodePanes).front(pane))

    def action_kernels(self) -> None:
        """Into the list of kernels, also where there is no room for it all the time."""
        self.minimize()
        self.query_one(KernelPane).open()

    def action_tab(self, tab: str) -> None:
        """Bring a tab to the front."""
        zoomed = self.maximized is not None
        self.minimize()
        details = self.query_one(Details)
        details.show_tab(tab)
        if zoomed:
            self.maximize(details)

    def action_zoom(self) -> None:
        """The focused pane fills the screen, or goes back."""
        if self.maximized is not None:
            self.minimize()
        elif self.focused is not None:
            self.maximize(self.focused)

    def action_back_off(self) -> None:
        """What is on top goes: the problem, a maximised pane, the drawer of kernels."""
        panel = self.query_one(ProblemPanel)
        if panel.has_class("-open"):
            panel.clear()
        elif self.maximized is not None:
            self.minimize()
        elif self.query_one(KernelPane).has_class("-open"):
            self._focus(self.query_one(CodePanes).front("source"))

    def action_kernel(self, step: int) -> None:
        """The next or previous kernel that the filter lets through."""
        shown = self.query_one(KernelPane).visible_kernels()
        if self.chosen is not None and shown:
            at = shown.index(self.chosen.index) if self.chosen.index in shown else 0
            self.choose(shown[(at + step) % len(shown)])

    def action_follow(self) -> None:
        """To the lines that are lit."""
        if isinstance(self.focused, CodeView):
            target = self.query_one(CodePanes).follow(self.focused)
            if target is not None:
                self._focus(target)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """A slash typed into a field is a slash."""
        return not (action == "search" and isinstance(self.focused, Input))

    def action_search(self) -> None:
        """Search the focused pane."""
        if isinstance(self.focused, Searchable):
            self.query_one(SearchBar).open(self.focused)

    def action_search_step(self, forward: bool) -> None:
        """The next or previous hit in the focused pane."""
        if isinstance(self.focused, Searchable):
            self.query_one(SearchBar).step(self.focused, forward)

    def action_rerun(self) -> None:
        """Inspect again in the background, whatever an earlier run left."""
        self._inspect(replace(self._request, cache=False))

    def action_cancel(self) -> None:
        """Stop the background."""
        if self._job is not None:
            self._job.stop()
            self.query_one(StatusBar).doing = "stopping"

    def action_leave(self) -> None:
        """End the background first: nothing is left running."""
        if self._job is not None:
            self._job.stop()
        self._application.exit()

    def action_light_or_dark(self) -> None:
        """The other theme; colours inside texts are made anew."""
        self._application.theme = LIGHT.name if is_dark(self) else DARK.name
        if self.report is not None:
            self.query_one(KernelPane).show_report(self.report)
        if self.chosen is not None:
            self.choose(self.chosen.index)

    def action_help(self) -> None:
        """All keys."""
        self._application.push_screen(HelpScreen(sections()))

    def choose(self, index: int) -> None:
        """Show another kernel in every pane."""
        if self.report is None or index >= len(self.report.kernels):
            return
        self.chosen = Chosen(self.report, index)
        for pane in self.query("*").results(Widget):
            if isinstance(pane, KernelView):
                pane.show_kernel(self.chosen)

    @property
    def _application(self) -> App[None]:
        return cast("App[None]", self.app)  # pyright: ignore[reportUnknownMemberType]

    def _inspect(self, request: Request) -> None:
        if self._job is None and request.paths:
            self._start(Inspection(request, self.post_message))

    def _start(self, job: Job) -> None:
        self._job = job
        self.query_one(StatusBar).doing = "starting"
        in_background(self, job.run, "job")

    def _focus(self, widget: Widget) -> None:
        if self.maximized is not None:
            self.maximize(widget)
        self.set_focus(widget)

    def _finish(self) -> None:
        self._job = None
        self.query_one(StatusBar).doing = ""
        self.query_one(OutputPane).show_printed(self._printed())

    def _look_around(self) -> None:
        """What was printed, and with --watch whether a file was written."""
        self.query_one(OutputPane).show_printed(self._printed())
        if self._watching and self._job is None and (file := changed(self._stamps, stamps(self._stamps))):
            self._stamps = stamps(self._stamps)
            self.notify(f"{file} was written: inspecting again")
            self._inspect(self._request)
