"""What a compiler raised: whose compilation it was, what it said, at which line of the author's."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from gluon_inspect.recording.child.kernels import definition_line

_TAIL_BYTES = 1 << 20
_BLAMED = "_gluon_inspect_compilation"
_TOO_LARGE = "OutOfResources"


def blame(error: BaseException, key: str) -> None:
    """Remembers in an exception whose compilation raised it."""
    with suppress(AttributeError):
        setattr(error, _BLAMED, key)


def blamed(error: BaseException | None) -> str:
    """The key of the compilation that an exception came from, by itself or by what caused it; empty: none."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if key := getattr(error, _BLAMED, ""):
            return str(key)
        error = error.__cause__ or error.__context__
    return ""


def attempt(launch: Callable[[], object]) -> None:
    """A launch that may not compile or fit, which the journal or its kernel tells; what else it raises goes on."""
    try:
        launch()
    except Exception as error:
        if not blamed(error) and type(error).__name__ != _TOO_LARGE:
            raise


def describe_failure(src: Any, error: Exception) -> str:
    """What the compiler said, innermost cause last, with the line in the author's file where it is known."""
    chain: list[BaseException] = [error]
    while (cause := chain[-1].__cause__) is not None and cause not in chain:
        chain.append(cause)
    text = "\n".join(f"{type(link).__name__}: {link}" for link in chain)
    place = _failed_line(src, chain)
    return f"{place}: {text}" if place else text


def diagnostics(dump: Path) -> str:
    """The errors that MLIR wrote to standard error on the way, each once, as further lines."""
    with dump.open("rb") as file:
        file.seek(max(0, dump.stat().st_size - _TAIL_BYTES))
        tail = file.read().decode("utf-8", errors="replace")
    lines = dict.fromkeys(line.strip() for line in tail.splitlines() if "error: " in line)
    return "".join(f"\n{line}" for line in lines)


def _failed_line(src: Any, chain: list[BaseException]) -> str:
    function = getattr(src, "fn", None)
    for link in reversed(chain):
        line = getattr(getattr(link, "node", None), "lineno", None)
        if line is not None and function is not None and getattr(link, "src", None) == function.src:
            return f"{function.fn.__code__.co_filename}:{definition_line(function) + line - 1}"
    return ""
