"""The passes of a kernel as a list, and what some of them did as a text. Pure; `passes` knows how."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gluon_inspect import targets
from gluon_inspect.errors import InspectError
from gluon_inspect.listings.document import Document, Language, shown_lines
from gluon_inspect.model.artifact import CompiledKernel
from gluon_inspect.model.report import PassEntry
from gluon_inspect.wording.characters import visible

if TYPE_CHECKING:
    from gluon_inspect.passes.states import Compilation, PassRun, State


@dataclass(frozen=True, slots=True)
class Step:
    """One pass. `changed` None: unknown, since the state before or after it was not printed whole."""

    run: PassRun
    changed: bool | None

    @property
    def name(self) -> str:
        """As the pipeline writes it; the function where the pass ran on one alone."""
        name = visible(self.run.argument or self.run.name, 60)
        return f"{name} on {visible(self.run.scope, 40)}" if self.run.scope else name


def steps_of(kernel: CompiledKernel, entries: tuple[PassEntry, ...] = ()) -> tuple[Step, ...]:
    """The passes of a kernel's compilation, in order; empty without a dump.

    `entries` of the report say which passes changed something; without them the states are compared.
    """
    # Loaded here, in the background: the first screen must not wait for the parser and NumPy.
    from gluon_inspect.passes.states import of_kernel

    compilation = of_kernel(kernel)
    if compilation is None:
        return ()
    known = {entry.index: entry.changed for entry in entries} or _changed(kernel, compilation)
    return tuple(Step(run, known.get(run.index)) for run in compilation.runs)


def _changed(kernel: CompiledKernel, compilation: Compilation) -> Mapping[int, bool | None]:
    from gluon_inspect.passes.timeline import Timeline

    try:
        timeline = Timeline(compilation, targets.find(kernel.target), kernel.version)
    except InspectError:
        return {}
    return {run.index: timeline.changed(run) for run in compilation.runs}


def change(first: Step, last: Step) -> Document:
    """What the passes from one to another did together; names, places and aliases do not count."""
    from gluon_inspect.passes.diff import difference

    name = first.name if first is last else f"{first.name} … {last.name}"
    why = _incomparable(first.run.before, last.run.after)
    if why or first.run.before is None or last.run.after is None:
        return Document(name, Language.DIFF, empty=why)
    found = difference(first.run.before.ir, last.run.after.ir)
    lines = tuple(text for line in found for text in shown_lines(f"{line.sign}{line.text}"))
    return Document(name, Language.DIFF, lines, empty="nothing but names and places changed")


def _incomparable(before: State | None, after: State | None) -> str:
    if before is None or after is None:
        return f"the state {'after' if before else 'before'} it was not printed"
    if before.is_llvm_ir is not after.is_llvm_ir:
        return "it made LLVM IR, which cannot be compared line by line: enter shows it"
    return ""
