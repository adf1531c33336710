"""The tool's own version."""

from __future__ import annotations

NOT_INSTALLED = "0+not.installed"


def tool_version() -> str:
    """The installed version; `0+not.installed` in a checkout that is only on the path."""
    # Imported when asked for: reading package metadata is slow, and `--help` needs none.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("gluon-inspect")
    except PackageNotFoundError:
        return NOT_INSTALLED
