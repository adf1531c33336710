"""What the script and the tools printed, and what could not be done."""

from __future__ import annotations

from collections.abc import Iterator

from gluon_inspect.model.report import Report
from gluon_inspect.tui.chosen import Chosen
from gluon_inspect.tui.highlight import Token
from gluon_inspect.tui.passages import Passage
from gluon_inspect.tui.widgets.prose import Prose


class OutputPane(Prose):
    """Notes and problems first, the printed text below."""

    def __init__(self) -> None:
        super().__init__(id="output", title="Output")
        self._report: Report | None = None
        self._chosen: Chosen | None = None
        self._printed = ""

    def show_kernel(self, chosen: Chosen) -> None:
        """Problems of the kernel, notes of the report."""
        self._chosen, self._report = chosen, chosen.report
        self._show()

    def show_printed(self, text: str) -> None:
        """What came on the standard streams so far."""
        if text != self._printed:
            self._printed = text
            self._show()

    def _show(self) -> None:
        self.show_passages(tuple(self._said()), empty="nothing was printed, nothing went wrong")

    def _said(self) -> Iterator[Passage]:
        if self._chosen is not None:
            yield from (Passage(problem, Token.WARNING) for problem in self._chosen.kernel.problems)
        if self._report is not None:
            yield from (Passage(note, Token.MUTED) for note in self._report.notes)
            if self._report.error is not None and self._report.error.traceback:
                yield Passage(f"The script ended: {self._report.error.told}", Token.ERROR)
                yield Passage(self._report.error.traceback.rstrip(), Token.MUTED, fixed=True)
        if self._printed.strip():
            yield Passage("Printed by the script and the tools", Token.HEADING)
            yield Passage(self._printed.rstrip("\n"), fixed=True)
