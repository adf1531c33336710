"""Pages as Markdown: for a comment or a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gluon_inspect.model.finding import Table
from gluon_inspect.model.page import Code, Heading, Part, Prose
from gluon_inspect.wording.characters import visible
from gluon_inspect.wording.markdown import escaped
from gluon_inspect.wording.numbers import plain

_PROSE_CHARACTERS = 2_000


def page_as_markdown(parts: Iterable[Part]) -> str:
    """The page; nothing in its texts means anything to Markdown."""
    return "\n\n".join("\n".join(_lines(part)) for part in parts) + "\n"


def _lines(part: Part) -> Iterator[str]:
    match part:
        case Heading(text, level):
            yield f"{'#' * level} {escaped(text, _PROSE_CHARACTERS)}"
        case Prose(text):
            yield escaped(text, _PROSE_CHARACTERS)
        case Code(lines, is_diff):
            yield "```diff" if is_diff else "```"
            yield from (visible(line).replace("```", "'''") for line in lines)
            yield "```"
        case Table():
            yield from _table(part)


def _table(table: Table) -> Iterator[str]:
    if table.title:
        yield f"**{escaped(table.title)}**\n"
    titles = (f"{column.title} ({column.unit})" if column.unit else column.title for column in table.columns)
    yield f"| {' | '.join(map(escaped, titles))} |"
    yield f"|{'|'.join('--:' if column.align == 'right' else '---' for column in table.columns)}|"
    for row in table.rows:
        yield f"| {' | '.join('' if cell is None else escaped(plain(cell)) for cell in row)} |"
    if table.note:
        yield f"\n{escaped(table.note, _PROSE_CHARACTERS)}"
