"""The background: progress, cancelling, watching, and a first screen that waits for nothing."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from textual.message import Message
from textual.pilot import Pilot
from textual.widgets import Input

from gluon_inspect.errors import CaptureError
from gluon_inspect.listings.document import Document, Language
from gluon_inspect.model.report import Report
from gluon_inspect.model.request import Request, Tell
from gluon_inspect.tui.app import InspectApp
from gluon_inspect.tui.messages import Cancelled, Doing, Failed, Inspected
from gluon_inspect.tui.terminal import own_terminal
from gluon_inspect.tui.widgets.problem_panel import ProblemPanel
from gluon_inspect.tui.widgets.status_bar import StatusBar
from gluon_inspect.tui.work import Inspection, changed, stamps
from gluon_inspect.workflow import inspection
from gluon_inspect.workflow.inspection import Outcome
from tests.tui import samples
from tests.tui.piloting import code, press, settle, sit

FIGURE_SECONDS = 0.06
"""A key press on 5 MB of IR."""


class Recorder:
    """Stands for recording: says what it does until it is let go or stopped."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, result: Report | CaptureError) -> None:
        self.let_go, self.started, self.runs = threading.Event(), threading.Event(), 0
        self._result = result
        monkeypatch.setattr(inspection, "inspect_all", self._inspect)

    def _inspect(self, request: Request, tell: Tell) -> Outcome:
        self.runs += 1
        self.started.set()
        while not self.let_go.wait(0.01):
            tell(f"recording {request.paths[0]}: 3 launches")
        return Outcome([self._result])


def background(sitting, *, watch: bool = False, path: str = str(samples.DATA)) -> None:
    app = InspectApp(Request((path,)), watch=watch)

    async def run() -> None:
        async with app.run_test(size=(120, 40)) as pilot:
            await sitting(app, pilot)

    asyncio.run(run())


async def until(pilot: Pilot, condition) -> None:
    for _ in range(600):
        await pilot.pause(0.02)
        if condition():
            return
    raise AssertionError("it never came")


def test_the_first_screen_is_there_and_alive_while_recording(monkeypatch: pytest.MonkeyPatch):
    recorder = Recorder(monkeypatch, samples.small())

    async def sitting(app: InspectApp, pilot: Pilot) -> None:
        await until(pilot, recorder.started.is_set)
        assert app.main.report is None
        await until(pilot, lambda: "3 launches" in app.main.query_one(StatusBar).doing)
        await pilot.press("question_mark")
        assert len(app.screen_stack) == 2
        await pilot.press("escape")
        recorder.let_go.set()
        await until(pilot, lambda: app.main.report is not None)
        assert app.main.query_one(StatusBar).doing == ""

    background(sitting)


def test_x_cancels_and_capital_r_starts_again(monkeypatch: pytest.MonkeyPatch):
    recorder = Recorder(monkeypatch, samples.small())

    async def sitting(app: InspectApp, pilot: Pilot) -> None:
        await until(pilot, recorder.started.is_set)
        await pilot.press("x")
        await until(pilot, lambda: app.main.query_one(StatusBar).doing == "")
        assert app.main.report is None
        recorder.let_go.set()
        await pilot.press("R")
        await until(pilot, lambda: app.main.report is not None)
        assert recorder.runs == 2

    background(sitting)


def test_leaving_stops_the_background(monkeypatch: pytest.MonkeyPatch):
    recorder = Recorder(monkeypatch, samples.small())

    async def sitting(_: InspectApp, pilot: Pilot) -> None:
        await until(pilot, recorder.started.is_set)
        await pilot.press("q")

    background(sitting)  # would never return: what records is not let go
    assert not recorder.let_go.is_set()


def test_a_failure_is_told_in_the_panel(monkeypatch: pytest.MonkeyPatch):
    recorder = Recorder(monkeypatch, CaptureError("it launched no kernel"))
    recorder.let_go.set()

    async def sitting(app: InspectApp, pilot: Pilot) -> None:
        await until(pilot, lambda: app.main.query_one(ProblemPanel).is_on_screen)
        assert "it launched no kernel" in "\n".join(code(app, "problems").document.lines)

    background(sitting)


@pytest.mark.parametrize("fails", [False, True])
def test_ctrl_r_compiles_the_layout_and_shows_before_and_after(monkeypatch: pytest.MonkeyPatch, fails: bool):
    asked: list[object] = []

    def inspect_substituted(request: Request, target: str, changes: object, tell: Tell) -> Report:
        asked.extend((target, changes))
        assert request.paths == (str(samples.DATA),)
        tell("compiling")
        if fails:
            raise CaptureError("it does not compile")
        return samples.inspected()

    monkeypatch.setattr(inspection, "inspect_substituted", inspect_substituted)

    async def sitting(app: InspectApp, pilot: Pilot) -> None:
        await until(pilot, lambda: app.main.report is not None)
        await settle(app, pilot)
        await press(app, pilot, *("down",) * (samples.STORE_LINE - 16), "w")
        app.main.query_one("#expression", Input).value = "gl.BlockedLayout([1,4],[8,4],[4,1],[1,0])"
        await press(app, pilot, "ctrl+r")
        old, new = "BlockedLayout(size_per_thread=[1, 1]", "BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])"
        (change,) = asked[1]
        assert (asked[0], change[:2], change[3]) == ("cuda:90", ("one_layout", "layout"), new)
        assert change[2].startswith(old)
        shown = "\n".join(code(app, "trial").document.lines)
        assert ("it does not compile" if fails else "compiled and inspected again") in shown
        assert app.main.query_one(StatusBar).doing == ""

    background(sitting)


def test_watch_inspects_again_when_the_file_is_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    recorder = Recorder(monkeypatch, samples.small())
    recorder.let_go.set()
    script = tmp_path / "kernels.py"
    script.write_text("one")

    async def sitting(app: InspectApp, pilot: Pilot) -> None:
        await until(pilot, lambda: app.main.report is not None)
        script.write_text("another")
        await until(pilot, lambda: recorder.runs == 2)
        await settle(app, pilot)

    background(sitting, watch=True, path=str(script))


def test_stamps_tell_writes_apart(tmp_path: Path):
    file = tmp_path / "a.py"
    file.write_text("one")
    before = stamps([str(file), str(tmp_path / "missing.py")])
    assert changed(before, stamps(before)) == ""
    file.write_text("another")
    assert changed(before, stamps(before)) == str(file)


def test_an_inspection_posts_what_comes_of_it():
    posted: list[Message] = []
    Inspection(Request((str(samples.DATA),)), posted.append).run()
    assert isinstance(posted[0], Doing)
    assert isinstance(posted[-1], Inspected)
    posted.clear()
    Inspection(Request(("/no/such/file.ttgir",)), posted.append).run()
    assert isinstance(posted[-1], Failed)
    posted.clear()
    stopped = Inspection(Request((str(samples.DATA),)), posted.append)
    stopped.stop()
    stopped.run()
    assert [type(message) for message in posted] == [Cancelled]


def test_what_is_printed_meanwhile_never_reaches_the_terminal(capfd: pytest.CaptureFixture[str]):
    with own_terminal() as printed:
        os.write(2, b"from below\n")
        subprocess.run([sys.executable, "-c", "import sys; sys.stderr.write('from a child\\n')"], check=True)
        assert sys.__stderr__ is not None
        sys.__stderr__.write("the screen")
        sys.__stderr__.flush()
        assert printed() == "from below\nfrom a child\n"
    assert capfd.readouterr().err == "the screen"
    os.write(2, b"back again")
    assert capfd.readouterr().err == "back again"


def test_the_first_screen_loads_nothing_heavy():
    heavy = ("numpy", "lark", "networkx", "triton", "torch", "pygments", "gluon_inspect.pipeline")
    program = f"import sys, gluon_inspect.tui.app; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


def test_a_key_on_five_megabytes_takes_no_longer_than_the_figure():
    line = "%value_{} = arith.addf %value, %other : tensor<64x64xf32, #blocked>"
    lines = tuple(line.format(n) for n in range(75_000))
    assert sum(map(len, lines)) > 5_000_000

    async def sitting(app: InspectApp, pilot: Pilot) -> None:
        pane = code(app, "ir")
        pane.show_document(Document("big", Language.MLIR, lines))
        await press(app, pilot, "2")
        costs: list[float] = []
        for key in ("pagedown", "down", "end", "up", "home") * 4:
            start = time.process_time()
            await pilot.press(key)
            costs.append(time.process_time() - start)
        # The processor's time, halfway: other programs on this machine are not what is measured.
        assert sorted(costs)[len(costs) // 2] < FIGURE_SECONDS

    sit(samples.small(), sitting, size=(200, 60))


def test_the_report_stands_before_its_measurement(monkeypatch: pytest.MonkeyPatch):
    report = samples.small()
    timed = replace(report, notes=("measured",))
    asked, posted = Request((str(samples.DATA),), measure=True), []
    monkeypatch.setattr(
        inspection, "inspect_all", lambda request, _: Outcome([report] if not request.measure else [])
    )
    monkeypatch.setattr(inspection, "measure_all", lambda *_: Outcome([timed]))
    Inspection(asked, posted.append).run()
    found = [message for message in posted if isinstance(message, Inspected)]
    assert [(message.report, message.more) for message in found] == [(report, True), (timed, False)]
    busy = next(message for message in posted if isinstance(message, Doing))
    assert busy.text == "measuring"


def test_measuring_that_is_cancelled_leaves_the_report(monkeypatch: pytest.MonkeyPatch):
    report = samples.small()
    monkeypatch.setattr(inspection, "inspect_all", lambda *_: Outcome([report]))
    posted = []
    job = Inspection(Request((str(samples.DATA),), measure=True), posted.append)

    def stopping(outcome: Outcome, _: Request, tell: Tell) -> Outcome:
        job.stop()
        tell("timing f")
        return outcome

    monkeypatch.setattr(inspection, "measure_all", stopping)
    job.run()
    assert [type(message) for message in posted] == [Doing, Inspected, Cancelled]


def test_opening_takes_what_an_earlier_run_left_and_inspecting_again_does_not(monkeypatch: pytest.MonkeyPatch):
    asked: list[bool] = []

    def inspect_all(request: Request, _: Tell) -> Outcome:
        asked.append(request.cache)
        return Outcome([samples.bare()])

    monkeypatch.setattr(inspection, "inspect_all", inspect_all)
    app = InspectApp(Request((str(samples.DATA),), cache=True))

    async def run() -> None:
        async with app.run_test(size=(100, 30)) as pilot:
            await until(pilot, lambda: app.main.report is not None)
            await settle(app, pilot)
            await press(app, pilot, "R")

    asyncio.run(run())
    assert asked == [True, False]
