"""Public statements about AMD hardware, each with its source in tests/data/amd/facts.json, hold here.

The checkers are those of benchmarks/amd_facts.py; statements that need a compiled kernel are left to it.
"""

import importlib.util
import json
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[2]
_FACTS = json.loads((_ROOT / "tests" / "data" / "amd" / "facts.json").read_text())["facts"]
_COMPILED = "gfx1250 LDS counters"


@pytest.fixture(scope="module")
def checkers():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(_ROOT / "benchmarks"))
        spec = importlib.util.spec_from_file_location("amd_facts", _ROOT / "benchmarks" / "amd_facts.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        yield module
        sys.modules.pop("amd_answer", None)


@pytest.mark.parametrize("kind", sorted({fact["kind"] for fact in _FACTS} - {_COMPILED}))
def test_what_is_published_holds(checkers, kind):
    told = [(fact, *checkers.check(fact)) for fact in _FACTS if fact["kind"] == kind]
    assert [(fact["statement"], answer) for fact, verdict, answer in told if verdict != "equal"] == []


def test_a_wrong_statement_is_seen(checkers):
    """Every checker can fail: each statement with another value differs."""
    for fact in _FACTS:
        if fact["kind"] == _COMPILED or fact["value"] is None or "at least" in fact["unit"]:
            continue
        if fact["kind"] == "profiler counters":
            continue
        assert checkers.check({**fact, "value": fact["value"] + 1})[0] == "differs", fact["statement"]
