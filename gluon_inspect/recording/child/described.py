"""Constants and sources as text that is the same in every run, and differs where anything differs that was given.

Triton takes an object for what its `str` says: one address a run, or one text for objects that differ.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import json
import os
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import suppress
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, cast

from gluon_inspect.recording.child.patches import Patches

_DEEPEST = 32
_FORM = 1
"""Of what is kept of a compilation: another number makes what is in the cache useless."""
_PLAIN = (bool, int, float, complex, str, bytes, type(None))
_COMPILER = ("compiler", "backends", "language", "experimental", "runtime", "_C")


def described(value: Any, depth: int = 0) -> str:
    """A constant with all that it holds: objects of classes by their attributes and their class's source."""
    if isinstance(value, _PLAIN):
        return f"{type(value).__name__} {value!r}"
    if depth > _DEEPEST:
        return "…"
    if (key := getattr(value, "cache_key", None)) is not None and hasattr(value, "fn"):
        return f"jit {key}"
    if isinstance(value, type):
        return _class(cast("Any", value))
    own = _class(cast("Any", type(value)))
    if isinstance(value, Enum):
        return f"{own}.{value.name}"
    return f"{own}({', '.join(_parts(value, depth + 1))})"


def _parts(value: Any, depth: int) -> Iterator[str]:
    """What an object holds: items of containers, attributes of others; what has neither is its text."""
    if isinstance(value, Mapping):
        pairs = cast("Mapping[Any, Any]", value).items()
        yield from sorted(f"{described(key, depth)}: {described(item, depth)}" for key, item in pairs)
    elif isinstance(value, Set):
        yield from sorted(described(item, depth) for item in cast("Set[Any]", value))
    elif isinstance(value, Sequence):
        yield from (described(item, depth) for item in cast("Sequence[Any]", value))
    elif callable(value) and hasattr(value, "__code__"):
        yield hashlib.sha256(value.__code__.co_code + repr(value.__code__.co_consts).encode()).hexdigest()
    elif attributes := _attributes(value):
        yield from (f"{name}={described(item, depth)}" for name, item in sorted(attributes.items()))
    else:
        yield str(value)


def _attributes(value: Any) -> dict[str, Any]:
    slots = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
    found = {name: getattr(value, name) for name in slots if hasattr(value, name)}
    return found | dict(getattr(value, "__dict__", {}))


@cache
def _class(kind: type[Any]) -> str:
    """Its name; with a class of the author's own goes its source, and the kernels among its methods."""
    name = f"{kind.__module__}.{kind.__qualname__}"
    if kind.__module__.partition(".")[0] in ("builtins", "triton", "torch"):
        return name
    with suppress(OSError, TypeError):
        text = inspect.getsource(kind)
        keys = [str(each.cache_key) for each in vars(kind).values() if hasattr(each, "cache_key")]
        return f"{name}#{hashlib.sha256(' '.join([text, *keys]).encode()).hexdigest()}"
    return name


def compilation_key(source: Any, target: Any, options: Any) -> str:
    """What is compiled, by what, for what: equal keys stand for equal results, in any run."""
    parts = [_FORM, *_source(source), str(target), described(dict(options or {})), _environment(), _compiler()]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:40]


def _source(source: Any) -> list[str]:
    function = getattr(source, "fn", None)
    if function is None:
        with suppress(OSError):
            return [str(source), Path(source).read_text(encoding="utf-8")]
        return [described(source)]
    constants = sorted((str(path), described(value)) for path, value in source.constants.items())
    key, used = function.cache_key, function.used_global_vals
    read = sorted((name, described(value)) for (name, _), (value, _) in used.items() if not hasattr(value, "fn"))
    place = f"{function.fn.__code__.co_filename} {function.__module__}"
    given = [str(source.attrs), str(sorted(source.signature.items())), type(source).__name__]
    return [str(key), place, *given, json.dumps([constants, read])]


def _environment() -> str:
    compiled: Any = importlib.import_module("triton._C.libtriton")
    found: dict[str, Any] = getattr(compiled, "get_cache_invalidating_env_vars", dict)()
    return str(sorted(found.items()))


@cache
def _compiler() -> str:
    """Version, and names, sizes and times of the compiler's files: a checkout is changed without a new version."""
    triton: Any = importlib.import_module("triton")
    root = Path(triton.__file__).parent
    parts = [str(triton.__version__)]
    for folder in _COMPILER:
        for path in sorted((*(root / folder).rglob("*.py"), *(root / folder).glob("*.so"))):
            state = os.stat(path)
            parts.append(f"{path.name} {state.st_size} {state.st_mtime_ns}")
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()


def install(patches: Patches) -> None:
    """Triton's own table of kernels keeps constants apart that differ in more than their text."""
    jit: Any = importlib.import_module("triton.runtime.jit")
    original = getattr(jit, "compute_cache_key", None)
    if original is None:
        return

    def compute_cache_key(known: Any, specialization: Any, options: Any) -> str:
        own = [
            described(value) for kind, value in _pairs(specialization) if kind == "constexpr" and _is_own(value)
        ]
        return f"{original(known, specialization, options)}{own or ''}"

    patches.set(jit, "compute_cache_key", compute_cache_key)


def _pairs(specialization: Any) -> Iterator[tuple[Any, Any]]:
    yield from (part for part in specialization if isinstance(part, tuple) and len(cast("Any", part)) == 2)


def _is_own(value: Any) -> bool:
    """An object of the author's class, or something that may hold one."""
    return type(value).__module__.partition(".")[0] not in ("triton",) and not isinstance(value, _PLAIN)
