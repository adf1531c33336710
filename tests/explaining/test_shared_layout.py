"""Bank conflicts: the swizzle that is free for all of a buffer's uses, predicted, then compiled."""

from __future__ import annotations

from pathlib import Path

import pytest

from gluon_inspect import inspect
from gluon_inspect.explaining.explanation import explain
from gluon_inspect.explaining.text import as_markdown
from gluon_inspect.explaining.trial import checked
from gluon_inspect.model.explanation import KernelExplanation, ProposalStatus
from gluon_inspect.model.request import Request

_SCRIPT = Path(__file__).parent / "scripts" / "turned_tile.py"
_FREE = "SwizzledSharedLayout(4, 4, 8, [1, 0])"


@pytest.fixture(scope="module")
def explained() -> KernelExplanation:
    return explain(inspect(_SCRIPT, "cuda:90").kernels[0])


def test_the_swizzle_is_proposed_where_it_pays(explained: KernelExplanation):
    assert [item.finding.rule for item in explained.items] == ["GI201", "GI201"]
    (proposal,) = explained.proposals
    assert proposal.substitutions == {"shared": _FREE}
    assert proposal.source == (f"shared = gl.{_FREE}",)
    effect = proposal.effect
    assert effect is not None
    assert (effect.wavefronts_before, effect.wavefronts_after) == (4 * (32 + 256) << 14, 4 * (32 + 32) << 14)
    assert 1.3 <= (effect.speedup or 0) < 2.5


def test_compiled_it_does_what_was_predicted(explained: KernelExplanation):
    (found,) = checked([explained], Request((str(_SCRIPT),), ("cuda:90",)))
    (proposal,), (before,) = found.proposals, explained.proposals
    assert proposal.status is ProposalStatus.CHECKED
    assert proposal.effect is not None
    assert before.effect is not None
    assert proposal.effect.wavefronts_after == before.effect.wavefronts_after
    # the compiled swizzle computes other addresses, which the prediction does not know
    assert proposal.effect.speedup == pytest.approx(before.effect.speedup, rel=0.15)
    text = as_markdown(found, {})
    assert "wavefronts of shared memory 18,874,368 -> 4,194,304, expected time" in text
