"""Places are the author's: what Triton's own helpers hold is reported where they are called."""

from gluon_inspect.model.location import Location
from gluon_inspect.wording.places import place, source_line

SUM = Location("/site-packages/triton/language/standard.py", 314, 12)
MINE, OUTER = Location("kernel.py", 2, 5), Location("kernel.py", 9, 1)
REDUCED = Location(SUM.file, SUM.line, SUM.column, callers=(MINE, OUTER))


def test_an_operation_of_a_library_helper_is_at_its_call():
    assert REDUCED.author == Location("kernel.py", 2, 5, callers=(OUTER,))
    assert REDUCED.library == (SUM,)
    assert place(REDUCED) == "kernel.py:2:5"
    found = source_line({"kernel.py": "a\nxxx = tl.sum(a)\n"}, REDUCED)
    assert found is not None
    assert (found.text, found.column) == ("xxx = tl.sum(a)", 5)


def test_what_the_author_wrote_stays_where_it_is():
    helper = Location("helpers.py", 3, callers=(MINE,))
    assert (helper.author, helper.library) == (helper, ())
    assert (SUM.author, SUM.library) == (SUM, ())
