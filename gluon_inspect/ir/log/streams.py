"""Which compilation a printed module belongs to, also where compilations interleave in one log."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from gluon_inspect.ir.log.headers import Header
from gluon_inspect.model.dump import Level

_SHAPE = re.compile(r"(?:tensor|memdesc)<([\dx]+x\w+)")
_SETTINGS = re.compile(r"\"?ttg?\.(?:target|num-warps|num-ctas)\"? = [^,}]+")
_FIRST_PASSES = ("inline", "gluon-inline")
_AFTER_LOOPS = "convert-scf-to-cf"
"""Gluon inlines a second time behind this pass."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A printed module: its header, what it shows at once, and the log from the header on, not all of it."""

    header: Header
    level: Level
    kernel: str
    text: str

    @property
    def settings(self) -> frozenset[str]:
        """Target, warps and CTAs of the module; empty where it does not say."""
        functions = self.text.find(".func", self.header.start)
        return frozenset(_SETTINGS.findall(self.text, self.header.start, max(functions, self.header.start)))

    @property
    def shapes(self) -> frozenset[str]:
        """The distinct shapes of its tensors, which other settings of the same kernel mostly have not."""
        return frozenset(_SHAPE.findall(self.text, self.header.start))


@dataclass(slots=True)
class _Open:
    """A compilation that may go on: its number, what it is called, and its last module."""

    number: int
    kernel: str
    last: Seen


class Streams:
    """Deals modules to compilations; each is numbered when its first module comes."""

    def __init__(self) -> None:
        self._open: list[_Open] = []
        self._count = 0

    def assign(self, found: Seen) -> tuple[int, str]:
        """The number and the kernel of the compilation that a module belongs to."""
        fitting = [one for one in self._open if _goes_on(one, found)]
        chosen = fitting[0] if len(fitting) == 1 else max(fitting, key=_likeness(found), default=None)
        if chosen is None:
            self._close(found.kernel)
            chosen = _Open(self._count, found.kernel, found)
            self._count += 1
        else:
            self._open.remove(chosen)
        # The one used last stands first: of several that fit alike it is taken.
        self._open.insert(0, chosen)
        chosen.kernel, chosen.last = chosen.kernel or found.kernel, found
        return chosen.number, chosen.kernel

    def _close(self, kernel: str) -> None:
        """A compilation at the LLVM level is done when its kernel is compiled anew."""
        self._open = [
            one for one in self._open if one.last.level is not Level.LLVM or (kernel and one.kernel != kernel)
        ]


def _goes_on(one: _Open, found: Seen) -> bool:
    last = one.last
    if found.kernel and one.kernel and found.kernel != one.kernel:
        return False
    if found.level < last.level:
        return False
    first = found.header.argument in _FIRST_PASSES and found.header.moment == last.header.moment
    return not first or last.header.argument == _AFTER_LOOPS


def _likeness(found: Seen) -> Callable[[_Open], tuple[bool, float]]:
    settings, shapes = found.settings, found.shapes

    def alike(one: _Open) -> tuple[bool, float]:
        last = one.last.settings
        both = one.last.shapes | shapes
        shared = len(one.last.shapes & shapes) / len(both) if both else 0.0
        return not last or not settings or last == settings, shared

    return alike
