"""The author's Python with what each line costs beside it."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from gluon_inspect.listings.document import Document, Language
from gluon_inspect.listings.heat import heated_source
from gluon_inspect.listings.marks import marks_of
from gluon_inspect.listings.source import source_document, source_files
from gluon_inspect.model.location import Location
from gluon_inspect.tui.chosen import Chosen
from gluon_inspect.tui.kernels import worst_place
from gluon_inspect.tui.widgets.code_view import CodeView
from gluon_inspect.wording.characters import visible
from gluon_inspect.wording.places import short_path


class SourcePane(CodeView):
    """One file at a time: the kernel's own first."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("s", "next_file", "Next file", show=False)]

    def __init__(self) -> None:
        super().__init__(id="source", title="Source")
        self.document = Document("", Language.PYTHON, empty="the kernels will stand here once they are recorded")
        self._chosen: Chosen | None = None
        self._files: tuple[str, ...] = ()

    @property
    def file(self) -> str:
        """The file shown."""
        return self.document.name

    def show_kernel(self, chosen: Chosen) -> None:
        """The kernel's file, at the worst line; the cursor stays where it was if it is the same one again."""
        before = self._chosen
        self._chosen = chosen
        self._files = source_files(chosen.kernel, chosen.report.sources)
        own = chosen.kernel.kernel.source_file
        self.show_file(own if own in self._files or not self._files else self._files[0])
        again = before is not None and before.kernel.name == chosen.kernel.name
        worst = worst_place(chosen.kernel)
        if not again and (worst is None or not self.jump(worst)):
            self.go_to(max(chosen.kernel.kernel.source_line - 1, 0))

    def show_file(self, file: str) -> None:
        """Another file of the capture, or why there is none."""
        if self._chosen is None:
            return
        text = source_document(file, self._chosen.report.sources)
        document = heated_source(text, self._chosen.kernel.cost)
        self.show_document(document, marks_of(self._chosen.kernel, file))
        self.border_title = f"Source  {visible(short_path(file), 60)}" if file else "Source"

    def jump(self, location: Location) -> bool:
        """Go to the innermost place of a location whose file is at hand; whether there was one."""
        for place in location.chain:
            if place.line and place.file in self._files:
                if place.file != self.file:
                    self.show_file(place.file)
                self.go_to(place.line - 1)
                return True
        return False

    def offer(self, files: tuple[str, ...]) -> None:
        """Show the first of these files that is at hand, unless one of them is shown already."""
        at_hand = [file for file in files if file in self._files]
        if at_hand and self.file not in at_hand:
            self.show_file(at_hand[0])

    def action_next_file(self) -> None:
        """The files of the kernel in turn."""
        if len(self._files) > 1:
            at = self._files.index(self.file) if self.file in self._files else -1
            self.show_file(self._files[(at + 1) % len(self._files)])
