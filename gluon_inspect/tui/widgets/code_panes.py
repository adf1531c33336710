"""Source, IR and assembly side by side, linked line by line."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal

from gluon_inspect.listings.links import NOTHING, LinkIndex, files_of, pick
from gluon_inspect.model.location import Location
from gluon_inspect.tui.messages import LinePicked, OperationsPicked, TextChanged
from gluon_inspect.tui.widgets.assembly_pane import AssemblyPane
from gluon_inspect.tui.widgets.code_view import CodeView
from gluon_inspect.tui.widgets.ir_pane import IrPane
from gluon_inspect.tui.widgets.source_pane import SourcePane

_ORDER = ("source", "ir", "assembly")


class CodePanes(Horizontal):
    """Where there is no room for all three, the one asked for last is in front."""

    def __init__(self) -> None:
        super().__init__(id="code")
        self._indices: dict[str, LinkIndex] = {}
        self._picked = ("source", 0)

    def compose(self) -> ComposeResult:
        """The three panes; source and IR are in front at first."""
        for pane, classes in ((SourcePane(), "-front"), (IrPane(), "-side"), (AssemblyPane(), "")):
            pane.set_classes(classes)
            yield pane

    def front(self, pane: str) -> CodeView:
        """Bring a pane to the front."""
        chosen = self.query_one(f"#{pane}", CodeView)
        for view in self._views():
            view.set_class(view is chosen, "-front")
            if not isinstance(chosen, SourcePane):
                view.set_class(view is chosen, "-side")
        return chosen

    def on_line_picked(self, message: LinePicked) -> None:
        """A cursor has moved."""
        message.stop()
        self._link(message.pane, message.line)

    def on_text_changed(self, message: TextChanged) -> None:
        """A text has come: link it to the line that was picked before."""
        message.stop()
        if message.pane != "source":
            self.query_one(IrPane).heat(self.query_one(AssemblyPane).document)
        self._link(*self._picked)

    def _link(self, pane: str, line: int) -> None:
        """Light up what belongs to a line of a pane, and tell which operations these are."""
        view = self.query_one(f"#{pane}", CodeView)
        self._picked = (pane, line)
        picked = pick(view.document, line)
        source, ir = self.query_one(SourcePane), self.query_one(IrPane)
        if view is not source:
            source.offer(files_of(picked))
        view.light(NOTHING)
        for other in self._views():
            other.set_class(other is view, "-origin")
            if other is not view:
                other.light(self._index(other).lit(picked))
        self.post_message(OperationsPicked(ir.operations_at((line,) if view is ir else ir.lit.all)))

    def jump(self, location: Location, focus: bool) -> bool:
        """Show a place in the source; whether its file is at hand."""
        source = self.query_one(SourcePane)
        found = source.jump(location)
        if found and focus:
            self.screen.set_focus(self.front("source"))
        return found

    def follow(self, view: CodeView) -> CodeView | None:
        """The next pane that has lit lines, its cursor on the first of them; None where there is none."""
        views = list(self._views())
        if view not in views:
            return None
        at = views.index(view)
        for other in (*views[at + 1 :], *views[:at]):
            if (line := other.lit.lead) is not None:
                self.front(other.id or "")
                other.go_to(line)
                return other
        return None

    def _views(self) -> tuple[CodeView, ...]:
        return tuple(self.query_one(f"#{pane}", CodeView) for pane in _ORDER)

    def _index(self, view: CodeView) -> LinkIndex:
        """The index of the text that the view shows now."""
        known = self._indices.get(view.id or "")
        if known is None or known.document is not view.document:
            known = self._indices[view.id or ""] = LinkIndex(view.document)
        return known
