"""A text of any length: only the lines on the screen are ever drawn."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from gluon_inspect.listings.document import Document, Language
from gluon_inspect.listings.links import NOTHING, Lit
from gluon_inspect.listings.marks import Mark
from gluon_inspect.tui.gutter import HEATS, Gutter, Part, share_text, wait_text
from gluon_inspect.tui.highlight import Painter, Token, painter
from gluon_inspect.tui.messages import Copied, LinePicked, TextChanged
from gluon_inspect.tui.rows import Rows
from gluon_inspect.tui.search import Hits, find

_EMPTY = Document("", Language.PLAIN)
_MAX_CHARACTERS = 4096
_NARROWEST = 16
_CONTEXT = 3
"""Lines kept around the line that a link scrolls to."""
_PREFIX = "code--"


class CodeView(ScrollView, can_focus=True):
    """Lines with a cursor, a gutter, and lines lit from elsewhere."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"{_PREFIX}{name}"
        for name in (
            *(token.value for token in Token),
            *("gutter", "cursor", "lit", "weak", "picked", "match", "empty"),
            *HEATS,
        )
    }
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False),
        Binding("down,j", "move(1)", "Down", show=False),
        Binding("shift+up,K", "extend(-1)", "Select up", show=False),
        Binding("shift+down,J", "extend(1)", "Select down", show=False),
        Binding("pageup,ctrl+b", "page(-1)", "Page up", show=False),
        Binding("pagedown,ctrl+f", "page(1)", "Page down", show=False),
        Binding("home,g", "edge(0)", "First line", show=False),
        Binding("end,G", "edge(1)", "Last line", show=False),
        Binding("left", "scroll_sideways(-8)", "Scroll left", show=False),
        Binding("right", "scroll_sideways(8)", "Scroll right", show=False),
        Binding("W", "wrap", "Wrap", tooltip="wrap long lines, or not"),
        Binding("y", "copy_lines", "Copy line", show=False),
        Binding("Y", "copy_all", "Copy all", show=False),
    ]

    def __init__(self, *, id: str, title: str) -> None:
        super().__init__(id=id)
        self.title = title
        self.border_title = title
        self.document = _EMPTY
        self.lit = NOTHING
        self.hits = Hits("")
        self.wraps = False
        self._marks: Mapping[int, Mark] = {}
        self._gutter = Gutter(_EMPTY, {})
        self._rows = Rows(())
        self._cursor = 0
        self._anchor: int | None = None
        self._follows_lit = False
        """Whether the lit lines are to stay in sight, or else the cursor: whatever was asked for last."""
        self._paint: Painter = painter(_EMPTY)

    def show_document(self, document: Document, marks: Mapping[int, Mark] | None = None) -> None:
        """Another text; the cursor stays where it is if the text has the same name, else goes to the top."""
        keep = document.name == self.document.name
        self.document, self._marks = document, marks or {}
        self._gutter = Gutter(document, self._marks)
        self._paint = painter(document)
        self.lit, self._anchor = NOTHING, None
        self.hits = find(document.lines, self.hits.text)
        self._lay_out()
        last = max(len(document.lines) - 1, 0)
        self._cursor = min(self._cursor, last) if keep else 0
        if not keep:
            self.scroll_to(0, 0, animate=False, force=True)
        self._tell_position()
        self.refresh()
        if self.id:
            self.post_message(TextChanged(self.id))

    def warm(self, document: Document) -> None:
        """The same text, with shares of the time beside its lines."""
        if document.heat == self.document.heat:
            return
        self.document = document
        self._gutter = Gutter(document, self._marks)
        self._lay_out()
        self._tell_position()
        self.refresh()

    def light(self, lit: Lit) -> None:
        """Light up the lines that belong to what was picked elsewhere, and bring them into view."""
        if lit == self.lit:
            return
        self.lit = lit
        self._follows_lit = bool(lit.all)
        self._show_lit()
        self._tell_position()
        self.refresh()

    def go_to(self, line: int) -> None:
        """Put the cursor on a line and keep some context around it."""
        line = min(max(line, 0), max(len(self.document.lines) - 1, 0))
        self._anchor = None
        if not self._is_visible(line):
            self.scroll_to(y=max(self._rows.row_of(line) - self.size.height // 3, 0), animate=False, force=True)
        self._set_cursor(line)
        if self.id:
            # Also where the cursor was there already: from now on this is the line that others follow.
            self.post_message(LinePicked(self.id, line))

    def search(self, text: str) -> str:
        """Mark every occurrence and go to the first from the cursor on; says how many there are."""
        self.hits = find(self.document.lines, text)
        if (line := self.hits.next_from(self.cursor - 1, forward=True)) is not None:
            self.go_to(line)
        self.refresh()
        return self.hits.summary(self.cursor)

    def search_step(self, forward: bool) -> str:
        """Go to the next or previous occurrence, around the ends."""
        if (line := self.hits.next_from(self.cursor, forward)) is not None:
            self.go_to(line)
        return self.hits.summary(self.cursor)

    @property
    def cursor(self) -> int:
        """The line the cursor is on (0-based)."""
        return self._cursor

    def action_move(self, step: int) -> None:
        """Up or down."""
        self._anchor = None
        self._set_cursor(self.cursor + step)
        self.refresh()

    def action_extend(self, step: int) -> None:
        """Select lines from where the cursor was."""
        if self._anchor is None:
            self._anchor = self.cursor
        self._set_cursor(self.cursor + step)

    def action_page(self, pages: int) -> None:
        """A screen up or down."""
        self._anchor = None
        self._set_cursor(self.cursor + pages * max(self.size.height - 1, 1))

    def action_edge(self, last: int) -> None:
        """The first or last line."""
        self._anchor = None
        self._set_cursor(len(self.document.lines) - 1 if last else 0)

    def action_scroll_sideways(self, cells: int) -> None:
        """Long lines."""
        self.scroll_to(x=max(self.scroll_offset.x + cells, 0), animate=False)

    def action_copy_lines(self) -> None:
        """The selected lines, else the one under the cursor."""
        first, last = self._selected()
        text = "\n".join(self.document.lines[first : last + 1])
        what = f"line {first + 1}" if first == last else f"lines {first + 1} to {last + 1}"
        self.post_message(Copied(text, what))

    def action_copy_all(self) -> None:
        """The whole text."""
        self.post_message(Copied("\n".join(self.document.lines), f"all of {self.title}"))

    def on_click(self, event: events.Click) -> None:
        """The cursor follows the mouse."""
        self._anchor = None
        row = self.scroll_offset.y + event.get_content_offset_capture(self).y
        self._set_cursor(self._rows.at(row)[0])

    def on_resize(self) -> None:
        """A smaller pane must not lose its cursor; one that was hidden has yet to show what is lit."""
        if self.wraps:
            self._lay_out()
        if self._follows_lit:
            self._show_lit()
        else:
            self._keep_visible(self.cursor)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """What the mouse selected."""
        return selection.extract("\n".join(self.document.lines)), "\n"

    def action_wrap(self) -> None:
        """Long lines go on below, or to the right."""
        self.wraps = not self.wraps
        self._lay_out()
        self.scroll_to(x=0, animate=False, force=True)
        self._keep_visible(self.cursor)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """One row of the screen."""
        line, part = self._rows.at(y + self.scroll_offset.y)
        width = self.scrollable_content_region.width
        base = self._base(line)
        if line >= len(self.document.lines):
            return self._blank(y, width, base)
        gutter = Strip([Segment(text, base + self._named(name)) for text, name in self._before(line, part)])
        room = max(width - gutter.cell_length, 0)
        left = part * self._rows.width if self._rows.width else self.scroll_offset.x
        code = Strip(list(self._code(line, base)))
        end = min(left + room, left + self._rows.width) if self._rows.width else left + room
        text = Strip.join([code.crop(left, end), self._wait(line, part, base)]).crop_extend(0, room, base)
        return Strip.join([gutter, text.apply_offsets(left, line)]).crop(0, width)

    def _before(self, line: int, part: int) -> Iterator[Part]:
        if part:
            return self._gutter.blank()
        dull = line == self.cursor and bool(self._cursor_style())
        return self._gutter.parts(line, self.lit, "" if dull else "gutter")

    def _wait(self, line: int, part: int, base: Style) -> Strip:
        """What the line is waited for, behind its end."""
        said = "" if part else wait_text(self.document.heat.get(line))
        return Strip([Segment(said, base + self._style("muted"))] if said else [])

    def _lay_out(self) -> None:
        room = max(self.scrollable_content_region.width - self._gutter.width, _NARROWEST)
        self._rows = Rows(self.document.lines, room if self.wraps else 0)
        longest = max(map(len, self.document.lines), default=0)
        width = 0 if self.wraps else min(longest, _MAX_CHARACTERS) + self._gutter.width
        self.virtual_size = Size(width, self._rows.count)

    def _show_lit(self) -> None:
        lines, lead = self.lit.strong or self.lit.weak, self.lit.lead
        if lead is not None and not any(self._is_visible(line) for line in lines):
            self.scroll_to(y=max(self._rows.row_of(lead) - _CONTEXT, 0), animate=False, force=True)

    def _blank(self, y: int, width: int, base: Style) -> Strip:
        why = [] if self.document.lines else textwrap.wrap(self.document.empty, max(width - 2, 20))
        if y >= len(why):
            return Strip.blank(width, base)
        return Strip([Segment(f" {why[y]}", base + self._style("empty"))]).crop_extend(0, width, base)

    def _base(self, line: int) -> Style:
        style = self.rich_style
        if line in self.lit.strong:
            style += self._style("lit")
        elif line in self.lit.weak:
            style += self._style("weak")
        first, last = self._selected()
        if first <= line <= last and self.document.lines:
            style += self._cursor_style()
        return style

    def _cursor_style(self) -> Style:
        """Seen where the focus is and where the links start; nowhere else."""
        if self.has_focus:
            return self._style("cursor")
        return self._style("picked") if self.has_class("-origin") else Style()

    def _code(self, line: int, base: Style) -> Iterator[Segment]:
        text = self.document.lines[line][:_MAX_CHARACTERS]
        dull = self._cursor_style() if line == self.cursor else Style()
        styles = [
            (paint.start, paint.end, self._style(paint.token.value))
            for paint in self._paint(line)
            # Grey on the bar of the cursor could not be read.
            if not (dull and paint.token is Token.MUTED)
        ]
        styles += [(start, end, self._style("match")) for start, end in self.hits.spans(text)]
        if (selection := self.text_selection) is not None and (span := selection.get_span(line)) is not None:
            end = len(text) if span[1] == -1 else span[1]
            styles.append((span[0], end, self.screen.get_component_rich_style("screen--selection")))
        cuts = sorted({0, len(text), *(at for start, end, _ in styles for at in (start, end) if at < len(text))})
        for start, end in pairwise(cuts):
            style = base
            for left, right, extra in styles:
                if left <= start < right:
                    style += extra
            yield Segment(text[start:end], style)

    def _named(self, name: str) -> Style:
        return self._style(name) if name else Style()

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(f"{_PREFIX}{name}", partial=True)

    def _selected(self) -> tuple[int, int]:
        anchor = self.cursor if self._anchor is None else self._anchor
        return min(anchor, self.cursor), max(anchor, self.cursor)

    def _set_cursor(self, line: int) -> None:
        """Keep the cursor on the screen and tell the others, if it moves at all."""
        line = min(max(line, 0), max(len(self.document.lines) - 1, 0))
        self._follows_lit = False
        if line == self._cursor:
            return
        self._cursor = line
        self._keep_visible(line)
        self._tell_position()
        self.refresh()
        if self.id:
            self.post_message(LinePicked(self.id, line))

    def _is_visible(self, line: int) -> bool:
        top = self.scroll_offset.y
        return top <= self._rows.row_of(line) < top + max(self.scrollable_content_region.height, 1)

    def _keep_visible(self, line: int) -> None:
        top, height = self.scroll_offset.y, max(self.scrollable_content_region.height, 1)
        first, last = self._rows.row_of(line), self._rows.last_row_of(line)
        if first < top:
            self.scroll_to(y=first, animate=False, force=True)
        elif last >= top + height:
            self.scroll_to(y=min(last - height + 1, first), animate=False, force=True)

    def _tell_position(self) -> None:
        lines = len(self.document.lines)
        heat = share_text(self.document.heat.get(self.cursor))
        lit = f"{len(self.lit.all)} linked" if self.lit.all else ""
        parts = (heat, lit, f"{self.cursor + 1}/{lines}" if lines else "")
        self.border_subtitle = "  ".join(filter(None, parts))
