"""Names that several things have are told apart by where they were made."""

from gluon_inspect.model.location import Location
from gluon_inspect.wording.places import repository_path, told_apart


def test_only_what_shares_a_name_gets_its_line():
    helper = 95
    made = [Location("k.py", helper, callers=(Location("k.py", line),)) for line in (10, 11)]
    names = told_apart(["mem", "mem", "acc", "mem"], [*made, made[0], None])
    assert names == ["mem, line 10", "mem, line 11", "acc", "mem"]


def test_paths_are_relative_to_the_repository(tmp_path, monkeypatch):
    (tmp_path / ".git").mkdir()
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels" / "copy.py").write_text("")
    monkeypatch.chdir(tmp_path / "kernels")
    assert repository_path(str(tmp_path / "kernels" / "copy.py")) == "kernels/copy.py"
    assert repository_path("copy.py") == "kernels/copy.py"
    assert repository_path("/ci/build/kernels/copy.py") == "kernels/copy.py"
    assert repository_path("/elsewhere/other.py") == "/elsewhere/other.py"
    assert repository_path("/" + "a" * 5000) == "/" + "a" * 5000
