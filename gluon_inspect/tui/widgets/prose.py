"""Running text that wraps to its pane, with headings; searched and copied from like code."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from gluon_inspect.listings.document import Document, Language, shown_lines
from gluon_inspect.tui.highlight import Paint, Token
from gluon_inspect.tui.passages import Passage
from gluon_inspect.tui.widgets.code_view import CodeView

_NARROWEST, _WIDEST = 20, 110


class Prose(CodeView):
    """Paragraphs, wrapped anew whenever the pane's width changes."""

    def __init__(self, *, id: str, title: str) -> None:
        super().__init__(id=id, title=title)
        self._passages: tuple[Passage, ...] = ()
        self._tokens: tuple[Token | None, ...] = ()
        self._wrapped = 0

    def show_passages(self, passages: Sequence[Passage], empty: str = "") -> None:
        """Another text; `empty` says why there is none."""
        self._passages = tuple(passages)
        self._wrap(empty)

    def on_resize(self) -> None:
        """Wrap to the new width."""
        if self.wrap_width() != self._wrapped:
            self._wrap(self.document.empty)
        super().on_resize()

    def wrap_width(self) -> int:
        """Cells to wrap to; a pane that is not shown yet has none, and wraps when it is."""
        return max(min(self.scrollable_content_region.width - 2, _WIDEST), _NARROWEST) if self.size else _WIDEST

    def _wrap(self, empty: str) -> None:
        self._wrapped = self.wrap_width()
        lines = [pair for passage in self._passages for pair in _lines(passage, self._wrapped)]
        document = Document(self.title, Language.PLAIN, tuple(line for line, _ in lines), empty=empty)
        self.show_document(document)
        self._tokens = tuple(token for _, token in lines)
        self._paint = self._token

    def _token(self, line: int) -> tuple[Paint, ...]:
        token = self._tokens[line] if line < len(self._tokens) else None
        return (Paint(0, len(self.document.lines[line]), token),) if token else ()


def _lines(passage: Passage, width: int) -> Iterator[tuple[str, Token | None]]:
    for line in shown_lines(passage.text) or ("",):
        pieces = [line] if passage.fixed else textwrap.wrap(line, width, break_long_words=False) or [""]
        yield from ((piece, passage.token) for piece in pieces)
