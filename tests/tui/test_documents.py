"""Texts as the panes show them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gluon_inspect.listings.assembly import Columns, assembly_document, listing, stages_of
from gluon_inspect.listings.document import shown_lines
from gluon_inspect.listings.ir import Form, ir_text
from gluon_inspect.listings.source import source_document, source_files
from gluon_inspect.model.artifact import CompiledKernel
from gluon_inspect.model.asm import Assembly, Function, Instruction
from gluon_inspect.tui.pass_steps import change, steps_of
from gluon_inspect.tui.rows import Rows
from tests.tui import samples

BLOCKED = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>"
IR = f"""#blocked = {BLOCKED}
#loc1 = loc("a.py":15:1)
#loc2 = loc(callsite(#loc1 at #loc1))
module {{
  tt.func @f(%a: tensor<8xf32, #ttg.slice<{{dim = 0, parent = #blocked}}>> loc("a"(#loc1))) {{
    %0 = "odd (text)"() : () -> tensor<8x8xf32, #blocked> loc("x"(#loc2))
    tt.return loc(#loc)
  }} loc(#loc1)
}} loc(#loc)
#smem = #ttg.shared_memory
"""


def test_short_form_has_no_places_and_layouts_in_gluons_syntax():
    shown = ir_text("ttgir", IR, Form.SHORT)
    assert "loc(" not in "\n".join(shown.document.lines)
    assert shown.document.lines[0] == "#blocked = BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])"
    assert "tensor<8xf32, slice(0,#blocked)>" in shown.document.lines[2]
    assert '"odd (text)"()' in shown.document.lines[3]
    assert shown.document.lines[-1] == "#smem = #ttg.shared_memory"


def test_every_shown_line_knows_its_line_in_the_original():
    shown = ir_text("ttgir", IR, Form.SHORT)
    original = IR.split("\n")
    assert shown.origin == (0, 3, 4, 5, 6, 7, 8, 9)
    assert "tt.func" in original[shown.origin[2]]


def test_spelled_form_expands_aliases():
    shown = ir_text("ttgir", IR, Form.SPELLED).document.lines
    layout = "BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])"
    assert f"tensor<8xf32, SliceLayout(0, {layout})>" in shown[2]
    assert f"tensor<8x8xf32, {layout}>" in shown[3]


def test_raw_form_is_the_text():
    assert "\n".join(ir_text("ttgir", IR, Form.RAW).document.lines) + "\n" == IR


def test_an_attribute_that_never_closes_is_left_alone():
    line = "%0 = tt.load %a : tensor<8xf32, #ttg.blocked<{sizePerThread = [1"
    assert ir_text("ttgir", line, Form.SPELLED).document.lines == (line,)


def test_hostile_characters_are_made_visible():
    assert shown_lines("a\tb\n\x1b[31mred\u202e") == ("a   b", "\\x1b[31mred\\u202e")


def test_sass_shows_offsets_labels_predicates_and_control_codes():
    instructions = (
        Instruction("LDG.E", "LDG", ("R1", "[R2]"), "@!P0", 0, "", control="--:-:0:Y:2"),
        Instruction("EXIT", "EXIT", (), "", 16, "", control="--:-:-:Y:5"),
    )
    assembly = Assembly("sass", (Function("k", instructions, {".L_1": 1}),))
    shown = listing(assembly)
    assert shown.lines == (
        "k:",
        "0000  --:-:0:Y:2        @!P0 LDG.E          R1, [R2]",
        ".L_1:",
        "0010  --:-:-:Y:5        EXIT",
    )
    assert shown.instructions == {1: 0, 3: 1}
    assert (
        listing(assembly, "k", Columns.SCHEDULING).lines[1] == "  --:-:0:Y:2        @!P0 LDG.E          R1, [R2]"
    )
    assert listing(assembly, "k", Columns.BARE).lines[1] == "  @!P0 LDG.E          R1, [R2]"


def test_rows_of_lines_that_wrap_lead_back_to_their_lines():
    lines = ("", "x" * 10, "y" * 11, "z" * 25)
    rows = Rows(lines, 10)
    assert rows.count == 1 + 1 + 2 + 3
    assert [rows.at(row) for row in range(8)] == [(0, 0), (1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2), (4, 0)]
    assert [(rows.row_of(line), rows.last_row_of(line)) for line in range(4)] == [(0, 0), (1, 1), (2, 3), (4, 6)]
    assert Rows(lines).at(3) == (3, 0)
    assert Rows(lines).count == 4


def test_labels_for_the_debugger_are_left_out():
    instructions = (Instruction("s_endpgm", "s_endpgm", (), "", -1, ""),)
    labels = {".Lfunc_begin0": 0, ".Ltmp0": 0, ".LBB0_0": 0}
    assert listing(Assembly("amdgcn", (Function("k", instructions, labels),))).lines[:2] == ("k:", ".LBB0_0:")


def test_listings_of_a_capture_closest_to_the_machine_first():
    kernel = samples.capture().kernels[0]
    assert stages_of(kernel) == ("sass", "ptx")
    ptx = assembly_document(kernel, "ptx")
    assert not any(".loc" in line for line in ptx.lines)
    assert any("st.global" in ptx.lines[line] for line in ptx.chains)


def test_no_assembly_says_why():
    assert "no assembly" in assembly_document(CompiledKernel("k", "cuda:90"), "").empty


def test_a_listing_that_cannot_be_parsed_is_shown_as_it_is():
    kernel = CompiledKernel("k", "cuda:90", stages={"sass": "nothing of the kind"})
    assert assembly_document(kernel, "sass").lines == ("nothing of the kind",)


def test_source_files_begin_with_the_kernels_own():
    report = samples.small()
    assert source_files(report.kernels[0], report.sources) == (samples.FILE,)
    assert "not part of this capture" in source_document("other.py", report.sources).empty


def test_steps_know_what_changed_and_changes_leave_places_out():
    kernel = samples.capture().kernels[0]
    steps = steps_of(kernel)
    assert steps[0].name == "gluon-inline"
    assert steps[0].changed
    assert steps[-1].changed is None
    inlined = change(steps[0], steps[0])
    assert any(line.startswith("-") and "tt.call" in line for line in inlined.lines)
    assert not any("loc(" in line for line in inlined.lines)
    assert "not printed" in change(steps[0], steps[-1]).empty


def test_the_report_and_the_interface_agree_on_the_passes():
    for report in samples.inspected().kernels:
        steps = steps_of(report.kernel, report.passes)
        assert [(step.run.index, step.changed) for step in steps] == [(p.index, p.changed) for p in report.passes]
        assert steps == steps_of(report.kernel)


def test_a_log_of_two_compilations_shows_only_the_kernels_own():
    first, second = samples.capture().kernels
    both = replace(second, dumps={"passes": first.dump + second.dump})
    assert len(steps_of(both)) == len(steps_of(second))
    assert "@two_layouts" in (steps_of(both)[0].run.before or pytest.fail("not printed")).ir


def test_a_pass_that_changed_only_names_says_so():
    steps = steps_of(samples.capture().kernels[0])
    same = next(step for step in steps if step.changed is False)
    assert change(same, same).empty == "nothing but names and places changed"


def test_no_dump_no_passes():
    assert steps_of(CompiledKernel("k", "cuda:90")) == ()
