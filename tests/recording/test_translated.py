"""A kernel beside Triton's own translation of it to Gluon, whose source is gone when the script has ended."""

from __future__ import annotations

from pathlib import Path

from gluon_inspect import inspect
from gluon_inspect.model.access import Space

EXAMPLE = Path(__file__).parents[2] / "examples" / "translated_copy.py"


def test_the_translation_pays_for_its_layouts() -> None:
    report = inspect(EXAMPLE, "cuda:90")
    original, translated = report.kernels
    assert original.kernel.source_file == str(EXAMPLE)
    assert not Path(translated.kernel.source_file).exists()
    assert "gluon.language" in report.sources[translated.kernel.source_file]
    assert original.findings == ()
    assert [finding.rule for finding in translated.findings] == ["GI401", "GI401"]
    few, many = ([a for a in k.accesses if a.space is Space.GLOBAL] for k in report.kernels)
    assert [access.vector_bits for access in few] == [128, 128]
    assert [access.vector_bits for access in many] == [16, 16]
    assert [access.sectors for access in few] == [access.sectors for access in many]
    assert [8 * (access.requests or 0) for access in few] == [access.requests for access in many]
