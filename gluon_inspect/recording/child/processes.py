"""Processes that a script starts: kernels launched in them are not recorded, and that is said."""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import Any

from gluon_inspect.recording.child.madeup import MadeUp
from gluon_inspect.recording.child.patches import Patches

_PYTHONS = ("python", "torchrun", "accelerate", "pytest")
REMARK = "the script started processes of its own: kernels launched in them are missing here"


def install(patches: Patches, made_up: MadeUp) -> None:
    """Watches multiprocessing (and so torch.multiprocessing) and subprocess start processes."""
    process: Any = importlib.import_module("multiprocessing.process").BaseProcess
    start = process.start

    def watched(self: Any) -> None:
        made_up.remark(REMARK)
        start(self)

    patches.set(process, "start", watched)
    fork = getattr(os, "fork", None)
    if fork is not None:

        def forked() -> int:
            made_up.remark(REMARK)
            return fork()

        patches.set(os, "fork", forked)
    popen: Any = importlib.import_module("subprocess").Popen
    opened = popen.__init__

    def watching(self: Any, command: Any, *arguments: Any, **options: Any) -> None:
        if _runs_python(command):
            made_up.remark(REMARK)
        opened(self, command, *arguments, **options)

    patches.set(popen, "__init__", watching)


def _runs_python(command: Any) -> bool:
    words = command.split() if isinstance(command, str) else [str(word) for word in command or ()]
    return bool(words) and Path(words[0]).name.startswith(_PYTHONS)
