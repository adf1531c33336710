"""GPU architectures as constants, each number with its source."""

from __future__ import annotations

import re
from difflib import get_close_matches

from gluon_inspect.errors import UsageError
from gluon_inspect.model.target import Target
from gluon_inspect.targets import amd, nvidia

ALL: tuple[Target, ...] = (*nvidia.TARGETS, *amd.TARGETS)
USUAL = "cuda:90"
"""What scripts are recorded for, and what IR of an unknown target is read as."""
_BY_NAME = {target.name: target for target in ALL}

_CUDA = re.compile(r"(?:cuda:|sm_|compute_|sm)?(\d{2,3})[af]?")
_HIP = re.compile(r"(?:hip:|rocm:)?(gfx[0-9a-f]+)(?::.*)?")


def find(name: str) -> Target:
    """The target that a name means: "cuda:90", "cuda:90a", "sm_90", "hip:gfx942", "gfx942".

    Raises UsageError, naming the nearest known target and all of them, for anything else.
    """
    if not name.strip():
        raise UsageError("the file does not say which GPU it is for", hint=f"give --target; {_suggestion(name)}")
    target = _BY_NAME.get(_canonical(name))
    if target is None:
        raise UsageError(f"unknown target {name!r}", hint=_suggestion(name))
    return target


def _canonical(name: str) -> str:
    name = name.strip().lower()
    if match := _CUDA.fullmatch(name):
        return f"cuda:{match[1]}"
    if match := _HIP.fullmatch(name):
        return f"hip:{match[1]}"
    return name


def _suggestion(name: str) -> str:
    known = f"known targets: {', '.join(_BY_NAME)}"
    near = get_close_matches(_canonical(name), _BY_NAME, n=1, cutoff=0.6)
    return f"did you mean {near[0]}? {known}" if near else known
