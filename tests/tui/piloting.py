"""Running the application without a terminal."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

from textual.pilot import Pilot
from textual.widget import Widget

from gluon_inspect.listings.ir import Form
from gluon_inspect.model.report import Report
from gluon_inspect.model.request import Request
from gluon_inspect.tui.app import InspectApp
from gluon_inspect.tui.board import Colouring, View
from gluon_inspect.tui.chosen import Searchable
from gluon_inspect.tui.messages import Inspected
from gluon_inspect.tui.widgets.code_view import CodeView
from gluon_inspect.tui.widgets.ir_pane import IrPane
from gluon_inspect.tui.widgets.kernel_pane import KernelPane
from gluon_inspect.tui.widgets.layout_pane import LayoutPane

Sitting = Callable[[InspectApp, Pilot], Awaitable[None]]


def sit(
    report: Report | None,
    sitting: Sitting,
    *,
    size: tuple[int, int] = (100, 36),
    dark: bool = True,
    as_opened: bool = False,
) -> None:
    """Open a report, wait until everything has been read, and do something with it.

    The cursor is put on the kernel's first line, unless it is to stay where it opened: on the worst one.
    """
    app = InspectApp(Request(()), report=report, dark=dark)

    async def run() -> None:
        async with app.run_test(size=size) as pilot:
            await settle(app, pilot)
            if app.main.chosen is not None and not as_opened:
                code(app, "source").go_to(max(app.main.chosen.kernel.kernel.source_line - 1, 0))
                await settle(app, pilot)
            await sitting(app, pilot)

    asyncio.run(run())


class Desk:
    """An application that goes on from one test to the next: starting one takes a second of a processor."""

    def __init__(self, report: Report, size: tuple[int, int]) -> None:
        self.report = report
        self.app = InspectApp(Request(()), report=report)
        self._runner = asyncio.Runner()
        self._running = self.app.run_test(size=size)
        self._pilot: Pilot = self._runner.run(self._running.__aenter__())

    def sit(self, sitting: Sitting) -> None:
        """Do something with the report, at its first kernel and with everything else as at the start."""
        self._runner.run(self._tidied(sitting))

    def close(self) -> None:
        """End the application."""
        self._runner.run(self._running.__aexit__(None, None, None))
        self._runner.close()

    async def _tidied(self, sitting: Sitting) -> None:
        main = self.app.main
        await settle(self.app, self._pilot)
        main.minimize()
        for pane in main.query("*").results(Widget):
            if isinstance(pane, Searchable):
                pane.search("")
        main.query_one(KernelPane).action_clear_filter()
        main.query_one(IrPane).form = Form.SHORT
        layout = main.query_one(LayoutPane)
        layout.view, layout.colouring, layout.step = View.TENSOR, Colouring.WARP, 0
        # Another report than the one shown, though it says the same: every pane begins anew.
        main.chosen = None
        main.post_message(Inspected(replace(self.report)))
        self.app.copy_to_clipboard("")
        main.action_tab("tab-findings")
        main.action_pane("source")
        await settle(self.app, self._pilot)
        kernel = self.report.kernels[0].kernel
        code(self.app, "source").go_to(max(kernel.source_line - 1, 0))
        await settle(self.app, self._pilot)
        await sitting(self.app, self._pilot)


async def settle(app: InspectApp, pilot: Pilot) -> None:
    """Until the background is idle and its messages have been handled."""
    while app.is_running:
        await pilot.pause()
        if all(worker.is_finished for worker in app.workers):
            break
        await app.workers.wait_for_complete()
    await pilot.pause()
    assert not app.is_running or "a bug in gluon-inspect" not in text(app, "problems"), text(app, "problems")


async def press(app: InspectApp, pilot: Pilot, *keys: str) -> None:
    """Press keys one after the other and let everything settle."""
    await pilot.press(*keys)
    await settle(app, pilot)


def code(app: InspectApp, pane: str) -> CodeView:
    return app.main.query_one(f"#{pane}", CodeView)


def text(app: InspectApp, pane: str) -> str:
    return "\n".join(code(app, pane).document.lines)
