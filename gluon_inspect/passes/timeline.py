"""One row a pass: whether it changed anything, and what it did to operations, layouts and widths."""

from dataclasses import dataclass

from gluon_inspect.model.report import PassEntry
from gluon_inspect.model.target import Target
from gluon_inspect.model.versions import Version
from gluon_inspect.passes.contents import Contents, contents_of
from gluon_inspect.passes.normalised import fingerprint
from gluon_inspect.passes.states import Compilation, PassRun, State


@dataclass(frozen=True, slots=True)
class Row:
    """A pass and the state it left. `changed` None: the state after it is not known."""

    run: PassRun
    changed: bool | None
    after: Contents


class Timeline:
    """The passes of one compilation; each distinct state is hashed and read once, and only when asked for."""

    def __init__(self, compilation: Compilation, target: Target, version: Version) -> None:
        self.compilation, self._target, self._version = compilation, target, version
        self._prints: dict[int, bytes] = {}
        self._contents: dict[bytes, Contents] = {}

    def changed(self, run: PassRun) -> bool | None:
        """Whether a pass changed more than names; None where a state is missing or cut off."""
        before, after = run.before, run.after
        if before is None or after is None or not after.is_whole:
            return None
        if before.level is not after.level or before.is_llvm_ir is not after.is_llvm_ir:
            return True
        return before.ir != after.ir and self._print(before) != self._print(after)

    def contents(self, state: State | None) -> Contents:
        """What a state holds; empty for one that was not printed."""
        if state is None:
            return Contents(problem="not printed")
        key = self._print(state)
        if key not in self._contents:
            self._contents[key] = contents_of(state, self._target, self._version)
        return self._contents[key]

    def rows(self, *, everything: bool = False) -> tuple[Row, ...]:
        """Every pass, in order; those that another pass ran only if `everything`."""
        runs = self.compilation.runs if everything else self.compilation.outer
        return tuple(Row(run, self.changed(run), self.contents(run.after)) for run in runs)

    def entries(self) -> tuple[PassEntry, ...]:
        """The short list that a report carries; states are hashed, not parsed."""
        return tuple(PassEntry(run.index, run.name, self.changed(run)) for run in self.compilation.runs)

    def _print(self, state: State) -> bytes:
        if id(state) not in self._prints:
            self._prints[id(state)] = fingerprint(state)
        return self._prints[id(state)]
