"""Which pointer parameters a kernel may write through, so that what it only reads stays known.

Read off the text of its TTGIR: names that meet on a line about pointers are taken for one pointer. That
joins too much, never too little, and any operation that is not known to leave memory alone counts as a write.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property

from gluon_inspect.ir.operations import arith, lookup, tt
from gluon_inspect.ir.operations.kinds import OPAQUE
from gluon_inspect.ir.operations.kinds import OperationKind as K
from gluon_inspect.loading.parameters import parameters

_NAME = re.compile(r"%[\w$.-]+")
_OPERATION = re.compile(r"(?:^\s*|=\s*)\"?([a-z_]+\.[\w.]+)\"?")
_POINTERS = ("!tt.ptr", "!tt.tensordesc", "!ttng.tensordesc")
_LOADS = (K.GLOBAL_LOAD, K.BULK_LOAD, K.BULK_PREFETCH, K.GLOBAL_TO_SHARED)
_MOVES = (K.SHAPE, K.CONVERSION, K.CONTROL)
_OF_FIRST = (tt.ADDPTR, tt.MAKE_TENSOR_DESCRIPTOR)
"""The result points where the first operand does; the others are numbers."""


class Effects:
    """What a launch does to memory, read off the TTGIR when somebody asks; `text`: None where there is none."""

    def __init__(self, text: Callable[[], str | None]) -> None:
        self._text = text

    @cached_property
    def _ttgir(self) -> str | None:
        return self._text()

    @cached_property
    def _read_only(self) -> frozenset[str]:
        return frozenset() if self._ttgir is None else read_only(self._ttgir)

    def writes(self, name: str) -> bool:
        """Whether it may write through a parameter."""
        return name not in self._read_only

    def makes_pointers(self) -> bool:
        """Whether it takes integers for addresses: it may write anywhere they say."""
        return self._ttgir is None or tt.INT_TO_PTR.name in self._ttgir


UNKNOWN = Effects(lambda: None)


class _Classes:
    """Names that may stand for the same pointer."""

    def __init__(self) -> None:
        self._parent: dict[str, str] = {}

    def of(self, name: str) -> str:
        while (parent := self._parent.get(name, name)) != name:
            name = parent
        return name

    def join(self, names: list[str]) -> None:
        for name in names[1:]:
            first, second = self.of(names[0]), self.of(name)
            if first != second:
                self._parent[second] = first


def read_only(ttgir: str) -> frozenset[str]:
    """The Python names of the pointer parameters that a kernel certainly does not write through."""
    classes, written = _Classes(), set[str]()
    for line in ttgir.splitlines():
        if tt.FUNC.name not in line and any(pointer in line for pointer in _POINTERS):
            _read_line(line.partition(" loc(")[0], classes, written)
    roots = {classes.of(name) for name in written}
    return frozenset(p.name for p in parameters(ttgir) if p.pointee and classes.of("%" + p.value) not in roots)


def _read_line(line: str, classes: _Classes, written: set[str]) -> None:
    names = _NAME.findall(line)
    found = _OPERATION.search(line)
    row = (lookup(found[1]) if found else None) or OPAQUE
    results = len(_NAME.findall(line.partition(" = ")[0])) if _is_assignment(line) else 0
    if row.kind in _LOADS:
        return
    if row.kind in _MOVES or row in (tt.BITCAST, arith.SELECT):
        classes.join(names)
    elif row in _OF_FIRST:
        classes.join(names[:2])
    elif row is tt.STORE:
        written.update(names[:1])
    elif line.lstrip().startswith("^"):
        return
    else:
        written.update(names[results:])


def _is_assignment(line: str) -> bool:
    return line.lstrip().startswith("%")
