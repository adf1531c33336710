"""`gluon-inspect cache`: where the cache is, how large, and clearing it."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

NAME = "cache"
HELP = "say where the tool's cache is and how large; clear empties it"
EXAMPLES = """
gluon-inspect cache          where it is and how large
gluon-inspect cache clear    empty it
"""


def add_arguments(parser: ArgumentParser) -> None:
    """What to do."""
    parser.add_argument("action", nargs="?", choices=("show", "clear"), default="show")


def run(arguments: Namespace) -> int:
    """Show, or clear and show."""
    from gluon_inspect.loading.cache import MOST_BYTES, cache_folder, clear, parts

    folder = cache_folder()
    if arguments.action == "clear":
        clear(folder)
    found = parts(folder)
    lines = [f"{folder}: {sum(part.bytes for part in found) / 1e6:,.1f} MB of at most {MOST_BYTES / 1e6:,.0f} MB"]
    lines += [f"  {part.name}: {part.entries:,} entries, {part.bytes / 1e6:,.1f} MB" for part in found]
    sys.stdout.write("\n".join(lines) + "\n")
    return 0
