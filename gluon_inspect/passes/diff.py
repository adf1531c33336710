"""The difference that a pass made, line by line; names, places and aliases do not count."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from gluon_inspect.passes.normalised import VALUE, bare, shown_layouts
from gluon_inspect.passes.states import PassRun

CONTEXT_LINES = 2
_LARGE_LINES = 2_000
"""Beyond it lines that occur all over no longer anchor the comparison, which would take seconds."""
_NAME = re.compile(r"(?:%[^=]*= )?\"?([\w.]+)")
_CONSTANT = " = arith.constant "
_Pair = tuple[str | None, str | None]


@dataclass(frozen=True, slots=True)
class DiffLine:
    """`sign` is "-", "+" or " " (context); an ellipsis stands for lines left out."""

    sign: str
    text: str


def diff_of(run: PassRun) -> tuple[DiffLine, ...]:
    """What a pass changed; empty where a state is missing or nothing changed."""
    if run.before is None or run.after is None or run.before.is_llvm_ir is not run.after.is_llvm_ir:
        return ()
    return difference(run.before.ir, run.after.ir)


def difference(before: str, after: str) -> tuple[DiffLine, ...]:
    """The lines that only one of two modules has, with some around them; values keep the names of `before`."""
    old, new = bare(before).split("\n"), bare(after).split("\n")
    names: dict[str, str] = {}
    old, new = _without_like_constants(old, new, names)
    lines = list(_lines(_matched(old, new), names))
    kept = _near_changes([line.sign for line in lines])
    return tuple(_folded(lines, kept))


def _without_like_constants(old: list[str], new: list[str], names: dict[str, str]) -> tuple[list[str], list[str]]:
    """Both without the constants that they share, whose order means nothing; `names` learns those of `new`."""
    there = defaultdict[str, list[str]](list)
    for line in old:
        if _CONSTANT in line:
            there[_blind(line)].append(line)
    shared: list[str] = []
    rest: list[str] = []
    for line in new:
        if not (same := there.get(_blind(line)) if _CONSTANT in line else None):
            rest.append(line)
            continue
        shared.append(same.pop(0))
        names.update(zip(_defined(line), _defined(shared[-1]), strict=False))
    left = Counter(shared)
    return [line for line in old if not _taken(left, line)], rest


def _taken(counted: Counter[str], line: str) -> bool:
    if not counted[line]:
        return False
    counted[line] -= 1
    return True


def _blind(line: str) -> str:
    return VALUE.sub("%", line).strip()


def _matched(before: list[str], after: list[str]) -> Iterator[_Pair]:
    """Lines side by side; in a replaced stretch those of one operation stand together."""
    keys = [[_blind(line) for line in lines] for lines in (before, after)]
    large = max(len(before), len(after)) > _LARGE_LINES
    for tag, i, j, k, n in SequenceMatcher(None, *keys, autojunk=large).get_opcodes():
        if tag == "equal":
            yield from zip(before[i:j], after[k:n], strict=True)
        else:
            yield from _replaced(before[i:j], after[k:n])


def _replaced(gone: Sequence[str], fresh: Sequence[str]) -> Iterator[_Pair]:
    names = [[_operation(line) for line in lines] for lines in (gone, fresh)]
    for tag, i, j, k, n in SequenceMatcher(None, *names, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from zip(gone[i:j], fresh[k:n], strict=True)
            continue
        yield from ((line, None) for line in gone[i:j])
        yield from ((None, line) for line in fresh[k:n])


def _operation(line: str) -> str:
    if _CONSTANT in line:
        return _blind(line).partition(", #")[0]
    found = _NAME.match(line.strip())
    return found[1] if found else line


def _lines(pairs: Iterator[_Pair], names: dict[str, str]) -> Iterator[DiffLine]:
    """Pairs that say the same once names are matched are context; changed ones come gone first, then new."""
    waiting: list[DiffLine] = []
    for left, right in pairs:
        shown = None if right is None else _renamed(left, right, names)
        if left is not None and left == shown:
            yield from waiting
            waiting = []
            yield DiffLine(" ", left)
            continue
        if left is not None:
            yield DiffLine("-", left)
        if shown is not None:
            waiting.append(DiffLine("+", shown))
    yield from waiting


def _renamed(left: str | None, right: str, names: dict[str, str]) -> str:
    """The new line in the old names; what it defines takes the name of what the old line defined."""
    if left is not None:
        defined = zip(_defined(left), _defined(right), strict=False)
        names.update({new: old for old, new in defined})
    return VALUE.sub(lambda use: _old_name(use[0], names), right)


def _defined(line: str) -> list[str]:
    """The names that a line defines: results, block arguments, arguments of a function or a loop."""
    line = line.strip()
    if line.startswith("^") or ".func" in line:
        return [name.partition("#")[0] for name in VALUE.findall(line)]
    results, equals, rest = line.partition(" = ")
    if not equals or not line.startswith("%"):
        return []
    carried = re.findall(r"(%[\w$.-]+) = ", rest)
    return [name.partition(":")[0].partition("#")[0] for name in VALUE.findall(results)] + carried


def _old_name(name: str, names: dict[str, str]) -> str:
    whole, mark, part = name.partition("#")
    return names.get(whole, whole) + mark + part


def _near_changes(signs: Sequence[str]) -> list[bool]:
    kept = [False] * len(signs)
    for at, sign in enumerate(signs):
        if sign != " ":
            low, high = max(0, at - CONTEXT_LINES), min(len(signs), at + CONTEXT_LINES + 1)
            kept[low:high] = [True] * (high - low)
    return kept


def _folded(lines: Sequence[DiffLine], kept: Sequence[bool]) -> Iterator[DiffLine]:
    for at, (line, keep) in enumerate(zip(lines, kept, strict=True)):
        if keep:
            yield DiffLine(line.sign, shown_layouts(line.text))
        elif at and kept[at - 1] and any(kept[at:]):
            yield DiffLine(" ", "…")
