"""A path as it stood at a git revision, in a folder of its own; the working tree is not touched."""

from __future__ import annotations

import io
import subprocess
import tarfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from gluon_inspect.errors import UsageError
from gluon_inspect.loading.scratch import scratch_folder


@contextmanager
def at_revision(path: str, revision: str) -> Generator[str]:
    """The path of a copy of `path` at `revision`, with the whole tree around it. UsageError where git has none."""
    file, selector, name = path.partition("::")
    place = Path(file).resolve()
    root = Path(_git(place.parent, "rev-parse", "--show-toplevel").decode().strip())
    archive = _git(root, "archive", "--format=tar", f"{_checked(root, revision)}")
    with scratch_folder() as folder:
        with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
            tar.extractall(folder, filter="data")
        copy = folder / place.relative_to(root)
        if not copy.exists():
            raise UsageError(f"{file} is not in revision {revision}")
        yield f"{copy}{selector}{name}"


def _checked(root: Path, revision: str) -> str:
    """The commit's full name: what a user typed never reaches git as an option."""
    return _git(root, "rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}").decode().strip()


def _git(folder: Path, *arguments: str) -> bytes:
    try:
        done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, check=False)
    except FileNotFoundError as error:
        raise UsageError("--rev needs git, which is not installed") from error
    if done.returncode:
        message = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no message"]
        raise UsageError(f"git: {message[0]}")
    return done.stdout
