"""Errors, in a panel: what went wrong, where, and what to do."""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Sequence

from gluon_inspect.errors import InspectError
from gluon_inspect.model.artifact import ScriptError
from gluon_inspect.tui.highlight import Token
from gluon_inspect.tui.passages import Passage
from gluon_inspect.tui.widgets.prose import Prose

_MOST_LINES = 12
_PACKAGE = "gluon_inspect"


class ProblemPanel(Prose):
    """Hidden until there is a problem; escape puts it away."""

    def __init__(self) -> None:
        super().__init__(id="problems", title="Problem")

    def show_errors(self, errors: Sequence[InspectError]) -> None:
        """Errors that a user can mend."""
        self._open([passage for error in errors for passage in _error(error)])

    def show_script_error(self, error: ScriptError) -> None:
        """The script raised; what was recorded before it stands."""
        where = f"{error.file}:{error.line}: " if error.file else ""
        passages = [Passage(f"{where}{error.told}", Token.ERROR)]
        passages += [Passage("the traceback stands in Output (o)", Token.MUTED)] if error.traceback else []
        self._open(passages)

    def show_bug(self, error: BaseException) -> None:
        """Something that should not have happened; the rest goes on."""
        told = f"{type(error).__name__}: {error}"
        passages = [Passage(f"a bug in gluon-inspect, in the background: {told}", Token.ERROR)]
        passages += [Passage("please report it with what stands below", Token.HEADING)]
        passages += [Passage(_own_frames(error), Token.MUTED, fixed=True)]
        self._open(passages)

    def clear(self) -> None:
        """No problem any more."""
        self.remove_class("-open")
        self.show_passages(())

    def _open(self, passages: Sequence[Passage]) -> None:
        self.show_passages(passages)
        self.add_class("-open")
        self.border_subtitle = "escape puts this away"
        self.styles.height = min(len(self.document.lines), _MOST_LINES) + 2


def _own_frames(error: BaseException) -> str:
    """The traceback without what only carried the work here."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if _PACKAGE in frame.filename] or frames
    return "".join(traceback.format_list(own)).rstrip()


def _error(error: InspectError) -> Iterator[Passage]:
    where = f"{error.position}: " if error.position else ""
    yield Passage(f"{where}{error.message}", Token.ERROR)
    if error.excerpt:
        yield Passage(error.excerpt, Token.MUTED, fixed=True)
    if error.hint:
        yield Passage(f"hint: {error.hint}", Token.HEADING)
