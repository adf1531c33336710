"""Names that several things have are told apart by where they were made."""

from gluon_inspect.model.location import Location
from gluon_inspect.wording.places import told_apart


def test_only_what_shares_a_name_gets_its_line():
    helper = 95
    made = [Location("k.py", helper, callers=(Location("k.py", line),)) for line in (10, 11)]
    names = told_apart(["mem", "mem", "acc", "mem"], [*made, made[0], None])
    assert names == ["mem, line 10", "mem, line 11", "acc", "mem"]
