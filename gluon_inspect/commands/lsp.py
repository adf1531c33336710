"""`gluon-inspect lsp`: the language server, on standard input and output."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from gluon_inspect.errors import UsageError

NAME = "lsp"
HELP = "a language server: costs, layouts and fixes in an editor (docs/editor.md)"
EXAMPLES = """
gluon-inspect lsp                    what an editor starts; it talks on standard input and output
pip install gluon-inspect[lsp]       what it needs beside the tool itself
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Editors name the way they talk, of which there is one."""
    parser.add_argument("--stdio", action="store_true", help="talk on standard input and output (the only way)")


def run(_: Namespace) -> int:
    """Serve until the editor ends it."""
    try:
        from gluon_inspect.lsp.server import make_server
    except ModuleNotFoundError as error:
        if error.name not in ("pygls", "lsprotocol"):
            raise
        raise UsageError("the language server needs pygls", hint="pip install 'gluon-inspect[lsp]'") from None
    make_server().start_io()
    return 0
