"""What a pass did to an operation, in words."""

from gluon_inspect.passes.blame import Change
from gluon_inspect.passes.excerpts import described, own_layout_text, shape_text
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


def _became(before: Sighting, after: Sighting) -> str:
    """Name, shape, layout and width, each once where it stays and as "old -> new" where it does not."""
    if before.family == "conversion":
        return f"{described(before)} -> {described(after)}"
    name = _both(before.name, after.name)
    shape = _both(shape_text(before), shape_text(after))
    layout = _both(own_layout_text(before), own_layout_text(after))
    bits = _both(*("" if one.vector_bits is None else str(one.vector_bits) for one in (before, after)))
    return (
        f"{name} {shape}".strip() + (f": {layout}" if layout else "") + (f", {bits} bits a lane" if bits else "")
    )


def _both(old: str, new: str) -> str:
    return new if old == new or not old else f"{old} -> {new or 'none'}"
