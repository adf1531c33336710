from __future__ import annotations

from dataclasses import replace

from gluon_inspect.model.confidence import Confidence
from gluon_inspect.wording.verdict import verdict
from tests.report import samples


def test_findings_decide_first():
    judged = verdict(samples.ordinary().kernels[0])
    assert (judged.level, judged.text) == (
        "error",
        "1 error, 1 warning; 12% of the global sectors moved were needed (1 of 2 accesses unknown)",
    )


def test_clean_only_where_everything_is_known():
    clean = samples.ordinary().kernels[1]
    assert verdict(clean).level == "clean"
    unknown = replace(clean.accesses[0], sectors=None, confidence=Confidence.UNKNOWN)
    assert verdict(replace(clean, accesses=(unknown,))).level == "unknown"
    assert verdict(replace(clean, problems=("the IR was not read",))).level == "unknown"
    assert verdict(replace(clean, accesses=())).level == "unknown"


def test_what_did_not_compile_is_an_error():
    assert verdict(samples.broken().kernels[0]).level == "error"
