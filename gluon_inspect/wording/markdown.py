"""Text from kernels and scripts, safe to stand in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gluon_inspect.model.finding import Table
from gluon_inspect.wording.characters import visible
from gluon_inspect.wording.numbers import UNKNOWN, plain, plural

_MEANINGFUL = re.compile(r"[&<>`*_\[\]|@#\\~!$:]")
_CELL_CHARACTERS = 200
PROSE_CHARACTERS = 2_000
_MEANINGFUL_IN_PROSE = re.compile(r"[&<>*\\~|@#`]|(?<!\w)_|_(?!\w)|\](?=[(\[:])|:(?=//)")
_SPANS = re.compile(r"(`[^`\n]*`)")


def escaped(text: str, limit: int = _CELL_CHARACTERS) -> str:
    """Text in which no character means anything to Markdown, HTML or GitHub."""
    return _MEANINGFUL.sub(_entity, visible(text, limit))


def prose(text: str) -> str:
    """Sentences with code spans of ours: outside the spans only what Markdown would take for markup is replaced.

    Longer and easier to read in its source than `escaped`; snake_case and layouts stay as they are.
    """
    parts = _SPANS.split(visible(text))
    return "".join(part if at % 2 else _MEANINGFUL_IN_PROSE.sub(_entity, part) for at, part in enumerate(parts))


def table_lines(table: Table, *, unknown: str = UNKNOWN, most_rows: int | None = None) -> Iterator[str]:
    """A table with its title and note; `unknown` stands for what is None, and rows left out are counted."""
    if table.title:
        yield f"**{escaped(table.title)}**\n"
    titles = (f"{column.title} ({column.unit})" if column.unit else column.title for column in table.columns)
    yield f"| {' | '.join(map(escaped, titles))} |"
    yield f"|{'|'.join('--:' if column.align == 'right' else '---' for column in table.columns)}|"
    for row in table.rows[:most_rows]:
        yield f"| {' | '.join(unknown if cell is None else escaped(plain(cell)) for cell in row)} |"
    left_out = len(table.rows) - len(table.rows[:most_rows])
    if left_out:
        yield f"\n{plural(left_out, 'more row')}, in the JSON report"
    if table.note:
        yield f"\n{escaped(table.note, PROSE_CHARACTERS)}"


def _entity(match: re.Match[str]) -> str:
    return f"&#{ord(match[0])};"
