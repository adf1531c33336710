"""The machine code: SASS with control codes, AMDGCN, PTX or LLVM IR."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from textual.binding import Binding, BindingType

from gluon_inspect.listings.assembly import Columns, assembly_document, stages_of
from gluon_inspect.listings.document import Document, Language
from gluon_inspect.listings.heat import heated_assembly
from gluon_inspect.tui.background import in_background
from gluon_inspect.tui.chosen import Chosen
from gluon_inspect.tui.messages import AssemblyRead
from gluon_inspect.tui.widgets.code_view import CodeView

_NAMES = {"sass": "SASS", "amdgcn": "AMDGCN", "ptx": "PTX", "llir": "LLVM IR"}
_COLUMNS = tuple(Columns)


class AssemblyPane(CodeView):
    """One listing at a time, closest to the machine first."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "next_stage", "Listing", tooltip="next listing: SASS, PTX, LLVM IR"),
        Binding("c", "next_columns", "Columns", tooltip="show or hide scheduling and addresses"),
    ]

    def __init__(self) -> None:
        super().__init__(id="assembly", title="Assembly")
        self._chosen: Chosen | None = None
        self.stage = ""
        self.columns = Columns.BARE

    def show_kernel(self, chosen: Chosen) -> None:
        """The listing of the same kind as before where the kernel has it."""
        self._chosen = chosen
        stages = stages_of(chosen.kernel.kernel)
        self._show(self.stage if self.stage in stages else next(iter(stages), ""))

    def action_next_stage(self) -> None:
        """The kernel's listings in turn."""
        stages = stages_of(self._chosen.kernel.kernel) if self._chosen else ()
        if len(stages) > 1:
            self._show(stages[(stages.index(self.stage) + 1) % len(stages)])

    def action_next_columns(self) -> None:
        """Instructions alone, with their scheduling, with their addresses too."""
        self.columns = _COLUMNS[(_COLUMNS.index(self.columns) + 1) % len(_COLUMNS)]
        self._read_again()
        self.notify(self.columns.value, timeout=2)

    def on_assembly_read(self, message: AssemblyRead) -> None:
        """Show the listing, unless another kernel has been chosen since."""
        message.stop()
        if self._chosen is not None and message.kernel == self._chosen.index:
            self.show_document(message.document)

    def _show(self, stage: str) -> None:
        self.stage = stage
        self.border_title = f"Assembly  {_NAMES.get(stage, '')}".rstrip()
        self.show_document(Document(f"{stage} is being read", Language.SASS))
        self._read_again()

    def _read_again(self) -> None:
        if self._chosen is not None:
            in_background(self, partial(self._read, self._chosen, self.stage, self.columns), "assembly")

    def _read(self, chosen: Chosen, stage: str, columns: Columns) -> None:
        document = assembly_document(chosen.kernel.kernel, stage, columns)
        self.post_message(AssemblyRead(chosen.index, heated_assembly(document, chosen.kernel.cost)))
