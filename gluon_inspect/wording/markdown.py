"""Text from kernels and scripts, safe to stand in Markdown."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from gluon_inspect.model.finding import Cell, Entry, Kind, Table, Tone
from gluon_inspect.model.page import Code, Heading, Part, Prose
from gluon_inspect.wording.cells import remarks_of, said, title_of
from gluon_inspect.wording.characters import visible
from gluon_inspect.wording.numbers import UNKNOWN, plural

_MEANINGFUL = re.compile(r"[&<>`*_\[\]|@#\\~!$:]")
_CELL_CHARACTERS = 200
_REMARKS = 20
MARKS = {"error": "🔴", "warning": "🟡", "note": "🔵", "clean": "🟢", "unknown": "⚪"}
"""A severity, "clean" or "unknown" where there are no colours."""
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
    if not table.columns:
        return
    shown = [at for at, column in enumerate(table.columns) if not column.remark]
    yield f"| {' | '.join(escaped(title_of(table.columns[at])) for at in shown)} |"
    yield f"|{'|'.join('--:' if table.columns[at].align == 'right' else '---' for at in shown)}|"
    for row in table.rows[:most_rows]:
        yield f"| {' | '.join(_cell(row[at], unknown) for at in shown)} |"
    left_out = len(table.rows) - len(table.rows[:most_rows])
    if left_out:
        yield f"\n{plural(left_out, 'more row')}, in the JSON report"
    if remarks := [f"- {escaped(remark, PROSE_CHARACTERS)}" for remark in islice(remarks_of(table), _REMARKS)]:
        yield "\n" + "\n".join(remarks)
    if table.note:
        yield f"\n{escaped(table.note, PROSE_CHARACTERS)}"


def _cell(entry: Entry, unknown: str) -> str:
    text = escaped(said(entry, blank=unknown))
    if not isinstance(entry, Cell) or not text:
        return text
    if entry.kind is Kind.LEVEL:
        return MARKS.get(text, "")
    if entry.kind in (Kind.LAYOUT, Kind.NAME):
        return f"<code>{text}</code>"
    return f"**{text}**" if entry.tone is Tone.POOR else text


def page_as_markdown(parts: Iterable[Part]) -> str:
    """The page; nothing in its texts means anything to Markdown."""
    return "\n\n".join("\n".join(_part_lines(part)) for part in parts) + "\n"


def _part_lines(part: Part) -> Iterator[str]:
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


def _entity(match: re.Match[str]) -> str:
    return f"&#{ord(match[0])};"
