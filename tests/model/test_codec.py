from __future__ import annotations

import json

import pytest

from gluon_inspect.codec import decode, encode
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
