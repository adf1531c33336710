"""Text that cannot leave the prose it stands in."""

from __future__ import annotations

import pytest

from gluon_inspect.wording.markdown import prose


@pytest.mark.parametrize(
    "text",
    [
        "src_row_stride is 72",
        "BlockedLayout([1, 2], [8, 4], [4, 1], [1, 0]) holds each element once",
        "`x[1:]` and `a_b_` are code, `<b>` too",
    ],
)
def test_ordinary_text_stays_as_it_is(text):
    assert prose(text) == text


@pytest.mark.parametrize(
    "text", ["<script>", "[here](http://x)", "__all__", "*a*", "a ` b", "@someone", "\x1b[31m", "a|b"]
)
def test_markup_becomes_text(text):
    shown = prose(text)
    assert shown != text
    assert not set("<>*`@|\x1b") & set(shown)
    assert "](" not in shown
    assert "__" not in shown
    assert "://" not in shown
