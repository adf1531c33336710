from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from gluon_inspect.errors import UsageError
from gluon_inspect.project.revisions import at_revision


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    def git(*arguments: str) -> None:
        identity = ("-c", "user.name=t", "-c", "user.email=t@t", "-c", "commit.gpgsign=false")
        subprocess.run(["git", "-C", str(tmp_path), *identity, *arguments], check=True, capture_output=True)

    git("init", "-q")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "k.py").write_text("old\n")
    (tmp_path / "sub" / "neighbour.py").write_text("beside\n")
    git("add", ".")
    git("commit", "-q", "-m", "first")
    (tmp_path / "sub" / "k.py").write_text("new\n")
    return tmp_path


def test_the_file_as_it_stood_with_its_neighbours(repository: Path):
    script = repository / "sub" / "k.py"
    with at_revision(f"{script}::main", "HEAD") as old:
        file, _, name = old.partition("::")
        assert Path(file).read_text() == "old\n"
        assert Path(file).with_name("neighbour.py").exists()
        assert name == "main"
    assert not Path(file).exists()
    assert script.read_text() == "new\n"


@pytest.mark.parametrize("revision", ["nowhere", "--output=/tmp/x"])
def test_a_revision_that_is_none(repository: Path, revision: str):
    with pytest.raises(UsageError, match="git: "), at_revision(str(repository / "sub" / "k.py"), revision):
        pass


def test_a_file_that_was_not_there_yet(repository: Path):
    (repository / "later.py").write_text("x\n")
    with pytest.raises(UsageError, match="not in revision"), at_revision(str(repository / "later.py"), "HEAD"):
        pass
