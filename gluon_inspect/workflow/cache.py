"""Reports kept from run to run, keyed by script, arguments, target, options, versions and environment.

An entry lists every file the script read, with a hash of each; it is of use only while all of them are the same.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, cast

from gluon_inspect.codec import decode, encode
from gluon_inspect.loading import cache
from gluon_inspect.model.artifact import Capture
from gluon_inspect.model.report import Report
from gluon_inspect.model.request import Request

_FOLDER = "reports"
_PACKAGES = ("gluon-inspect", "triton", "torch", "numpy")
_VOLATILE = ("COLUMNS", "LINES", "OLDPWD", "PWD", "SHLVL", "TERM", "_", "NO_COLOR", "FORCE_COLOR")
"""Variables that change from shell to shell and that no kernel depends on."""
_VOLATILE_PREFIXES = ("SSH_", "XDG_SESSION", "TMUX", "PYTEST_", "GLUON_INSPECT_", "GITHUB_", "RUNNER_")
_BROKEN = (OSError, zlib.error, ValueError, KeyError, TypeError)


class ReportCache:
    """Reads and writes entries below a folder; an unreadable entry is as good as none."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / _FOLDER

    def get(self, path: str, target: str, request: Request) -> Report | None:
        """The report of an earlier run of the same, if nothing it depends on has changed."""
        try:
            content = cache.read(self._place(path, target, request))
            if content is None:
                return None
            head, body = content.split(b"\n", 1)
            files: Mapping[str, str] = decode(Mapping[str, str], json.loads(head))
            if any(_hash_of(file) != known for file, known in files.items()):
                return None
            return cast("Report", decode(Report, json.loads(zlib.decompress(body))))
        except _BROKEN:
            return None

    def put(self, path: str, target: str, request: Request, capture: Capture, report: Report) -> None:
        """Keep a whole report of a script that ended and whose files are known; a full disk loses nothing else."""
        if capture.files is None or capture.error is not None:
            return
        if any(kernel.faults or kernel.unread for kernel in report.kernels):
            return
        place = self._place(path, target, request)
        files = {file: _hash_of(file) for file in capture.files}
        content = json.dumps(files).encode() + b"\n" + zlib.compress(json.dumps(encode(report)).encode(), 1)
        cache.keep(place, content)

    def _place(self, path: str, target: str, request: Request) -> Path:
        alone = replace(request, paths=(path,), targets=(target,), disassemblers=0, shard=(1, 1))
        options = asdict(alone) | {"folder": os.getcwd()}
        parts = [options, sys.version, _versions(), _own_code(), dict(_environment())]
        return (
            self._folder / f"{hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:40]}.report"
        )


def _environment() -> Iterator[tuple[str, str]]:
    for name, value in os.environ.items():
        if name not in _VOLATILE and not name.startswith(_VOLATILE_PREFIXES):
            yield name, value


def _versions() -> dict[str, str | None]:
    def known(package: str) -> str | None:
        try:
            return version(package)
        except PackageNotFoundError:
            return None

    return {package: known(package) for package in _PACKAGES}


@lru_cache(maxsize=1)
def _own_code() -> list[Any]:
    """Names, sizes and times of this package's files: a checkout's version stays while its code changes."""
    root = Path(__file__).parents[1]
    stats = ((path, path.stat()) for path in sorted(root.rglob("*.py")))
    return [(str(path.relative_to(root)), stat.st_size, stat.st_mtime_ns) for path, stat in stats]


def _hash_of(file: str) -> str:
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest()
    except OSError:
        return "absent"
