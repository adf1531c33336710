"""SSA names: what each stands for, where it may be seen, and uses that come before their definition."""

from __future__ import annotations

from dataclasses import dataclass, field

from gluon_inspect.ir.text.tokenizer import error
from gluon_inspect.model.location import Location
from gluon_inspect.model.mlir import Value
from gluon_inspect.model.types import OpaqueType, Type
from gluon_inspect.source import SourceText

UNKNOWN_TYPE = OpaqueType("")


@dataclass(slots=True)
class _Region:
    """Names defined directly in one region, with what they hid; `lenient` ones may hide a name from outside."""

    lenient: bool
    hidden: dict[str, Value | None] = field(default_factory=dict[str, "Value | None"])


@dataclass(slots=True)
class _Use:
    """A use before its definition, which must come in the region at `depth` or one around it."""

    value: Value
    offset: int
    depth: int


@dataclass(slots=True)
class _Isolated:
    """Names seen inside one isolated operation, and uses still without a definition."""

    names: dict[str, Value] = field(default_factory=dict[str, Value])
    pending: dict[str, _Use] = field(default_factory=dict[str, "_Use"])
    regions: list[_Region] = field(default_factory=list[_Region])


class Scopes:
    """The SSA names of one text. All methods raise ParseError for names that cannot be."""

    def __init__(self, source: SourceText) -> None:
        self._source = source
        self._stack = [_Isolated(regions=[_Region(False)])]
        self._count = 0
        self.names = self._stack[0].names

    def enter(self, *, isolated: bool, lenient: bool) -> None:
        """A region begins."""
        if isolated:
            self._stack.append(_Isolated())
            self.names = self._stack[-1].names
            self._stack[-1].regions.append(_Region(False))
        else:
            regions = self._stack[-1].regions
            regions.append(_Region(lenient or regions[-1].lenient))

    def leave(self) -> None:
        """The innermost region ends, and with it its names."""
        top = self._stack[-1]
        region = top.regions.pop()
        if not top.regions:
            self._require_none_pending(top)
            self._stack.pop()
            self.names = self._stack[-1].names
            return
        for name, before in region.hidden.items():
            if before is None:
                del top.names[name]
            else:
                top.names[name] = before
        for use in top.pending.values():
            use.depth = min(use.depth, len(top.regions))

    def finish(self) -> None:
        """The text ends."""
        self._require_none_pending(self._stack[0])

    def _require_none_pending(self, scope: _Isolated) -> None:
        if scope.pending:
            name, use = min(scope.pending.items(), key=lambda item: item[1].offset)
            raise error(self._source, use.offset, f"{name} is never defined")

    def use(self, name: str, offset: int) -> Value:
        """The value of a name; one that is not defined yet gets its type when it is."""
        known = self.names.get(name)
        if known is not None:
            return known
        base, _, number = name.partition("#")
        if number == "0" and base in self.names:
            return self.names[base]
        if number and self.is_defined(base):
            raise error(self._source, offset, f"{base} has no result {number}")
        key = base if number == "0" else name
        value = self.names[key] = Value(self._next(), key, UNKNOWN_TYPE)
        self._stack[-1].pending[key] = _Use(value, offset, len(self._stack[-1].regions))
        return value

    def is_defined(self, name: str) -> bool:
        """Whether a name is defined here."""
        return name in self.names and not self._is_waiting(name)

    def _is_waiting(self, name: str) -> bool:
        top = self._stack[-1]
        return name in top.pending and top.names[name] is top.pending[name].value

    def define(self, name: str, types: list[Type], location: Location | None, offset: int) -> tuple[Value, ...]:
        """The values of a new name, one for each type; `name` is without #."""
        self._require_new(name, offset)
        if len(types) == 1:
            return (self._bind(name, name, types[0], location),)
        return tuple(
            self._bind(f"{name}#{at}" if at else name, f"{name}#{at}", of, location) for at, of in enumerate(types)
        )

    def anonymous(self, types: list[Type], location: Location | None) -> tuple[Value, ...]:
        """Results that have no name."""
        return tuple(Value(self._next(), "", of, location) for of in types)

    def _require_new(self, name: str, offset: int) -> None:
        region = self._stack[-1].regions[-1]
        if name in region.hidden or (not region.lenient and self.is_defined(name)):
            raise error(self._source, offset, f"{name} is defined twice")

    def _bind(self, key: str, shown: str, of: Type, location: Location | None) -> Value:
        top = self._stack[-1]
        region = top.regions[-1]
        waiting = top.pending.get(key)
        if waiting is None or waiting.depth < len(top.regions):
            region.hidden[key] = top.names.get(key)
            value = top.names[key] = Value(self._next(), shown, of, location)
            return value
        region.hidden[key] = None
        del top.pending[key]
        return _filled(waiting.value, shown, of, location)

    def _next(self) -> int:
        self._count += 1
        return self._count - 1


def _filled(value: Value, name: str, of: Type, location: Location | None) -> Value:
    """Complete a value that was used before its definition; its users hold this very object."""
    object.__setattr__(value, "name", name)
    object.__setattr__(value, "type", of)
    object.__setattr__(value, "location", location)
    return value
