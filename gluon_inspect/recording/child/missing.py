"""Whether the packages that recording needs are installed."""

from __future__ import annotations

from importlib.util import find_spec

NEEDED = ("triton", "torch")


def check_packages() -> str:
    """The first package that is missing, or an empty string."""
    return next((name for name in NEEDED if find_spec(name) is None), "")
