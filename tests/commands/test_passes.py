"""`gluon-inspect passes` on the dumps of tests/data/passes."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from gluon_inspect.cli import main
from tests.passes.dumps import DATA, line_of, text_of

REMOVAL = 6
KEPT, LOST = DATA / "vector_kept.log", DATA / "vector_lost.log"
HELPED = DATA / "triton3.9.0.helped.90.log.gz"
FAILED = DATA / "triton3.6.0.coalesced.gfx942.log.gz"


@pytest.fixture(autouse=True)
def _no_colour(monkeypatch):
    monkeypatch.delenv("FORCE_COLOR", raising=False)


def passes(capsys, *arguments: str | Path, code: int = 0) -> str:
    assert main(["passes", *map(str, arguments)]) == code
    return capsys.readouterr().out


def document(capsys, *arguments: str | Path, code: int = 0):
    return json.loads(passes(capsys, *arguments, "--format", "json", code=code))


@pytest.fixture(autouse=True)
def wide(monkeypatch):
    """A page as wide as the tables: test runners set the terminal to 80 columns."""
    monkeypatch.setenv("COLUMNS", "140")


def test_the_timeline_folds_what_changed_nothing(capsys):
    text = passes(capsys, DATA / "triton3.9.0.transpose.90.log.gz")
    (coalesce,) = [line for line in text.splitlines() if "TritonGPUCoalesce " in line]
    assert coalesce.split()[:3] == ["9", "TritonGPUCoalesce", "36"]
    assert "shared x6, trivial x6; load 128" in coalesce
    assert any(line.split()[1:] == ["2", "passes", "no", "change"] for line in text.splitlines())
    assert "VerifyWarp" not in text


def test_all_passes_with_their_options(capsys):
    text = passes(capsys, LOST, "--all")
    assert "TritonGPUOptimizeThreadLocality" in text
    assert "disable-remat-splitting=false" in text


def test_json_has_every_pass_and_null_where_nothing_is_known(capsys):
    (kernel,) = document(capsys, LOST)["kernels"]
    assert [one["index"] for one in kernel["passes"]] == list(range(len(kernel["passes"])))
    removal = kernel["passes"][REMOVAL]
    assert (removal["argument"], removal["changed"]) == ("tritongpu-remove-layout-conversions", True)
    assert removal["accesses"] == {"tt.load 32": 1, "tt.store 128": 1}
    assert removal["options"] == "disable-remat-splitting=false"
    last = kernel["passes"][-1]
    assert (last["changed"], last["operations"], last["conversions"]) == (None, None, None)
    assert (kernel["failure"], kernel["blame"]) == (None, None)


def test_blame_names_the_pass_with_excerpts_of_both_sides(capsys):
    line = line_of("value = tl.load")
    text = passes(capsys, LOST, "--line", f"kernels.py:{line}", "--op", "tt.load")
    assert f"#{REMOVAL} TritonGPURemoveLayoutConversions" in text
    assert "128 -> 32 bits a lane" in text
    assert "- %value_12 = tt.load %value_11 : tensor<32x32x!tt.ptr<f32>, blocked([1,4],[4,8],[4,1],[1,0])>" in text
    (kernel,) = document(capsys, LOST, "--line", line, "--op", "tt.load")["kernels"]
    steps = kernel["blame"]["steps"]
    assert [step["pass"]["index"] for step in steps] == [0, 1, REMOVAL]
    assert steps[-1]["changes"][0]["after"]["vector_bits"] == 32


def test_a_finding_is_followed_by_its_rule_and_its_id(capsys):
    by_rule = document(capsys, LOST, "--finding", "GI101")["kernels"][0]["blame"]
    assert (by_rule["line"], by_rule["operation"]) == (line_of("value = tl.load"), "tt.load")
    assert by_rule["steps"][-1]["pass"]["index"] == REMOVAL
    assert main(["passes", str(LOST), "--finding", "GI999"]) == 2
    assert "no kernel has a finding GI999" in capsys.readouterr().err


def test_a_diff_of_one_pass(capsys):
    text = passes(capsys, LOST, "--diff", REMOVAL)
    assert "-     %8 = ttg.convert_layout" in text
    assert passes(capsys, LOST, "--diff", REMOVAL + 1).endswith("It changed nothing.\n")
    assert main(["passes", str(LOST), "--diff", "99"]) == 2


def test_layouts_that_the_compiler_chose(capsys):
    (kernel,) = document(capsys, HELPED)["kernels"]
    assert {one["asked"] for one in kernel["inferred"]} == {"AutoLayout()"}
    assert "Layouts that the compiler chose" in passes(capsys, HELPED)


def test_two_dumps_and_where_they_part(capsys):
    text = passes(capsys, KEPT, LOST)
    assert "The layouts differ." in text
    assert f"Access widths part in pass TritonGPURemoveLayoutConversions (#{REMOVAL}):" in text
    (found,) = document(capsys, KEPT, LOST)["compared"]
    assert {parting["a"]["index"] for parting in found["partings"]} == {REMOVAL}
    assert (found["same_ir"], found["same_layouts"], found["same_code"]) == (False, False, None)
    assert found["a"]["machine"]["registers"] is None


def test_a_compilation_that_failed_is_a_report(capsys):
    text = passes(capsys, FAILED, code=2)
    assert "The compilation failed in pass GluonResolveAutoEncodingsPass" in text
    assert "GluonInline" in text
    assert text.rstrip().endswith("failed")
    (kernel,) = document(capsys, FAILED, code=2)["kernels"]
    assert kernel["failure"]["pass"] == "GluonResolveAutoEncodingsPass"


def test_markdown(capsys):
    text = passes(capsys, LOST, "--line", line_of("value = tl.load"), "--format", "markdown")
    assert text.startswith("# transpose for cuda&#58;90\n")
    assert "```diff\n" in text


def test_files_appended_over_several_kernels(capsys, tmp_path):
    file = tmp_path / "all.log.gz"
    file.write_bytes(gzip.compress((text_of(HELPED.name) + KEPT.read_text() + LOST.read_text()).encode()))
    kernels = document(capsys, file)["kernels"]
    assert [kernel["name"] for kernel in kernels] == ["helped", "transpose", "transpose"]
    assert document(capsys, file, "--kernel", "help*")["kernels"][0]["passes"] == kernels[0]["passes"]


def test_a_failed_compilation_among_others_keeps_its_message(capsys, tmp_path):
    file = tmp_path / "all.log"
    file.write_text(text_of(FAILED.name) + KEPT.read_text())
    first, second = document(capsys, file, code=2)["kernels"]
    assert first["failure"]["pass"] == "GluonResolveAutoEncodingsPass"
    assert second["failure"] is None


def test_a_file_without_a_dump_says_so(capsys, tmp_path):
    file = tmp_path / "kernel.ttgir"
    file.write_text(
        'module attributes {"ttg.num-warps" = 4 : i32} {\n  tt.func public @k() {\n    tt.return\n  }\n}\n'
    )
    assert "There are no passes to show" in passes(capsys, file)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--line", "x:y"], "is not [FILE:]N"),
        (["--line", "999"], "lines with loads, stores, dots or conversions: 24, 25"),
        ([str(KEPT), str(KEPT)], "passes compares two, 3 were given"),
        ([str(KEPT), "--line", "3"], "follow one compilation"),
    ],
)
def test_bad_usage_says_what_is_wrong(capsys, arguments: list[str], message: str):
    assert main(["passes", str(LOST), *arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_file_that_cannot_be_written(capsys):
    assert main(["passes", str(LOST), "-o", "/nowhere/out.txt"]) == 2
    assert "cannot write" in capsys.readouterr().err
