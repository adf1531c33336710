from __future__ import annotations

import json

import pytest

from gluon_inspect.codec import decode, encode, picked, plain
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.cost import KernelCost, Resource, Stall, Standing
from gluon_inspect.model.report import Report
from tests.report import samples


@pytest.mark.parametrize("name", ["ordinary", "empty", "broken", "compared", "hostile"])
def test_a_report_comes_back_as_it_was(name: str):
    report: Report = getattr(samples, name)()
    assert decode(Report, json.loads(json.dumps(encode(report)))) == report


@pytest.mark.parametrize("data", [{}, [], 3, {"$": "Report", "kernels": 3}, {"$": "os.system", "kernels": []}])
def test_other_data_is_refused(data: object):
    with pytest.raises((TypeError, KeyError, ValueError)):
        decode(Report, data)


def test_fields_that_an_older_version_did_not_write_have_their_defaults():
    data = {
        name: value for name, value in encode(samples.ordinary()).items() if name not in ("notes", "comparison")
    }
    found = decode(Report, json.loads(json.dumps(data)))
    assert found.kernels == samples.ordinary().kernels
    assert (found.notes, found.comparison) == ((), None)


def test_a_document_has_no_class_names_and_the_fields_that_were_picked():
    access = samples.ordinary().kernels[0].accesses[0]
    assert picked(access, "space", "widths") == {"space": "global", "widths": [{"bits": 128, "instructions": 4}]}
    assert plain(access.widths) == [{"bits": 128, "instructions": 4}]


def test_keys_that_are_members_of_an_enum_come_back_as_members():
    cost = KernelCost(
        93e-6,
        Resource.TENSOR,
        {Resource.TENSOR: 42e-6},
        (),
        Confidence.SAMPLED,
        ModelStatus.VALIDATED,
        standing=(Standing(3, "HGMMA", None, 0.5, {Stall.GMMA: 0.5}),),
    )
    found = decode(KernelCost, json.loads(json.dumps(encode(cost))))
    assert found == cost
    assert [type(name) for name in found.parts] == [Resource]
    assert [type(name) for name in found.standing[0].stalls] == [Stall]
