"""What explain says of small kernels that are each slow, or not, for one reason."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from gluon_inspect.explaining.explanation import explain
from gluon_inspect.explaining.text import as_markdown
from gluon_inspect.explaining.translated import as_translated
from gluon_inspect.pipeline import inspect
from gluon_inspect.recording.record import record

SCRIPT = Path(__file__).parent / "scripts" / "causes.py"


@pytest.fixture(scope="module")
def report():
    return inspect(record(str(SCRIPT), "cuda:90"))


@pytest.fixture(scope="module")
def explained(report):
    return {kernel.name: explain(kernel) for kernel in report.kernels}


def advice(explanation, rule):
    return " ".join(text for item in explanation.items if item.finding.rule == rule for text in item.advice)


@pytest.mark.parametrize(
    ("kernel", "rule", "words"),
    [
        ("strided", "GI101", "`stride` is 72, a multiple of 8, but no multiple of 16"),
        ("strided", "GI101", "Pad to 80"),
        ("spread", "GI101", "8 bytes apart, so no layout uses more than 50% of a sector"),
        ("shifted", "GI101", "`src` starts 4 bytes past a multiple of 16"),
        ("unspecialised", "GI101", "do_not_specialize"),
        ("unspecialised", "GI101", "gl.multiple_of(stride, 16)"),
        ("tail", "GI101", "The mask may end at any element"),
        ("matmul", "GI101", "not pipelined: each iteration of the loop waits"),
        ("scalar_loop", "GI103", "Load a tile"),
        ("copies", "GI301", "executed for 4,096 values a program instead of 128"),
        ("copies", "GI301", "holds each element once"),
        ("spilling", "GI302", "halves what a thread holds"),
        ("turned", "GI201", "A symptom"),
        ("turned", "GI201", "Fix the order"),
        ("translated", "GI401", "for both ends"),
    ],
)
def test_the_cause_is_named(explained, kernel, rule, words):
    assert words in advice(explained[kernel], rule)


def test_a_conversion_whose_scratch_limits_occupancy_is_named(report, explained):
    """64 KiB a CTA, three of which fit the 228 KiB of an SM less one KiB each; the conversion itself pays."""
    (kernel,) = (each for each in report.kernels if each.name == "scratched")
    line = next(
        n for n, text in enumerate(SCRIPT.read_text().splitlines(), 1) if "convert_layout(value, down)" in text
    )
    told = explained["scratched"].verdict
    assert kernel.occupancy.limited_by == ("shared",)
    assert (
        f"conversion at line {line} takes 64 KiB of the 64 KiB of shared memory that let 3 CTAs on an SM" in told
    )
    assert f"registers would allow {kernel.occupancy.limits['registers']}: convert a smaller tile" in told
    assert "one layout" not in told


def test_a_translated_kernel_is_recognised_and_no_other_is(explained):
    told = {name for name, each in explained.items() if "translator's defaults" in each.verdict}
    assert told == {"translated"}
    assert "3 conversions between them" in explained["translated"].verdict


def test_the_translators_own_helpers_are_recognised_in_locations(report):
    fine = next(kernel for kernel in report.kernels if kernel.name == "fine")
    text = fine.kernel.stages["ttgir"].replace("causes.py", "triton_to_gluon_translator/common_helpers.py")
    kernel = replace(fine.kernel, stages={**fine.kernel.stages, "ttgir": text})
    assert as_translated(replace(fine, kernel=kernel))
    assert not as_translated(fine)


def test_what_is_not_there_is_not_said(explained):
    assert "pipelined" not in advice(explained["strided"], "GI101")
    assert "Pad" not in advice(explained["spread"], "GI101")
    assert "symptom" not in advice(explained["strided"], "GI101")
    assert "specialis" not in advice(explained["strided"], "GI101")


def test_an_access_is_explained_once(explained):
    first = explained["strided"].items[0]
    assert [first.finding.rule, *(each.rule for each in first.also)] == ["GI101", "GI102"]
    assert len(explained["strided"].items) == 1


def test_a_rule_a_drawing_and_an_advice_stand_once(explained):
    items = [item for item in explained["tail"].items if item.finding.rule == "GI101"]
    assert [bool(item.why) for item in items] == [True, False]
    assert [item.drawn_in for item in items] == [None, 1]
    assert items[1].drawing == ()
    assert items[1].advice == ("What to do: as in 1.",)


def test_a_gather_is_not_called_good(explained):
    verdict = explained["gather"].verdict
    line = next(n for n, text in enumerate(SCRIPT.read_text().splitlines(), 1) if "gl.load(index" in text)
    assert verdict.startswith(f"the access at line {line} cannot be known statically")
    assert "measure it" in verdict


def test_layouts_are_acquitted(explained):
    assert explained["fine"].verdict.startswith(
        "100% of the sectors moved are needed: nothing to gain in the layouts"
    )
    assert "the layouts are not the problem" in explained["scalar_loop"].verdict
    assert "the layouts are not the problem" not in explained["strided"].verdict


def test_inlined_library_code_shows_the_line_that_called_it(report, explained):
    text = as_markdown(explained["across_warps"], report.sources)
    line = next(
        n for n, text in enumerate(SCRIPT.read_text().splitlines(), 1) if "gl.store(dst + x, gl.sum(" in text
    )
    assert re.search(rf"causes\.py:{line}:\d+\ninlined from \S*standard\.py", text)
    assert f"at line {line}" in explained["across_warps"].verdict


def test_code_fits_a_terminal_and_carets_stay_with_their_text(report, explained):
    for explanation in explained.values():
        lines = as_markdown(explanation, report.sources).split("\n")
        for above, line in pairwise(lines):
            if line.strip() == "^":
                assert re.match(r"(gl|tl)\.|\w+ = |\w", above[line.index("^") :])
                assert len(above) <= 76
