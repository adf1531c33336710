"""Model dataclasses as JSON and back, by their annotations: plain data only, nothing is ever executed."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import lru_cache
from types import NoneType, UnionType
from typing import Any, Union, cast, get_args, get_origin, get_type_hints

_KIND = "$"
"""Names the class in unions of several dataclasses."""


def encode(value: Any) -> Any:
    """Dataclasses as objects that name their class, bytes as base64, tuples as lists."""
    if is_dataclass(value) and not isinstance(value, type):
        pairs = {field.name: encode(getattr(value, field.name)) for field in fields(value)}
        return {_KIND: type(value).__name__} | pairs
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, Mapping):
        return {key: encode(item) for key, item in cast("Mapping[str, Any]", value).items()}
    if isinstance(value, tuple | list | frozenset):
        return [encode(item) for item in cast("tuple[Any, ...]", value)]
    return value


def decode(kind: Any, value: Any) -> Any:
    """The value of an annotated type. ValueError, KeyError or TypeError for data of another shape."""
    return _decoder(kind)(value)


@lru_cache(maxsize=512)
def _decoder(kind: Any) -> Callable[[Any], Any]:
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return _union(inner)
    if origin is tuple:
        return _tuple(inner)
    if origin is frozenset:
        return lambda value: frozenset(_decoder(inner[0])(part) for part in value)
    if origin is not None and issubclass(origin, Mapping):
        return _mapping(inner[1])
    if isinstance(kind, type) and is_dataclass(kind):
        return _dataclass(kind)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind
    if kind is bytes:
        return base64.b64decode
    return _plain(cast("type", kind))


def _plain(kind: type) -> Callable[[Any], Any]:
    accepted = (int, float) if kind is float else kind

    def plain(value: Any) -> Any:
        if not isinstance(value, accepted):
            raise TypeError(f"{value!r} is not {kind}")
        return value

    return plain


def _mapping(inner: Any) -> Callable[[Any], Any]:
    def mapping(value: Any) -> Any:
        item = _decoder(inner)
        return {key: item(part) for key, part in _object(value).items()}

    return mapping


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError(f"{value!r} is not an object")
    return cast("dict[str, Any]", value)


def _tuple(inner: tuple[Any, ...]) -> Callable[[Any], Any]:
    if len(inner) == 2 and inner[1] is Ellipsis:

        def many(value: Any) -> Any:
            item = _decoder(inner[0])
            return tuple(item(part) for part in value)

        return many
    return lambda value: tuple(_decoder(one)(part) for one, part in zip(inner, value, strict=True))


def _union(inner: tuple[Any, ...]) -> Callable[[Any], Any]:
    classes: dict[str, Any] = {one.__name__: one for one in cast("tuple[type, ...]", inner) if is_dataclass(one)}
    tuples = [one for one in inner if get_origin(one) is tuple]
    scalars = tuple(one for one in inner if one in (int, float, bool, str))

    def union(value: Any) -> Any:
        if value is None and NoneType in inner:
            return None
        if isinstance(value, dict):
            return _decoder(classes[value[_KIND]])(value)
        if isinstance(value, list) and tuples:
            return _decoder(tuples[0])(value)
        if isinstance(value, scalars):
            return value
        others = [one for one in inner if one is not NoneType and one not in scalars]
        return _decoder(others[0])(value)

    return union


def _dataclass(kind: type) -> Callable[[Any], Any]:
    def build(value: Any) -> Any:
        hints = _hints(kind)
        parts = _object(value)
        return kind(**{name: _decoder(hint)(parts[name]) for name, hint in hints.items()})

    return build


@lru_cache(maxsize=128)
def _hints(kind: type) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(cast("Any", kind))}
