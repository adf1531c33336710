"""The places that findings carry are lines of the texts they name."""

from __future__ import annotations

from pathlib import Path

import pytest

from gluon_inspect import inspect
from gluon_inspect.model.report import KernelReport

CAPTURE = Path(__file__).parents[1] / "tui" / "data" / "kernels.gi"


@pytest.fixture(scope="module")
def kernels() -> tuple[KernelReport, ...]:
    return inspect(CAPTURE).kernels


def test_every_place_is_a_line_of_its_text(kernels: tuple[KernelReport, ...]):
    places = [(kernel, place) for kernel in kernels for finding in kernel.findings for place in finding.code]
    assert {place.stage for _, place in places} >= {"ttgir", "sass"}
    for kernel, place in places:
        line = kernel.kernel.stages[place.stage].split("\n")[place.line - 1]
        assert " ".join(place.text.split()) in " ".join(line.split())


def test_an_access_leads_to_its_own_operation_and_its_own_kind_of_instruction(kernels: tuple[KernelReport, ...]):
    finding, access = next(
        (finding, access)
        for kernel in kernels
        for finding in kernel.findings
        for access in kernel.accesses
        if finding.rule == "GI101" and access.id == finding.subject and access.op == "tt.store"
    )
    ir = [place.text for place in finding.code if place.stage == "ttgir"]
    assert len(ir) == 1
    assert ir[0].startswith("tt.store")
    assert all("STG" in place.text for place in finding.code if place.stage == "sass")
    assert access.location == finding.location
