"""IR this project did not write: the shared-memory model reads all of it, and says what it does not know."""

import gzip
import json
from pathlib import Path

import pytest

from gluon_inspect import targets
from gluon_inspect.ir.text import parse_mlir
from gluon_inspect.model.confidence import Confidence
from gluon_inspect.traffic.shared.records import shared_accesses
from tests.shared.lowered import allocated, converted, lowered

CORPUS = Path(__file__).resolve().parents[2].parent / "shared" / "corpus" / "upstream.jsonl.gz"
_EVERY = 9


def modules():
    with gzip.open(CORPUS, "rt") as lines:
        cases = [json.loads(line) for line in lines]
    return [case["ir"] for case in cases if case["ok"]][::_EVERY]


@pytest.mark.skipif(not CORPUS.is_file(), reason="../shared/corpus (IR from public compiler tests) is absent")
def test_no_module_is_refused_and_nothing_unknown_has_a_number():
    target = targets.find("cuda:90")
    accesses = 0
    for text in modules():
        module = parse_mlir(text)
        for access in shared_accesses(lowered(module, target), target):
            accesses += 1
            unknown = access.confidence is Confidence.UNKNOWN
            assert unknown == (access.wavefronts is None)
            assert not unknown or access.reason
        for conversion in converted(module, target):
            assert conversion.why
        live_at_once(allocated(module, target).buffers)
    assert accesses > 100


def live_at_once(buffers):
    """Buffers that live at once never overlap."""
    for i, one in enumerate(buffers):
        assert one.offset % one.alignment_bytes == 0
        for other in buffers[i + 1 :]:
            apart = one.offset + one.bytes <= other.offset or other.offset + other.bytes <= one.offset
            assert apart or not one.lives_with(other)
