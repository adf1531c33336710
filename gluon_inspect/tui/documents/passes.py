"""The pass timeline: what went into each pass, and the difference between any two moments. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import unified_diff

from gluon_inspect.model.artifact import CompiledKernel
from gluon_inspect.model.report import PassEntry
from gluon_inspect.tui.documents import Document, Language
from gluon_inspect.tui.documents.ir import Form, ir_text
from gluon_inspect.wording.characters import visible

_CONTEXT_LINES = 3


@dataclass(frozen=True, slots=True)
class Step:
    """One pass: its name and the module before it. `changed` None: unknown, since nothing comes after it."""

    index: int
    name: str
    text: str
    changed: bool | None


def timeline(kernel: CompiledKernel, entries: tuple[PassEntry, ...] = ()) -> tuple[Step, ...]:
    """The passes of a kernel's dump, in order; empty without a dump.

    `entries` of the report say which passes changed something; without them the texts are compared.
    """
    from gluon_inspect.parsers.dump import index_dump

    found = index_dump(kernel.dump)
    texts = [kernel.dump[entry.start : entry.end] for entry in found]
    known: Mapping[int, bool | None] = {entry.index: entry.changed for entry in entries}
    return tuple(
        Step(
            entry.index,
            visible(entry.argument or entry.name, 60),
            text,
            known.get(entry.index, _differs(texts, at)),
        )
        for at, (entry, text) in enumerate(zip(found, texts, strict=True))
    )


def _differs(texts: list[str], at: int) -> bool | None:
    return texts[at] != texts[at + 1] if at + 1 < len(texts) else None


def difference(steps: tuple[Step, ...], before: int, after: int) -> Document:
    """What changed from the module before one pass to that before another; places are left out."""
    first, second = steps[before], steps[after]
    name = f"{first.name} → {second.name}"
    one, other = _readable(first.text), _readable(second.text)
    lines = tuple(
        unified_diff(one, other, f"before {first.name}", f"before {second.name}", "", "", _CONTEXT_LINES, "")
    )
    empty = "the same but for places" if first.text != second.text else "exactly the same"
    return Document(name, Language.DIFF, lines, empty=empty)


def _readable(text: str) -> tuple[str, ...]:
    return ir_text("", text, Form.SHORT).document.lines
