"""Pages as Markdown: for a comment or a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gluon_inspect.model.finding import Table
from gluon_inspect.model.page import Code, Heading, Part, Prose
from gluon_inspect.wording.characters import visible
from gluon_inspect.wording.markdown import PROSE_CHARACTERS, escaped, table_lines


def page_as_markdown(parts: Iterable[Part]) -> str:
    """The page; nothing in its texts means anything to Markdown."""
    return "\n\n".join("\n".join(_lines(part)) for part in parts) + "\n"


def _lines(part: Part) -> Iterator[str]:
    match part:
        case Heading(text, level):
            yield f"{'#' * level} {escaped(text, PROSE_CHARACTERS)}"
        case Prose(text):
            yield escaped(text, PROSE_CHARACTERS)
        case Code(lines, is_diff):
            yield "```diff" if is_diff else "```"
            yield from (visible(line).replace("```", "'''") for line in lines)
            yield "```"
        case Table():
            yield from table_lines(part, unknown="")
