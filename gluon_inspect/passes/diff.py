"""The difference that a pass made, line by line; names, places and aliases do not count."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from gluon_inspect.passes.normalised import VALUE, bare_lines, shown_layouts
from gluon_inspect.passes.states import PassRun

CONTEXT_LINES = 2
_LARGE_LINES = 2_000
"""Beyond it lines that occur all over no longer anchor the comparison, which would take seconds."""
_NAME = re.compile(r"(?:%[^=]*= )?\"?([\w.]+)")
_CONSTANT = " = arith.constant "
_Line = tuple[str, str]
_Key = Callable[[_Line], object]
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
    names: dict[str, str] = {}
    old, new = _without_like_constants(bare_lines(before), bare_lines(after), names)
    lines = list(_lines(_matched(old, new, _KEYS), names))
    kept = _near_changes([line.sign for line in lines])
    return tuple(_folded(lines, kept))


def _without_like_constants(
    old: list[_Line], new: list[_Line], names: dict[str, str]
) -> tuple[list[_Line], list[_Line]]:
    """Both without the constants that they share, whose order means nothing; `names` learns those of `new`."""
    there = defaultdict[str, list[str]](list)
    for text, _ in old:
        if _CONSTANT in text:
            there[_blind(text)].append(text)
    shared: list[str] = []
    rest: list[_Line] = []
    for text, place in new:
        if not (same := there.get(_blind(text)) if _CONSTANT in text else None):
            rest.append((text, place))
            continue
        shared.append(same.pop(0))
        names.update(zip(_defined(text), _defined(shared[-1]), strict=False))
    left = Counter(shared)
    return [line for line in old if not _taken(left, line[0])], rest


def _taken(counted: Counter[str], text: str) -> bool:
    if not counted[text]:
        return False
    counted[text] -= 1
    return True


def _blind(text: str) -> str:
    return VALUE.sub("%", text).strip()


def _matched(before: Sequence[_Line], after: Sequence[_Line], keys: Sequence[_Key]) -> Iterator[_Pair]:
    """Lines side by side: those alike by the first key, then in the stretches between by the next."""
    if not (before and after and keys):
        yield from ((text, None) for text, _ in before)
        yield from ((None, text) for text, _ in after)
        return
    large = max(len(before), len(after)) > _LARGE_LINES
    sides = [list(map(keys[0], lines)) for lines in (before, after)]
    for tag, i, j, k, n in SequenceMatcher(None, *sides, autojunk=large).get_opcodes():
        if tag == "equal":
            yield from ((left[0], right[0]) for left, right in zip(before[i:j], after[k:n], strict=True))
        else:
            yield from _matched(before[i:j], after[k:n], keys[1:])


def _operation(line: str) -> str:
    if _CONSTANT in line:
        return _blind(line).partition(", #")[0]
    found = _NAME.match(line.strip())
    return found[1] if found else line


_KEYS: tuple[_Key, ...] = (
    lambda line: (_blind(line[0]), line[1]),
    lambda line: (_operation(line[0]), line[1]),
    lambda line: _blind(line[0]),
    lambda line: _operation(line[0]),
)
"""A line is known by what it says and by its place; where a pass changed one of them, by the other."""


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
