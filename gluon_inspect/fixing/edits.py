"""Edits of source files: byte ranges and what takes their place, so that every other byte stays as it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff

from gluon_inspect.errors import InspectError
from gluon_inspect.wording.characters import visible
from gluon_inspect.wording.places import short_path


class Refused(InspectError):
    """A change that cannot be made to the source with certainty, and why."""


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Bytes `start` to `end` (UTF-8, half open) of a file become `text`; an insertion where both are the same."""

    start: int
    end: int
    text: str

    def conflicts(self, other: Edit) -> bool:
        """Whether both change the same bytes, or insert at the same place, and not alike."""
        if self == other:
            return False
        if self.start == self.end or other.start == other.end:
            return self.start == other.start or max(self.start, other.start) < min(self.end, other.end)
        return self.start < other.end and other.start < self.end


Edits = Mapping[str, tuple[Edit, ...]]
"""By file."""


def joined(one: Edits, other: Edits) -> Edits | None:
    """Both together; None where they change the same place."""
    found = {file: set(edits) for file, edits in one.items()}
    for file, edits in other.items():
        before = found.setdefault(file, set())
        if any(new.conflicts(old) for new in edits for old in before):
            return None
        before.update(edits)
    return {file: tuple(sorted(edits)) for file, edits in found.items()}


def applied(text: str, edits: Iterable[Edit]) -> str:
    """The text with edits made that do not conflict."""
    data = text.encode()
    for edit in sorted(set(edits), reverse=True):
        data = data[: edit.start] + edit.text.encode() + data[edit.end :]
    return data.decode()


def changed(sources: Mapping[str, str], edits: Edits) -> dict[str, str]:
    """The files that edits change, as they become."""
    return {file: applied(sources[file], own) for file, own in edits.items()}


def diff(sources: Mapping[str, str], after: Mapping[str, str], context: int = 3) -> Iterator[str]:
    """Lines of a unified diff that `patch -p1` and `git apply` take; line ends are the files' own."""
    for file, text in sorted(after.items()):
        name = visible(short_path(file).lstrip("/"))
        before, new = (each.splitlines(keepends=True) for each in (sources[file], text))
        for line in unified_diff(before, new, f"a/{name}", f"b/{name}", n=context):
            yield from _whole_line(line)


def _whole_line(line: str) -> Sequence[str]:
    """A file's last line may have no end, which a diff says."""
    return (line,) if line.endswith("\n") else (f"{line}\n", "\\ No newline at end of file\n")
