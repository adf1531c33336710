"""Getting about: clicks, searches, the palette, and what has just been typed."""

from __future__ import annotations

from textual.pilot import Pilot
from textual.widgets import Input, TabbedContent

from gluon_inspect.tui.app import InspectApp
from gluon_inspect.tui.widgets.board_view import BoardView
from gluon_inspect.tui.widgets.grid import Grid
from gluon_inspect.tui.widgets.listing import Listing
from tests.tui import samples
from tests.tui.piloting import Desk, code, press, settle


def test_clicks_move_the_cursor(desk: Desk):
    async def sitting(app: InspectApp, pilot: Pilot) -> None:
        source = code(app, "source")
        await pilot.click(source, offset=(20, 3))
        assert source.cursor == source.scroll_offset.y + 2
        assert app.focused is source

    desk.sit(sitting)


def test_a_click_works_in_every_kind_of_pane(desk: Desk):
    async def sitting(app: InspectApp, pilot: Pilot) -> None:
        tabs = app.main.query_one(TabbedContent)
        await pilot.click("#finding-list", offset=(5, 1))
        assert app.main.query_one("#finding-list", Listing).highlighted == 1
        for tab, pane, spot in (("accesses", "#access-table", (5, 2)), ("passes", "#pass-list", (5, 2))):
            await pilot.click(tabs.get_tab(f"tab-{tab}"))
            await settle(app, pilot)
            assert tabs.active == f"tab-{tab}"
            await pilot.click(pane, offset=spot)
            await settle(app, pilot)
        assert app.main.query_one("#access-table", Grid).cursor_row == 1
        assert app.main.query_one("#pass-list", Listing).highlighted == 2
        code(app, "source").go_to(samples.STORE_LINE - 1)
        await press(app, pilot, "l")
        await pilot.click("#board", offset=(14, 2))
        assert app.main.query_one(BoardView).at == (1, 2)
        await pilot.click("#kernel-list", offset=(5, 4))
        await settle(app, pilot)
        assert app.main.chosen is not None
        assert app.main.chosen.index == 1

    desk.sit(sitting)


def test_the_command_palette_leads_to_a_tab(desk: Desk):
    async def sitting(app: InspectApp, pilot: Pilot) -> None:
        await pilot.press("ctrl+p", *"registers")
        await pilot.pause(0.5)
        await press(app, pilot, "enter", "enter")
        assert app.main.query_one(TabbedContent).active == "tab-resources"

    desk.sit(sitting)


def test_search_marks_and_counts_in_a_list_a_table_and_a_board(desk: Desk):
    async def sitting(app: InspectApp, pilot: Pilot) -> None:
        await press(app, pilot, "f", "slash", *"r 1", "enter")
        assert app.main.query_one("#finding-list", Listing).highlighted == 1
        await press(app, pilot, "a", "slash", *"store", "enter")
        assert app.main.query_one("#access-table", Grid).cursor_row == 1
        code(app, "source").go_to(samples.STORE_LINE - 1)
        await press(app, pilot, "l", "slash", *"17", "enter")
        assert "lane 17" in str(app.main.query_one("#layout-readout").render())

    desk.sit(sitting)


def test_kernels_can_be_reached_through_the_command_palette(desk: Desk):
    async def sitting(app: InspectApp, _: Pilot) -> None:
        titles = {command.title for command in app.get_system_commands(app.screen)}
        assert {"Findings", "Passes", "Kernel 2: two_layouts", "Inspect again"} <= titles

    desk.sit(sitting)


def test_a_pane_that_was_hidden_shows_what_is_lit_when_it_comes(narrow: Desk):
    async def sitting(app: InspectApp, pilot: Pilot) -> None:
        await press(app, pilot, *("down",) * (samples.STORE_LINE - 16), "3")
        sass = code(app, "assembly")
        top = sass.scroll_offset.y
        assert any(top <= line < top + sass.size.height for line in sass.lit.strong)

    narrow.sit(sitting)


def test_what_is_typed_right_after_the_slash_belongs_to_the_search(desk: Desk):
    async def sitting(app: InspectApp, pilot: Pilot) -> None:
        await pilot.press("2", "slash", *"tt.store", "enter", "1")
        await press(app, pilot)
        assert "tt.store" in code(app, "ir").document.lines[code(app, "ir").cursor]
        assert app.focused is code(app, "source")

    desk.sit(sitting)


def test_a_slash_in_a_field_is_a_slash(desk: Desk):
    async def sitting(app: InspectApp, pilot: Pilot) -> None:
        await press(app, pilot, "4", "shift+tab", *"a/b")
        assert app.main.query_one("#filter", Input).value == "a/b"

    desk.sit(sitting)


def test_another_kernel_is_shown_where_it_begins(desk: Desk):
    async def sitting(app: InspectApp, pilot: Pilot) -> None:
        await press(app, pilot, "right_square_bracket")
        assert "def two_layouts" in code(app, "source").document.lines[code(app, "source").cursor]

    desk.sit(sitting)
