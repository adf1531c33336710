"""Laws of edits: what they do not name stays as it was, and a diff is one that applies."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gluon_inspect.fixing.edits import Edit, applied, changed, diff, joined

WORDS = st.text(alphabet="aé\n\r🦊", max_size=6)


@settings(deadline=None)
@given(st.lists(st.tuples(WORDS, WORDS, WORDS), max_size=5), WORDS)
def test_every_other_byte_stays(parts: list[tuple[str, str, str]], end: str):
    """Each part: kept text, replaced text, what takes its place."""
    before = "".join(kept + old for kept, old, _ in parts) + end
    edits, at = list[Edit](), 0
    for kept, old, new in parts:
        start = at + len(kept.encode())
        at = start + len(old.encode())
        if old:
            edits.append(Edit(start, at, new))
    after = "".join(kept + (new if old else old) for kept, old, new in parts) + end
    assert applied(before, edits) == after
    assert applied(before, reversed(edits)) == after


@settings(deadline=None)
@given(st.tuples(st.integers(0, 9), st.integers(0, 9)), st.tuples(st.integers(0, 9), st.integers(0, 9)))
def test_conflicts_are_mutual_and_mean_a_byte_of_both(one: tuple[int, int], other: tuple[int, int]):
    first, second = Edit(min(one), max(one), "x"), Edit(min(other), max(other), "y")
    bytes_of = [set(range(each.start, each.end)) for each in (first, second)]
    assert first.conflicts(second) == second.conflicts(first)
    if bytes_of[0] & bytes_of[1]:
        assert first.conflicts(second)
    assert not first.conflicts(first)


def test_the_same_edit_twice_is_one_and_another_at_the_place_is_refused():
    one = {"a.py": (Edit(0, 1, "x"),)}
    assert joined(one, one) == one
    assert joined(one, {"a.py": (Edit(0, 2, "x"),)}) is None
    assert joined(one, {"a.py": (Edit(1, 1, "y"),), "b.py": ()}) == {
        "a.py": (Edit(0, 1, "x"), Edit(1, 1, "y")),
        "b.py": (),
    }


@pytest.mark.parametrize("text", ["a = 1\nb = 2\n", "a = 1\r\nb = 2\r\n", "a = 1\nb = 2"])
def test_a_diff_applies_whatever_the_line_ends(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "kernels.py"
    file.write_bytes(text.encode())
    sources = {str(file): text}
    at = text.index("2")
    after = changed(sources, {str(file): (Edit(at, at + 1, "3"),)})
    patch = "".join(diff(sources, after))
    subprocess.run(["git", "apply", "-"], input=patch.encode(), check=True, cwd=tmp_path)
    assert file.read_bytes().decode() == text.replace("2", "3")
