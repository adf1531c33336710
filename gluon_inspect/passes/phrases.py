"""What a pass did to an operation, in words."""

from __future__ import annotations

from gluon_inspect.passes.blame import Change, What
from gluon_inspect.passes.excerpts import described
from gluon_inspect.passes.sightings import Sighting


def summary(change: Change) -> str:
    """One line: "changed tt.load 64x32xf16: A -> B, 16 -> 128 bits a lane"."""
    times = f" x{change.count}" if change.count > 1 else ""
    if change.before is not None and change.after is not None:
        return f"{change.what}{times} {_became(change.before, change.after)}"
    one = change.after or change.before
    return f"{change.what}{times} {described(one)}" if one is not None else change.what


def lines(change: Change) -> tuple[str, ...]:
    """The readable excerpts as a diff."""
    gone = (f"- {change.before_text}",) if change.before_text else ()
    return (*gone, f"+ {change.after_text}") if change.after_text else gone


def is_layout_change(change: Change) -> bool:
    """Whether an operation changed its layout, its width or its conversion, or came or went."""
    if change.what is not What.CHANGED or change.before is None or change.after is None:
        return True
    one, other = change.before, change.after
    return (one.layouts, one.vector_bits, one.kind) != (other.layouts, other.vector_bits, other.kind)


def _became(before: Sighting, after: Sighting) -> str:
    """Both in full, or what is alike only once."""
    left, right = described(before), described(after)
    if left == right:
        return left
    head = _common(left, right)
    tail = _common(left[len(head) :][::-1], right[len(head) :][::-1])[::-1]
    middle = (left[len(head) : len(left) - len(tail)], right[len(head) : len(right) - len(tail)])
    if not head.strip() or "," in "".join(middle):
        return f"{left} -> {right}"
    return f"{head}{middle[0]} -> {middle[1]}{tail}"


def _common(left: str, right: str) -> str:
    """The words that both begin with."""
    shared: list[str] = []
    for one, other in zip(left.split(" "), right.split(" "), strict=False):
        if one != other:
            break
        shared.append(one)
    return " ".join(shared) + " " if shared else ""
