"""Assembly and logs that end in the middle are told to be cut, with exit code 2; whole ones never are."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from gluon_inspect.cli import main
from gluon_inspect.loading import load
from gluon_inspect.loading.cut import cut_text
from gluon_inspect.loading.kind import detect
from gluon_inspect.pipeline import inspect
from tests.truth import cases

DATA = Path(__file__).parents[1] / "data"
ASSEMBLY = sorted(path for path in (DATA / "asm").iterdir() if path.suffix in (".sass", ".ptx", ".amdgcn"))
LOGS = sorted((DATA / "passes").glob("*.log.gz"))


@pytest.mark.parametrize("path", ASSEMBLY, ids=lambda path: path.name)
def test_assembly_cut_at_any_of_forty_places_is_told(path: Path):
    text = path.read_text()
    kind = detect(text.encode())
    assert cut_text(text, kind) == ""
    at_60 = text[: len(text) * 6 // 10]
    assert cut_text(at_60, kind)
    places = range(len(text) * 4 // 10, len(text) - 200, max(1, len(text) // 70))
    unseen = [at for at in places if not cut_text(text[:at], kind)]
    # between two functions of PTX, and among the padding at the end of one of SASS, nothing shows a cut
    assert len(unseen) <= (len(places) // 4 if kind.name == "SASS" else 1)


def test_a_cut_text_is_reported_as_far_as_it_goes(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    text = (DATA / "asm" / "helper.gi.gp.sass").read_text()
    path = tmp_path / "helper.sass"
    path.write_text(text[: len(text) * 6 // 10])
    assert main(["report", str(path), "--fail-on", "never"]) == 2
    captured = capsys.readouterr()
    assert f"error: {path}:{text[: len(text) * 6 // 10].count(chr(10)) + 1}: the text is cut: " in captured.err
    assert "helper" in captured.out


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name)
@pytest.mark.parametrize("share", [0.6, 0.9, 0.99])
def test_a_cut_log_is_told(path: Path, share: float, tmp_path: Path):
    text = gzip.decompress(path.read_bytes()).decode()
    log = tmp_path / "dump.log"
    log.write_text(text)
    assert load(log).error is None
    log.write_text(text[: int(len(text) * share)])
    cut = load(log)
    error = cut.error
    assert error is not None
    # the module before the cut one is whole: what can be worked out is
    assert inspect(cut).kernels[0].unread == ""
    assert error.message.startswith("the text is cut: ")


@cases.needs_truth()
@pytest.mark.parametrize("name", ["h200", "h200b"])
def test_no_listing_of_the_truth_is_called_cut(name: str):
    listings = [case["sass"] for case in cases.load(name) if isinstance(case.get("sass"), str)]
    assert listings
    assert [cut_text(text, detect(text.encode())) for text in listings] == [""] * len(listings)


def test_a_function_without_an_instruction_is_told():
    text = (DATA / "asm" / "outlined.gi.gp.sass").read_text().replace(".text.outlined:", ".text.outlined::")
    assert cut_text(text, detect(text.encode())) == "outlined has no instruction"
