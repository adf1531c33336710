from __future__ import annotations

from gluon_inspect.wording.layouts import short_layout
from tests.report.samples import BLOCKED, SLICED


def test_usual_fields_lose_their_names():
    assert short_layout(BLOCKED) == "blocked([1,1],[1,32],[1,4],[1,0])"
    assert short_layout(SLICED) == "slice(1,blocked([1,1],[1,32],[1,4],[1,0]))"


def test_other_fields_keep_theirs():
    text = "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>"
    assert short_layout(text) == "swizzled_shared(vec=8,perPhase=1,maxPhase=8,[1,0])"


def test_gluons_own_words_are_shortened_alike():
    fields = "size_per_thread=[1, 4], threads_per_warp=[1, 32], warps_per_cta=[4, 1], order=[1, 0], cga_layout=[]"
    text = f"BlockedLayout({fields})"
    assert short_layout(text) == "BlockedLayout([1,4],[1,32],[4,1],[1,0])"
    assert "cga_layout=[[1,0]]" in short_layout(text.replace("cga_layout=[]", "cga_layout=[[1, 0]]"))
