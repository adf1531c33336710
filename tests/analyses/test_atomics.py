"""Atomics and repeated loads: what is said follows from how often an element is met."""

from dataclasses import replace

import pytest

from gluon_inspect.analyses import atomics, repeated_load
from gluon_inspect.model.access import Access, Direction, Locality, Space
from gluon_inspect.model.location import Location
from gluon_inspect.model.report import Programs
from tests.analyses.facts import NOTHING

SEEN = Locality(1024, 1024, 1024, 0, 1024, 1024, 1024, 1024, 64 * 8192, met_share=1.0)
SUM = Access(
    "g0", "tt.atomic_rmw", Space.GLOBAL, Direction.ATOMIC, Location("k.py", 3), shape=(512,), element_bits=32,
    requests=1024, sectors=4096, bytes_requested=1 << 21, bytes_unique=2048, executions=1024, locality=SEEN,
)  # fmt: skip
AGAIN = replace(
    SUM,
    op="tt.load",
    direction=Direction.LOAD,
    sectors_ideal=4096,
    bytes_unique=1 << 21,
    confidence=SUM.confidence,
)


def told(module, monkeypatch, *accesses, lost=0.3):
    monkeypatch.setattr(module, "share_saved", lambda *_, **__: lost)
    facts = replace(NOTHING, programs=Programs(64, 64), accesses=accesses)
    return [(each.rule, each.message, each.help) for each in module.run(facts).findings]


@pytest.mark.parametrize(
    ("unique", "said", "advice"),
    [
        (
            2048,
            "each of 512 is added to 1,024 times",
            "add up over the loop in registers and add once a program: 16",
        ),
        (1 << 16, "each of 16,384 is added to 32 times", "let one program own an element's sum"),
        (1 << 21, "each of 524,288 is added to once", "a plain store would do"),
    ],
)
def test_advice_for_an_atomic_follows_from_how_often_an_element_is_added_to(monkeypatch, unique, said, advice):
    ((rule, message, help_text),) = told(atomics, monkeypatch, replace(SUM, bytes_unique=unique))
    assert rule == "GI108"
    assert said in message
    assert advice in help_text


def test_what_costs_little_or_depends_on_data_is_left_alone(monkeypatch):
    assert told(atomics, monkeypatch, SUM, lost=0.005) == told(atomics, monkeypatch, SUM, lost=None) == []
    assert told(atomics, monkeypatch, replace(SUM, is_gather=True)) == []


def test_a_row_that_is_walked_twice(monkeypatch):
    ((rule, message, help_text),) = told(repeated_load, monkeypatch, AGAIN)
    assert rule == "GI107"
    assert message == "the program has loaded these 8,192 bytes before, by another load"
    assert help_text.startswith("one tile of 2,048 elements instead of 16 trips")


@pytest.mark.parametrize(
    "other",
    [
        {"locality": replace(SEEN, met_share=0.5)},
        {"locality": replace(SEEN, program_bytes=64 * 200_000)},
        {"sectors_ideal": 1024},
        {"is_gather": True},
    ],
)
def test_what_is_new_too_large_or_other_elements_is_no_repetition(monkeypatch, other):
    assert told(repeated_load, monkeypatch, replace(AGAIN, **other)) == []
