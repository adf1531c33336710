"""Files are written whole, only as they were read, and never over what git does not have."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from gluon_inspect.errors import UsageError
from gluon_inspect.fixing.edits import Refused
from gluon_inspect.fixing.files import current, dirty, write
from gluon_inspect.fixing.patch import Sources


def test_line_ends_are_the_files_own_and_a_changed_file_is_stale(tmp_path: Path):
    same, other, gone = (str(tmp_path / name) for name in ("same.py", "other.py", "gone.py"))
    Path(same).write_bytes(b"a = 1\r\nb = 2")
    Path(other).write_bytes(b"a = 2\n")
    texts, stale = current({same: "a = 1\nb = 2\n", other: "a = 1\n", gone: "c = 3\n", "book.ipynb": "{}"})
    assert texts == {same: "a = 1\r\nb = 2", gone: "c = 3\n"}
    assert stale == {other}
    with pytest.raises(Refused, match=r"other\.py has changed since it was recorded \(hint: run it again\)"):
        Sources(texts, stale).parsed(other)


def test_a_file_that_changed_meanwhile_keeps_all_others_from_being_written(tmp_path: Path):
    one, two = str(tmp_path / "one.py"), str(tmp_path / "two.py")
    Path(one).write_text("1\n")
    Path(two).write_text("changed\n")
    with pytest.raises(
        UsageError, match=r"two\.py has changed meanwhile \(hint: nothing was written; run it again"
    ):
        write({one: "1\n", two: "2\n"}, {one: "new\n", two: "new\n"})
    assert Path(one).read_text() == "1\n"


def test_writing_keeps_the_mode_and_follows_a_link(tmp_path: Path):
    file, link = tmp_path / "file.py", tmp_path / "link.py"
    file.write_bytes("é\r\n".encode())
    file.chmod(0o755)
    link.symlink_to(file)
    write({str(link): "é\r\n"}, {str(link): "ü\r\n"})
    assert file.read_bytes() == "ü\r\n".encode()
    assert file.stat().st_mode & 0o777 == 0o755
    assert link.is_symlink()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["file.py", "link.py"]


def test_dirty_is_what_git_has_not(tmp_path: Path):
    file = tmp_path / "kernels.py"
    file.write_text("1\n")
    assert dirty([str(file)]) == []  # no repository
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", "-C", str(tmp_path)]
    subprocess.run([*git, "init", "-q"], check=True)
    assert dirty([str(file)]) == [str(file)]
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "x"], check=True)
    assert dirty([str(file)]) == []
    file.write_text("2\n")
    assert dirty([str(file)]) == [str(file)]
