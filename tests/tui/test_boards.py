"""The boards of layouts and of memory, against the layout itself."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from gluon_inspect import targets
from gluon_inspect.errors import InspectError, LayoutError
from gluon_inspect.ir.text import parse_module
from gluon_inspect.layouts.drawing.subjects import subject
from gluon_inspect.layouts.gluon_syntax import read_layout
from gluon_inspect.layouts.lowering import linear_layout
from gluon_inspect.targets.lds import lds_rule
from gluon_inspect.traffic.shared.transfer import Transfer
from gluon_inspect.tui.bank_board import bank_board
from gluon_inspect.tui.board import Colouring, View
from gluon_inspect.tui.boards import hardware_board, tensor_board
from gluon_inspect.tui.insight import Insight, insight_of, try_layout
from gluon_inspect.tui.values import laid_out
from gluon_inspect.tui.views import drawn
from tests.tui import samples

BLOCKED = "BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])"


def of(layout: str, shape: tuple[int, ...], bits: int = 32):
    return subject(linear_layout(read_layout(layout), shape), bits)


def test_the_read_out_of_a_cell_says_who_holds_its_elements():
    board = tensor_board(of(BLOCKED, (32, 16)), Colouring.WARP)
    assert board.cells[9][2].readout == "elements (9, 8) to (9, 11): warp 1 lane 6 registers 0, 1, 2, 3"
    single = tensor_board(of("BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])", (8, 32)), Colouring.WARP)
    assert single.cells[3][17].readout == "element (3, 17): warp 3 lane 17 register 0"


def test_copies_are_hatched_and_counted():
    board = tensor_board(of("BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])", (8, 16)), Colouring.WARP)
    assert all(cell.hatched for row in board.cells for cell in row)
    assert any("every element is held 2 times" in note for note in board.notes)


def test_what_repeats_is_folded_into_a_note():
    board = tensor_board(of(BLOCKED, (256, 64)), Colouring.WARP)
    assert len(board.rows) == 32
    assert any("+32 rows" in note for note in board.notes)


@pytest.mark.parametrize("shape", [(32, 16), (64, 64), (8, 4)])
def test_the_hardware_view_is_the_layout_itself(shape: tuple[int, int]):
    layout = linear_layout(read_layout(BLOCKED), shape)
    for register in range(min(layout.size("register"), 4)):
        board = hardware_board(subject(layout, 32), register, Colouring.LANE)
        for warp, row in enumerate(board.cells):
            for lane, cell in enumerate(row):
                at = layout.apply(register=register, lane=lane, warp=warp)
                assert cell.label == ",".join(map(str, at))


def test_the_hardware_view_hatches_all_but_one_copy_of_each_element():
    layout = linear_layout(read_layout(BLOCKED), (8, 4))
    cells = [cell for row in hardware_board(subject(layout, 32), 0, Colouring.WARP).cells for cell in row]
    assert set(Counter(cell.label for cell in cells if not cell.hatched).values()) == {1}


def test_colour_by_register_differs_within_a_thread():
    cells = tensor_board(of("BlockedLayout([1, 1], [8, 4], [4, 1], [1, 0])", (32, 16)), Colouring.REGISTER).cells
    assert len({cell.colour for row in cells for cell in row}) == 4


def test_shared_layouts_show_banks():
    board = tensor_board(of("SwizzledSharedLayout(8, 1, 8, [1, 0])", (64, 64), 16), Colouring.WARP)
    assert board.cells[1][1].readout.endswith("bank 0, byte 128")
    lines = hardware_board(of("SwizzledSharedLayout(8, 1, 8, [1, 0])", (64, 64), 16), 0, Colouring.WARP)
    assert lines.rows[:2] == ("line 0", "line 1")


@pytest.fixture(scope="module")
def insights() -> tuple[Insight, ...]:
    return tuple(insight_of(kernel) for kernel in samples.inspected().kernels)


def view(insight: Insight, name: str, which: View, index: int = 0):
    module = parse_module(insight.kernel.kernel.stages["ttgir"])
    operation = next(op for op in module.walk() if op.name == name)
    return drawn(laid_out([operation])[0], operation, insight, which, Colouring.WARP, index)


def test_the_memory_view_counts_the_sectors_that_the_report_counts(insights: tuple[Insight, ...]):
    for name, access in zip(("tt.load", "tt.store"), insights[0].kernel.accesses, strict=True):
        board = view(insights[0], name, View.MEMORY).board
        sectors = {cell.owner for row in board.cells for cell in row}
        assert len(sectors) == access.sectors_per_request


def test_the_memory_view_of_arithmetic_says_why_it_is_empty(insights: tuple[Insight, ...]):
    assert "does not access global memory" in view(insights[0], "tt.splat", View.MEMORY).why


def test_the_memory_view_waits_for_the_background(insights: tuple[Insight, ...]):
    module = parse_module(insights[0].kernel.kernel.stages["ttgir"])
    load = next(op for op in module.walk() if op.name == "tt.load")
    assert "being worked out" in drawn(laid_out([load])[0], load, None, View.MEMORY, Colouring.WARP, 0).why


def test_the_bank_view_shows_no_conflict_where_the_model_counts_none(insights: tuple[Insight, ...]):
    picture = view(insights[1], "ttg.convert_layout", View.BANKS)
    cells = [cell for row in picture.board.cells for cell in row]
    assert not any(cell.owner == "conflict" for cell in cells)
    assert "1 wavefronts where 1 would do" in picture.board.notes[0]


def test_the_bank_view_lights_the_lanes_that_collide():
    lanes = np.arange(32, dtype=np.int64)
    board = bank_board(Transfer("LDS", 32, (lanes % 8 * 4 + lanes // 8 * 128)[None, None, :]), 0)
    assert [cell.label for cell in board.cells[0][:9]] == [*(f"{lane}×4" for lane in range(8)), ""]
    assert board.cells[0][3].readout == "phase 0, bank 3: lanes 3, 11, 19, 27; 4 words: 4 wavefronts"
    assert "4 wavefronts where 1 would do" in board.notes[0]


def test_wide_accesses_are_served_in_phases():
    lanes = np.arange(32, dtype=np.int64)
    board = bank_board(Transfer("LDS", 128, (lanes * 16)[None, None, :]), 0)
    assert board.rows == ("phase 0", "phase 1", "phase 2", "phase 3")
    assert [cell.label for cell in board.cells[1][:5]] == ["8", "8", "8", "8", "9"]


def test_amds_banks_and_lane_groups_are_its_own():
    lanes = np.arange(64, dtype=np.int64)
    for name in ("hip:gfx942", "hip:gfx950"):
        rule = lds_rule(targets.find(name), 128)
        transfer = Transfer("ds_read_b128", 128, (lanes * 16)[None, None, :], rule=rule)
        board = bank_board(transfer, 0)
        assert len(board.columns) == rule.banks
        assert len(board.rows) == len(rule.groups)
        for row, group in zip(board.cells, rule.groups, strict=True):
            met = {int(cell.readout.split("lane")[1].strip("s ").split(";")[0]) for cell in row if cell.label}
            assert met == set(group)
        lit = max(int(cell.label.partition("×")[2] or 1) for row in board.cells for cell in row if cell.label)
        assert lit * len(rule.groups) == int(transfer.cost().wavefronts[0])
        assert f"{rule.banks} banks; lanes served together: 0-3, " in board.notes[-1]


def test_the_bank_view_says_why_there_is_nothing_to_draw(insights: tuple[Insight, ...]):
    assert "moves nothing between" in view(insights[0], "tt.load", View.BANKS).why


def test_what_if_makes_the_store_coalesced_and_the_load_not(insights: tuple[Insight, ...]):
    old = read_layout("BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])")
    trial = try_layout(insights[0], old, "BlockedLayout([1, 1], [32, 1], [1, 4], [0, 1])")
    load, store = zip(trial.before, trial.after, strict=True)
    assert load[0].sectors == store[1].sectors == 8192
    assert load[1].sectors == store[0].sectors == 65536


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("BlockedLayout([1], [32], [4], [0])", "rank 1 does not fit"),
        ("BlockedLayout([1, 1], [1, 32], [8, 1], [1, 0])", "8 warps, the kernel has 4"),
        ("BlockedLayout([1, 1], [1, 64], [4, 1], [1, 0])", "64 lanes, the kernel has 32"),
        ("BlockedLayout([1, 1], [1, 32]", "not a layout in Gluon's syntax"),
    ],
)
def test_what_if_refuses_what_does_not_fit(insights: tuple[Insight, ...], text: str, said: str):
    old = read_layout("BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])")
    with pytest.raises(InspectError, match=said):
        try_layout(insights[0], old, text)


def test_what_if_refuses_a_layout_that_no_access_has(insights: tuple[Insight, ...]):
    with pytest.raises(LayoutError, match="no access"):
        try_layout(insights[0], read_layout("SliceLayout(0, " + BLOCKED + ")"), BLOCKED)
