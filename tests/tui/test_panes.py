"""What the panes show, at every size."""

from __future__ import annotations

from dataclasses import replace

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from gluon_inspect.errors import CaptureError, Position
from gluon_inspect.ir.text import parse_module
from gluon_inspect.listings.assembly import assembly_document
from gluon_inspect.listings.heat import heated_assembly, heated_ir, heated_source
from gluon_inspect.listings.ir import Form, ir_text, located
from gluon_inspect.listings.links import LinkIndex, pick
from gluon_inspect.listings.source import source_document
from gluon_inspect.model.artifact import ScriptError
from gluon_inspect.model.location import Location
from gluon_inspect.model.report import KernelReport, Report
from gluon_inspect.tui import insight
from gluon_inspect.tui.app import InspectApp
from gluon_inspect.tui.messages import Failed, Inspected
from gluon_inspect.tui.widgets.details import Details
from gluon_inspect.tui.widgets.grid import Grid
from gluon_inspect.tui.widgets.kernel_pane import KernelPane
from gluon_inspect.tui.widgets.listing import Listing
from gluon_inspect.tui.widgets.problem_panel import ProblemPanel
from gluon_inspect.tui.widgets.source_pane import SourcePane
from tests.tui import samples
from tests.tui.piloting import Desk, code, press, settle, sit, text

PANES = ("source", "ir", "assembly")


@pytest.mark.parametrize(
    ("size", "kernels", "shown"),
    [((80, 24), False, 1), ((120, 40), True, 2), ((200, 60), True, 3)],
)
def test_as_many_panes_as_there_is_room_for(size: tuple[int, int], kernels: bool, shown: int):
    async def sitting(app: InspectApp, _: Pilot) -> None:
        assert app.main.query_one(KernelPane).is_on_screen is kernels
        assert sum(code(app, pane).is_on_screen for pane in PANES) == shown

    sit(samples.small(), sitting, size=size)


def test_in_a_small_terminal_the_kernels_come_when_called_and_go_when_left(narrow: Desk):
    async def sitting(app: InspectApp, pilot: Pilot) -> None:
        await press(app, pilot, "4")
        assert app.main.query_one(KernelPane).is_on_screen
        await press(app, pilot, "down", "3")
        assert app.main.chosen is not None
        assert app.main.chosen.index == 1
        assert not app.main.query_one(KernelPane).is_on_screen
        assert code(app, "assembly").is_on_screen

    narrow.sit(sitting)


def test_the_gutter_marks_lines_by_severity_and_sectors():
    async def sitting(app: InspectApp, _: Pilot) -> None:
        source = code(app, "source")
        rows = ["".join(segment.text for segment in source.render_line(y)) for y in range(source.size.height)]
        store = next(row for row in rows if "gl.store(" in row)
        load = next(row for row in rows if "gl.load(" in row)
        assert store.startswith("✖")
        assert " 32/4 " in store
        assert load.split()[1] == "4"

    sit(samples.small(), sitting, size=(100, 46))


def test_moving_in_the_source_lights_ir_and_assembly(wide: Desk):
    async def sitting(app: InspectApp, pilot: Pilot) -> None:
        await press(app, pilot, *("down",) * (samples.STORE_LINE - 16))
        ir, sass = code(app, "ir"), code(app, "assembly")
        assert any("tt.store" in ir.document.lines[line] for line in ir.lit.strong)
        assert any("STG.E" in sass.document.lines[line] for line in sass.lit.strong)
        assert not any("LDG.E" in sass.document.lines[line] for line in sass.lit.all)
        assert "linked" in str(sass.border_subtitle)

    wide.sit(sitting)


def test_moving_in_the_assembly_lights_the_source_through_an_inlined_helper(wide: Desk):
    async def sitting(app: InspectApp, pilot: Pilot) -> None:
        await press(app, pilot, "2", "slash", *"tt.br", "enter")
        source = code(app, "source")
        assert source.lit.strong == {samples.HELPER_LINE - 1}
        assert source.lit.weak == {samples.LOAD_LINE - 1}

    wide.sit(sitting)


def test_lit_lines_are_brought_into_view():
    async def sitting(app: InspectApp, pilot: Pilot) -> None:
        await press(app, pilot, *("down",) * (samples.STORE_LINE - 16))
        sass = code(app, "assembly")
        top = sass.scroll_offset.y
        assert any(top <= line < top + sass.size.height for line in sass.lit.strong)

    sit(samples.small(), sitting, size=(200, 24))


def test_the_filter_narrows_the_list_as_one_types():
    async def sitting(app: InspectApp, pilot: Pilot) -> None:
        await press(app, pilot, "4", "4", *"l_1")
        assert app.main.query_one("#kernel-list", Listing).option_count == 10
        assert app.main.query_one(KernelPane).border_subtitle == "10 of 61, by loss"
        await press(app, pilot, "enter", "down")
        assert app.main.chosen is not None
        assert app.main.chosen.kernel.name == "kernel_11"

    sit(samples.many(), sitting)


def test_a_finding_explains_itself_and_jumps(desk: Desk):
    async def sitting(app: InspectApp, pilot: Pilot) -> None:
        await press(app, pilot, "f")
        assert "What to do" in text(app, "finding")
        assert "65,536" in text(app, "finding")
        await press(app, pilot, "down")
        assert code(app, "source").cursor == 15
        await press(app, pilot, "up", "enter")
        assert app.focused is code(app, "source")
        assert code(app, "source").cursor == samples.STORE_LINE - 1

    desk.sit(sitting)


def test_the_pipelines_findings_show_where_the_lanes_meet_memory(judged: Desk):
    async def sitting(app: InspectApp, _: Pilot) -> None:
        assert "Where the lanes meet memory" in text(app, "finding")

    judged.sit(sitting)


def test_what_if_shows_before_and_after(judged: Desk):
    async def sitting(app: InspectApp, pilot: Pilot) -> None:
        await press(app, pilot, *("down",) * (samples.STORE_LINE - 16), "w")
        field = app.main.query_one("#expression", Input)
        assert field.value == "BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])"
        field.value = "BlockedLayout([1, 1], [32, 1], [1, 4], [0, 1])"
        await press(app, pilot, "enter")
        assert "65,536 → 8,192" in text(app, "trial")
        field.value = "BlockedLayout([1, 1]"
        await press(app, pilot, "enter")
        assert "not a layout in Gluon's syntax" in text(app, "trial")
        await press(app, pilot, "ctrl+r")
        assert "not a layout in Gluon's syntax" in text(app, "trial")

    judged.sit(sitting)


def test_proposals_are_listed_and_can_be_taken(judged: Desk):
    async def sitting(app: InspectApp, pilot: Pilot) -> None:
        await press(app, pilot, "w", "escape", "j", "k")
        proposals = app.main.query_one("#proposals", Listing)
        assert proposals.option_count >= 1
        await press(app, pilot, "G", "enter", "enter")
        assert "→ 8,192" in text(app, "trial")

    judged.sit(sitting)


def test_compiling_needs_a_script(desk: Desk):
    async def sitting(app: InspectApp, pilot: Pilot) -> None:
        await press(app, pilot, "right_square_bracket", *("down",) * 5, "w", "ctrl+r")
        assert text(app, "trial")

    desk.sit(sitting)


def test_tables_are_shown_generically_and_rows_lead_to_lines(desk: Desk):
    async def sitting(app: InspectApp, pilot: Pilot) -> None:
        await press(app, pilot, "r", "j")
        assert app.main.query_one("#table", Grid).row_count == 2
        await press(app, pilot, "enter", "down")
        assert code(app, "source").cursor == samples.STORE_LINE - 1
        await press(app, pilot, "enter")
        assert app.focused is code(app, "source")

    desk.sit(sitting)


def test_a_kernel_of_which_nothing_is_known_says_so_everywhere():
    async def sitting(app: InspectApp, pilot: Pilot) -> None:
        assert "no Python source" in code(app, "source").document.empty
        assert "no IR" in code(app, "ir").document.empty
        assert "no assembly" in code(app, "assembly").document.empty
        assert "no pass dump" in code(app, "diff").document.empty
        assert "no TTGIR" in text(app, "finding")
        assert "Not measured" in text(app, "measured")
        await press(app, pilot, "l", "v", "v", "v", "w", "enter", "p", "space", "enter", "r", "enter")

    sit(samples.bare(), sitting)


def test_a_measurement_stands_beside_the_prediction():
    async def sitting(app: InspectApp, _: Pilot) -> None:
        shown = text(app, "measured")
        assert "NVIDIA H200" in shown
        assert "73,728" in shown

    sit(samples.measured(), sitting)


def test_the_roofline_follows_the_width_of_its_pane():
    async def sitting(app: InspectApp, pilot: Pilot) -> None:
        await press(app, pilot, "m")
        pane = code(app, "measured")
        for columns in (110, 80):
            await pilot.resize_terminal(columns, 40)
            await settle(app, pilot)
            axis = next(line for line in pane.document.lines if "└" in line)
            assert len(axis) == min(pane.wrap_width(), 100)

    sit(samples.inspected(), sitting)


def test_enter_on_a_pass_shows_its_ir_with_links(desk: Desk):
    async def sitting(app: InspectApp, pilot: Pilot) -> None:
        await press(app, pilot, "p", "enter")
        assert app.focused is code(app, "ir")
        assert code(app, "ir").border_title == "IR  after gluon-inline"
        assert code(app, "ir").document.chains

    desk.sit(sitting)


def test_an_error_stands_in_its_panel_and_can_be_put_away():
    async def sitting(app: InspectApp, pilot: Pilot) -> None:
        error = CaptureError(
            "no such thing", position=Position("kernels.py", 3), hint="do this", excerpt="  import torch\n  ^"
        )
        app.main.post_message(Failed(error))
        await pilot.pause()
        panel = app.main.query_one(ProblemPanel)
        assert panel.is_on_screen
        assert text(app, "problems").split("\n") == [
            "kernels.py:3: no such thing",
            "  import torch",
            "  ^",
            "hint: do this",
        ]
        await press(app, pilot, "escape")
        assert not panel.is_on_screen

    sit(samples.small(), sitting)


def test_a_script_that_raised_keeps_what_was_recorded():
    async def sitting(app: InspectApp, pilot: Pilot) -> None:
        before = samples.small()
        error = ScriptError("ValueError: no", "kernels.py", 7, "Traceback\n  …")
        app.main.post_message(Inspected(Report(before.kernels, before.origin, before.sources, error=error)))
        await pilot.pause()
        assert "kernels.py:7: the script raised ValueError: no" in text(app, "problems")
        assert app.main.query_one("#kernel-list", Listing).option_count == 2

    sit(samples.small(), sitting)


def test_the_chosen_kernel_stays_when_a_report_comes_again():
    async def sitting(app: InspectApp, pilot: Pilot) -> None:
        await press(app, pilot, "right_square_bracket")
        app.main.post_message(Inspected(samples.small()))
        await pilot.pause()
        assert app.main.chosen is not None
        assert app.main.chosen.index == 1

    sit(samples.small(), sitting)


def test_a_place_that_is_not_at_hand_is_no_jump(desk: Desk):
    async def sitting(app: InspectApp, _: Pilot) -> None:
        assert not app.main.query_one(SourcePane).jump(Location("elsewhere.py", 3))
        assert app.main.query_one(SourcePane).jump(
            Location("elsewhere.py", 3, callers=(Location(samples.FILE, 7),))
        )
        assert code(app, "source").cursor == 6

    desk.sit(sitting)


def test_a_bug_in_the_background_is_told_and_the_sitting_goes_on(monkeypatch: pytest.MonkeyPatch):
    def broken(kernel: KernelReport) -> insight.Insight:
        raise ZeroDivisionError(f"on purpose, in {kernel.name}")

    async def sitting(app: InspectApp, pilot: Pilot) -> None:
        monkeypatch.setattr(insight, "insight_of", broken)
        await pilot.press("right_square_bracket")
        for _ in range(600):
            await pilot.pause(0.02)
            if shown := text(app, "problems"):
                break
        assert "a bug in gluon-inspect, in the background: ZeroDivisionError: on purpose, in two_layouts" in shown
        assert "insight_of(chosen.kernel)" in shown
        assert "worker.py" not in shown
        await pilot.press("2")
        assert app.focused is code(app, "ir")
        app.main.query_one(ProblemPanel).clear()

    sit(samples.small(), sitting)


def test_why_a_pane_is_empty_is_told_to_the_end():
    async def sitting(app: InspectApp, pilot: Pilot) -> None:
        await press(app, pilot, "p")
        pane = code(app, "diff")
        rows = ["".join(segment.text for segment in pane.render_line(y)).strip() for y in range(pane.size.height)]
        assert " ".join(filter(None, rows)) == pane.document.empty

    sit(samples.bare(), sitting, size=(80, 24))


def test_in_a_small_terminal_the_half_with_the_focus_gets_the_rows(narrow: Desk):
    async def sitting(app: InspectApp, pilot: Pilot) -> None:
        heights: list[int] = []
        for key in ("1", "l"):
            await press(app, pilot, key)
            heights.append(app.main.query_one(Details).size.height)
        assert heights[1] > heights[0]

    narrow.sit(sitting)


def test_it_opens_on_the_worst_line_of_the_worst_kernel_with_its_finding():
    async def sitting(app: InspectApp, _: Pilot) -> None:
        assert app.main.chosen is not None
        assert app.main.chosen.index == 1
        assert code(app, "source").cursor == samples.STORE_LINE - 1
        assert "finding number 0" in text(app, "finding")

    both = samples.small()
    sit(replace(both, kernels=both.kernels[::-1]), sitting, as_opened=True)


def test_the_assembly_says_where_the_time_goes_and_the_ir_takes_its_shares():
    kernel = samples.inspected().kernels[0]
    lines = {each.index: each for each in kernel.cost.standing}
    assembly = heated_assembly(assembly_document(kernel.kernel, "sass"), kernel.cost)
    assert {assembly.instructions[line] for line in assembly.heat} == set(lines)
    assert sum(each.share for each in assembly.heat.values()) == pytest.approx(1.0, abs=0.05)
    text = kernel.kernel.stages["ttgir"]
    ir = heated_ir(located(ir_text("ir", text, Form.SHORT), parse_module(text)).document, assembly)
    placed = sum(heat.share for line, heat in assembly.heat.items() if line in assembly.chains)
    assert sum(each.share for each in ir.heat.values()) == pytest.approx(placed)
    worst = max(ir.heat, key=lambda line: ir.heat[line].share)
    assert ir.ranks[worst] == 3
    source = heated_source(source_document(samples.FILE, samples.capture().sources), kernel.cost)
    assert max(source.heat, key=lambda line: source.heat[line].share) + 1 in (
        samples.LOAD_LINE,
        samples.STORE_LINE,
    )


def test_entering_a_load_lands_on_its_load_instruction():
    kernel = samples.capture().kernels[0]
    assembly = assembly_document(kernel, "sass")
    source = source_document(samples.FILE, samples.capture().sources)
    lit = LinkIndex(assembly).lit(pick(source, samples.LOAD_LINE - 1))
    assert lit.lead is not None
    assert "LDG" in assembly.lines[lit.lead]
