"""`gluon-inspect layout`: draw who owns which element, and compare two layouts."""

from __future__ import annotations

import os
import re
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from gluon_inspect.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gluon_inspect.layouts.drawing.subjects import Subject
    from gluon_inspect.layouts.drawing.text import Line
    from gluon_inspect.model.encodings import Encoding

NAME = "layout"
HELP = "draw a layout: who owns which element, which bank holds it; or compare two"
EXAMPLES = """
gluon-inspect layout 'BlockedLayout([1,4],[8,4],[4,1],[1,0])' --shape 64x64
gluon-inspect layout A --shape 64x64 --equal B       what converting A to B moves
"""

_COLUMNS = 80
_SHAPE = re.compile(r"\d+(?:[x,]\d+)*")
_ELEMENT_BITS = (8, 16, 32, 64)
_DIFFERENT = 1


def add_arguments(parser: ArgumentParser) -> None:
    """The layout, the tensor's shape, and what to do with them."""
    parser.add_argument(
        "layout",
        metavar="LAYOUT",
        help="BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0]), in Gluon's syntax, or #ttg.blocked<…>, the IR's",
    )
    parser.add_argument("--shape", required=True, metavar="MxN", help="the tensor's shape, such as 64x64")
    parser.add_argument(
        "--equal",
        metavar="OTHER",
        help="say whether OTHER is the same mapping (exit code 1 if not) and what "
        "converting costs: trivial, register, shuffle, shared or cluster",
    )
    parser.add_argument("--format", choices=("text", "svg"), default="text", help="text (default) or svg")
    parser.add_argument(
        "--bits",
        type=int,
        choices=_ELEMENT_BITS,
        help="element size for banks (default: the layout's own, else 32)",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write there instead of to standard output")


def run(arguments: Namespace) -> int:
    """Draw or compare; the exit code is 1 where two layouts differ."""
    shape = parse_shape(arguments.shape)
    if arguments.equal is not None:
        return _compare(arguments, shape)
    if arguments.format == "svg":
        from gluon_inspect.layouts.drawing.svg import svg

        subject, title = _subject(arguments, shape)
        _write(svg(subject, title), arguments.output)
        return 0
    from gluon_inspect.layouts.drawing.text import drawing

    subject, title = _subject(arguments, shape)
    _show(drawing(subject, title, _COLUMNS), arguments.output)
    return 0


def parse_shape(text: str) -> tuple[int, ...]:
    """64x64 or 64,64 as numbers; UsageError for anything else."""
    if not _SHAPE.fullmatch(text):
        raise UsageError(f"--shape {text!r} is not a shape", hint="write for example --shape 64x64")
    return tuple(int(size) for size in re.split("[x,]", text))


def _subject(arguments: Namespace, shape: tuple[int, ...]) -> tuple[Subject, str]:
    from gluon_inspect.layouts.drawing.phrases import shape_text
    from gluon_inspect.layouts.drawing.subjects import subject
    from gluon_inspect.layouts.gluon_syntax import write_layout
    from gluon_inspect.layouts.lookup import encoding_of
    from gluon_inspect.layouts.lowering import linear_layout

    layout = encoding_of(arguments.layout)
    bits = arguments.bits or _own_bits(layout) or 32
    title = f"{write_layout(layout, shape)} at {shape_text(shape)}"
    return subject(linear_layout(layout, shape), bits, _padding(layout)), title


def _own_bits(encoding: Encoding) -> int | None:
    from gluon_inspect.model.encodings import NvmmaSharedEncoding

    return encoding.element_bits if isinstance(encoding, NvmmaSharedEncoding) else None


def _padding(encoding: Encoding) -> tuple[tuple[int, int], ...]:
    from gluon_inspect.model.encodings import PaddedSharedEncoding, PartitionedSharedEncoding

    match encoding:
        case PaddedSharedEncoding(intervals_pads=pairs):
            return pairs
        case PartitionedSharedEncoding(inner=inner):
            return _padding(inner)
        case _:
            return ()


def _compare(arguments: Namespace, shape: tuple[int, ...]) -> int:
    from gluon_inspect.layouts.comparison import compare
    from gluon_inspect.layouts.lookup import encoding_of

    found = compare(encoding_of(arguments.layout), encoding_of(arguments.equal), shape)
    _write("".join(f"{line}\n" for line in found.lines()), arguments.output)
    return 0 if found.same else _DIFFERENT


def _show(lines: Sequence[Line], output: str | None) -> None:
    """Coloured on a terminal, plain elsewhere."""
    from rich.console import Console
    from rich.style import Style
    from rich.text import Text

    from gluon_inspect.commands._output import terminal_style

    coloured = output is None and terminal_style().colour
    if not coloured:
        _write("".join("".join(span.text for span in line).rstrip() + "\n" for line in lines), output)
        return
    console = Console(width=_COLUMNS, highlight=False, force_terminal=True, color_system=_colours())
    for line in lines:
        text = Text(no_wrap=True, overflow="ignore")
        for span in line:
            colour = span.colour
            style = Style(color=colour.ink, bgcolor=colour.hexadecimal) if colour else Style()
            text.append(span.text, style + Style(bold=span.bold or None))
        console.print(text)


def _colours() -> Literal["256", "truecolor"]:
    """Shades need 256 colours, which terminals have even where TERM does not say so."""
    return "truecolor" if os.environ.get("COLORTERM") in ("truecolor", "24bit") else "256"


def _write(text: str, output: str | None) -> None:
    if output is None:
        sys.stdout.write(text)
        return
    try:
        Path(output).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {output}: {error.strerror}") from error
