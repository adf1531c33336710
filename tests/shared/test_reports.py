"""Cases that people reported, each as a small kernel, and what is right to say of it."""

from dataclasses import replace

import pytest

from gluon_inspect.layouts.gluon_syntax import read_layout
from gluon_inspect.model.artifact import Launch
from gluon_inspect.model.finding import Severity
from gluon_inspect.pipeline import inspect
from tests.shared.kernels import ARGUMENTS, author_line, capture_of, findings, report_of, shared, text_of


def test_a_transposed_copy_of_halves_conflicts_when_it_loads():
    store, load = shared("transposed_half")
    assert (store.wavefronts, store.wavefronts_ideal) == (64, 64)
    assert (load.vector_bits, load.wavefronts, load.wavefronts_ideal) == (16, 1024, 128)
    (found,) = findings("transposed_half", "GI201")
    assert found.evidence["degree"] == 8
    assert "tile.load(columns)" in author_line(found.location)


def test_the_suggested_layout_is_as_good_as_it_says():
    (found,) = findings("transposed_half", "GI201")
    layout = read_layout(found.evidence["suggestion"])
    assert "256 wavefronts a program for all uses instead of 1088" in found.help
    plain = "vec = 1, perPhase = 1, maxPhase = 1"
    text = text_of("transposed_half")
    assert plain in text
    better = f"vec = {layout.vec}, perPhase = {layout.per_phase}, maxPhase = {layout.max_phase}"
    report = inspect(capture_of("transposed_half", text.replace(plain, better))).kernels[0]
    assert sum(a.wavefronts for a in report.accesses if a.space.value == "shared") == 256


def test_a_small_dot_of_doubles_conflicts_in_its_operand_not_in_the_conversion():
    blamed = [finding for finding in findings("small_dot", "GI201")]
    assert [finding.message.split(": ")[1].split(" ")[0] for finding in blamed] == ["ttg.local_load"]
    for access in shared("small_dot"):
        if access.op == "ttg.convert_layout":
            assert access.wavefronts == access.wavefronts_ideal
    assert not findings("small_dot", "GI204")  # no layout offers ldmatrix to 64 bits


def test_a_conversion_before_a_column_sum_pays_where_the_sum_is_carried_in_its_layout():
    conversion = report_of("column_sums").conversions[0]
    assert conversion.pays is True
    assert conversion.loop_depth == 1
    assert conversion.executions == 72
    assert "a load" in conversion.why
    assert "in the target's layout" in conversion.why
    assert not findings("column_sums", "GI401")


def test_where_the_sum_could_follow_the_load_only_that_direction_is_proposed():
    (found,) = findings("column_sum", "GI401")
    assert "no slower in the source's layout" in found.message
    assert "in the target's layout they would take 9.9 times as long" in found.message
    assert found.help == "BlockedLayout([1, 4], [1, 32], [4, 1], [1, 0]) for both ends"


def test_an_ordered_column_sum_pays_for_its_conversion():
    """The report's sum keeps the order of its additions; it ran 2.9 times slower without the conversion."""
    text = text_of("tall_sum")
    assert "<{axis = 0 : i32}>" in text
    ordered = text.replace("<{axis = 0 : i32}>", '<{axis = 0 : i32, reduction_ordering = "inner_tree"}>')
    report = inspect(capture_of("tall_sum", ordered)).kernels[0]
    assert report.conversions[0].pays is True
    assert "GI401" not in {finding.rule for finding in report.findings}


def test_a_free_column_sum_is_no_slower_in_the_layout_of_its_load():
    """Measured: 75.2 µs with the conversion, 72.5 µs in the load's layout, 279.8 µs in the sum's."""
    conversion = report_of("tall_sum").conversions[0]
    assert conversion.pays is False
    assert conversion.agreed_layout == "BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])"
    assert "in the target's layout they would take" in conversion.why


def test_a_conversion_behind_a_transposition_pays_where_both_sides_are_coalesced_by_it():
    (conversion,) = report_of("transposed_tile").conversions
    assert conversion.pays is True
    assert "a load and a store" in conversion.why


@pytest.mark.parametrize("name", ["transposed_tile", "tall_sum"])
def test_the_verdict_does_not_depend_on_how_many_programs_are_evaluated(name):
    capture = capture_of(name)
    launch = replace(capture.kernels[0].launches[0], grid=(64, 4, 1))
    many = replace(capture, kernels=(replace(capture.kernels[0], launches=(launch,)),))
    sampled, whole = (inspect(many, programs=n).kernels[0].conversions[0] for n in (1, 0))
    assert (sampled.pays, sampled.why, sampled.executions) == (whole.pays, whole.why, 256)


def test_an_operand_without_ldmatrix_says_so_and_what_would_have_it():
    (found,) = findings("operand_in_pieces", "GI204")
    assert found.severity is Severity.WARNING
    assert found.evidence["vector_bits"] == 16
    assert found.evidence["instructions"] == 128
    assert "right" in author_line(found.location)
    layout = read_layout(found.evidence["suggestion"])
    text = text_of("operand_in_pieces")
    bad = "vec = 1, perPhase = 1, maxPhase = 16, order = [0, 1]"
    order = ", ".join(map(str, layout.order))
    good = f"vec = {layout.vec}, perPhase = {layout.per_phase}, maxPhase = {layout.max_phase}, order = [{order}]"
    assert bad in text
    report = inspect(capture_of("operand_in_pieces", text.replace(bad, good))).kernels[0]
    assert "GI204" not in {finding.rule for finding in report.findings}


def test_a_wide_store_that_puts_the_conflicts_on_the_load():
    store, load = shared("wide_transpose")
    assert (store.vector_bits, store.wavefronts, store.wavefronts_ideal) == (128, 512, 512)
    assert (load.vector_bits, load.wavefronts, load.wavefronts_ideal) == (32, 2048, 512)
    (found,) = findings("wide_transpose", "GI201")
    assert found.subject == load.id
    assert found.help.endswith("1024 wavefronts a program for all uses instead of 2560, free of conflicts")


def test_a_copy_without_conflicts_gets_no_finding_whatever_counters_say():
    assert not findings("converted_copy", "GI201")
    assert all(access.wavefronts == access.wavefronts_ideal for access in shared("converted_copy"))


def test_conflicts_and_verdicts_stand_without_a_grid():
    launch = Launch("0", 1, None, {})
    for name, rule, words in (
        ("wide_transpose", "GI201", "2,048 wavefronts a CTA each time it runs where 512 would do"),
        ("column_sum", "GI401", "(under an assumed launch)"),
    ):
        capture = capture_of(name)
        kernel = replace(capture.kernels[0], launches=(launch,))
        report = inspect(replace(capture, kernels=(kernel,))).kernels[0]
        (found,) = [finding for finding in report.findings if finding.rule == rule]
        assert words in found.message


def test_odd_padding_under_wide_accesses_is_an_error():
    found = findings("odd_padding", "GI202")
    assert [finding.severity for finding in found] == [Severity.ERROR] * 2
    assert all("16 bytes a lane" in finding.message for finding in found)


def test_a_copy_too_narrow_for_cp_async_names_the_stride():
    (found,) = findings("narrow_copy", "GI203")
    assert found.severity is Severity.ERROR
    assert "copies of 2 bytes a lane" in found.message
    assert "stride" in found.message
    assert not findings("narrow_copy", "GI201")


@pytest.mark.parametrize("name", sorted(ARGUMENTS))
def test_ids_are_unique_and_every_finding_has_its_line(name):
    report = report_of(name)
    ids = [finding.id for finding in report.findings]
    assert len(ids) == len(set(ids))
    for finding in report.findings:
        if finding.rule.startswith(("GI2", "GI4")):
            assert finding.location is not None
            assert finding.location.file == "kernels.py"
