from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from gluon_inspect.wording.characters import visible


@given(st.text())
def test_nothing_hidden_is_left(text: str):
    assert not {c for c in visible(text) if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")}


@given(st.text(), st.integers(1, 50))
def test_the_limit_holds(text: str, limit: int):
    assert len(visible(text, limit)) <= limit


@given(st.text(alphabet=st.characters(categories=["L", "N", "P", "S"])))
def test_ordinary_text_stays_as_it_is(text: str):
    assert visible(text) == text


def test_escapes_are_shown():
    assert visible("a\x1b[31m\n\u202eb\tc") == "a\\x1b[31m\\n\\u202eb c"
