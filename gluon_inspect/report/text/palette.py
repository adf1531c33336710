"""Colours by meaning; all of them readable on light and dark terminals."""

from __future__ import annotations

LEVEL = {
    "error": "bold red",
    "warning": "bold yellow",
    "note": "bold cyan",
    "clean": "bold green",
    "unknown": "bold magenta",
}
GUTTER = "bold blue"
DIM = "dim"
TITLE = "bold"
