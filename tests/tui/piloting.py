"""Running the application without a terminal."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from textual.pilot import Pilot

from gluon_inspect.model.report import Report
from gluon_inspect.tui.app import InspectApp
from gluon_inspect.tui.widgets.code_view import CodeView
from gluon_inspect.workflow.request import Request

Sitting = Callable[[InspectApp, Pilot], Awaitable[None]]


def sit(report: Report | None, sitting: Sitting, *, size: tuple[int, int] = (120, 40), dark: bool = True) -> None:
    """Open a report, wait until everything has been read, and do something with it."""
    app = InspectApp(Request(()), report=report, dark=dark)

    async def run() -> None:
        async with app.run_test(size=size) as pilot:
            await settle(app, pilot)
            await sitting(app, pilot)

    asyncio.run(run())


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
