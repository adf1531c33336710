"""The author's source with marks at the lines that findings and accesses name."""

from collections.abc import Iterator, Mapping

from gluon_inspect.model.location import Location
from gluon_inspect.model.report import KernelReport
from gluon_inspect.report.html.elements import Html, joined, tag, text
from gluon_inspect.wording.places import short_path

_CONTEXT_LINES = 3
_MOST_LINES = 200
_RANK = {"error": 3, "warning": 2, "note": 1, "access": 0}


def source_listings(kernel: KernelReport, sources: Mapping[str, str]) -> Html:
    """One listing a file, from a little above the first marked line to a little below the last."""
    marks = _marks(kernel)
    files = [file for file in dict.fromkeys(file for file, _ in marks) if file in sources]
    return joined(*(_listing(file, sources[file], marks) for file in files))


def _marks(kernel: KernelReport) -> dict[tuple[str, int], tuple[str, list[str]]]:
    marks: dict[tuple[str, int], tuple[str, list[str]]] = {}
    for place, level, message in _marked(kernel):
        key = (place.file, place.line)
        before, messages = marks.get(key, ("access", []))
        marks[key] = (max(before, level, key=_RANK.__getitem__), [*messages, message])
    return marks


def _marked(kernel: KernelReport) -> Iterator[tuple[Location, str, str]]:
    for finding in kernel.findings:
        if finding.location is not None:
            yield finding.location.author, finding.severity.value, f"{finding.rule}: {finding.message}"
    for access in kernel.accesses:
        if access.location is not None:
            yield access.location.author, "access", f"{access.space.value} {access.direction.value} {access.op}"


def _listing(file: str, source: str, marks: Mapping[tuple[str, int], tuple[str, list[str]]]) -> Html:
    lines = source.split("\n")
    marked = [line for name, line in marks if name == file and 0 < line <= len(lines)]
    if not marked:
        return Html("")
    first = max(min(marked) - _CONTEXT_LINES, 1)
    last = min(max(marked) + _CONTEXT_LINES, len(lines), first + _MOST_LINES)
    rows = (_line(number, lines[number - 1], marks.get((file, number))) for number in range(first, last + 1))
    caption = tag("figcaption", text(short_path(file)))
    return tag("figure", caption, tag("pre", joined(*rows)), class_="source")


def _line(number: int, source: str, mark: tuple[str, list[str]] | None) -> Html:
    gutter = tag("span", text(f"{number:>5} "), class_="gutter")
    if mark is None:
        return joined(gutter, text(source), Html("\n"))
    level, messages = mark
    shown = tag("mark", text(source), class_=level, title="; ".join(dict.fromkeys(messages)))
    return joined(gutter, shown, Html("\n"))
