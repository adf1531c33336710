"""The IR: read in the background, first as text and then with its places."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache, partial
from typing import ClassVar

from textual.binding import Binding, BindingType

from gluon_inspect.errors import InspectError
from gluon_inspect.listings.document import Document, Language
from gluon_inspect.listings.heat import heated_ir
from gluon_inspect.listings.ir import Form, IrText, ir_text, located
from gluon_inspect.model.mlir import Module, Operation
from gluon_inspect.tui.background import in_background
from gluon_inspect.tui.chosen import Chosen
from gluon_inspect.tui.messages import IrRead
from gluon_inspect.tui.widgets.code_view import CodeView
from gluon_inspect.wording.characters import visible

_STAGES = ("ttgir", "ttir")
_FORMS = tuple(Form)


@lru_cache(maxsize=4)
def _module(text: str) -> Module | str:
    """The parsed module, or why there is none."""
    try:
        from gluon_inspect.ir.text import parse_module

        return parse_module(text, name="ttgir")
    except InspectError as error:
        return str(error)


class IrPane(CodeView):
    """TTGIR after the last pass, or after any pass of the timeline."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("e", "next_form", "Layouts", tooltip="layouts short, spelled out, as printed"),
        Binding("b", "back", "Back to the final IR", show=False),
    ]

    def __init__(self) -> None:
        super().__init__(id="ir", title="IR")
        self.form = Form.SHORT
        self.view: IrText | None = None
        self._kernel = -1
        self._stage = ""
        self._final = ("", "")
        self._text = ""

    def show_kernel(self, chosen: Chosen) -> None:
        """The last stage that still has layouts."""
        self._kernel = chosen.index
        stages = chosen.kernel.kernel.stages
        stage = next((stage for stage in _STAGES if stages.get(stage)), "")
        self._final = (stage, stages.get(stage, ""))
        self.show_stage(*self._final)

    def show_stage(self, stage: str, text: str) -> None:
        """A stage or the IR after a pass; it appears when the background has read it."""
        self._stage, self._text = stage, text
        self.border_title = f"IR  {visible(stage, 60)}" if stage else "IR"
        if not text:
            self.view = None
            self.show_document(Document("ir", Language.MLIR, empty="this input has no IR"))
            return
        self._read()

    def operations_at(self, lines: Iterable[int]) -> tuple[Operation, ...]:
        """The operations that begin on some lines, in order."""
        if self.view is None:
            return ()
        known = self.view.operations
        return tuple(known[line] for line in sorted(lines) if line in known)

    def heat(self, assembly: Document) -> None:
        """Shares of the expected time, from the listing's instructions; only of the final IR."""
        if self.view is not None and assembly.heat and (self._stage, self._text) == self._final:
            self.warm(heated_ir(self.document, assembly))

    def action_next_form(self) -> None:
        """Layouts by alias, spelled out as Gluon code, and the text as it stands."""
        self.form = _FORMS[(_FORMS.index(self.form) + 1) % len(_FORMS)]
        if self._text:
            self._read()
        self.notify(f"layouts {self.form.value}", timeout=2)

    def action_back(self) -> None:
        """From the IR after a pass to the final one."""
        if (self._stage, self._text) != self._final:
            self.show_stage(*self._final)

    def on_ir_read(self, message: IrRead) -> None:
        """Show what was read, unless something else has been asked for since."""
        message.stop()
        if message.kernel != self._kernel or message.text.document.name != self._wanted():
            return
        self.view = message.text
        cursor, top = self.cursor, self.scroll_offset.y
        self.show_document(message.text.document)
        if cursor < len(self.document.lines):
            self.scroll_to(y=top, animate=False, force=True)
        self.border_title = f"IR  {visible(self._stage, 60)}" + (" (not parsed)" if message.problem else "")
        if message.problem:
            self.notify(visible(message.problem, 300), title="IR without links", severity="warning")

    def _wanted(self) -> str:
        return f"{self._kernel}:{self._stage}:{self.form.value}"

    def _read(self) -> None:
        work = partial(self._work, self._kernel, self._wanted(), self._text, self.form)
        in_background(self, work, "ir")

    def _work(self, kernel: int, name: str, text: str, form: Form) -> None:
        first = ir_text(name, text, form)
        self.post_message(IrRead(kernel, first))
        module = _module(text)
        if isinstance(module, str):
            self.post_message(IrRead(kernel, first, module))
        else:
            self.post_message(IrRead(kernel, located(first, module)))
