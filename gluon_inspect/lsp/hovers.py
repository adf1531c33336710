"""What a line does, in words: its accesses with their lanes drawn; on a layout, who owns what."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from lsprotocol.types import Hover, MarkupContent, MarkupKind

from gluon_inspect.errors import InspectError
from gluon_inspect.fixing.edits import Refused
from gluon_inspect.fixing.expressions import match
from gluon_inspect.fixing.parsed import Parsed
from gluon_inspect.layouts.drawing.subjects import subject
from gluon_inspect.layouts.drawing.text import drawing
from gluon_inspect.layouts.gluon_fields import CLASSES
from gluon_inspect.layouts.gluon_syntax import write_layout
from gluon_inspect.layouts.lookup import encoding_of
from gluon_inspect.layouts.lowering import linear_layout
from gluon_inspect.lsp.lines import Lines
from gluon_inspect.lsp.seen import Seen, is_in, of_file, real, seconds
from gluon_inspect.model.access import Access, Conversion, Space
from gluon_inspect.model.report import KernelReport
from gluon_inspect.wording.characters import visible
from gluon_inspect.wording.markdown import prose
from gluon_inspect.wording.numbers import count, duration, percent, ratio

_WIDTH = 72
_MOST = 6
"""Accesses, conversions and layouts that are told of one line."""


def hover(seen: Sequence[Seen], file: str, text: str, line: int, character: int) -> Hover | None:
    """What is known at a place of the text; None where nothing is."""
    known = of_file(seen, file, text)
    told = [part for each, lines in known for part in _of_line(each, lines, file, line)]
    told += _of_layout(known, file, line, character)
    if not told:
        return None
    return Hover(MarkupContent(MarkupKind.Markdown, "\n\n---\n\n".join(dict.fromkeys(told))))


def _of_line(seen: Seen, lines: Lines, file: str, line: int) -> Iterator[str]:
    recorded = lines.recorded(line)
    if recorded is None:
        return
    worst: dict[tuple[str, ...], tuple[int, KernelReport, Access]] = {}
    for found in seen.accesses(file):
        _, kernel, access = found
        if access.location is not None and access.location.author.line == recorded:
            key = (kernel.name, kernel.kernel.target, access.op, access.space, access.direction)
            if key not in worst or seconds(kernel) > seconds(worst[key][1]):
                worst[key] = found
    for index, kernel, access in list(worst.values())[:_MOST]:
        yield _access(seen, index, kernel, access)
    yield from _conversions(seen, file, recorded)


def _access(seen: Seen, index: int, kernel: KernelReport, access: Access) -> str:
    studied = seen.studied.get(index)
    drawn = () if studied is None else studied.drawings.get(access.id, ())
    parts = [
        f"**{access.space} {access.direction}** in `{visible(kernel.name)}` for {kernel.kernel.target}: "
        + "; ".join(_facts(kernel, access)),
        *(
            prose(f"{each.rule} {each.name}: {each.message}.")
            for each in kernel.findings
            if each.subject == access.id
        ),
    ]
    if access.layout:
        within = f" in `{visible(access.memory_layout)}`" if access.memory_layout else ""
        parts.append(f"`{visible(access.layout)}`{within}")
    if drawn:
        parts.append("\n".join(("```text", *map(visible, drawn), "```")))
    return "\n\n".join(parts)


def _facts(kernel: KernelReport, access: Access) -> Iterator[str]:
    """Counts of the whole launch, the time, and how far both can be trusted."""
    if access.space is Space.SHARED and access.wavefronts is not None:
        yield f"{count(access.wavefronts)} wavefronts where {count(access.wavefronts_ideal)} would do"
    elif access.sectors is not None:
        each = "" if access.is_bulk else f" ({ratio(access.sectors_per_request)} a request)"
        yield f"{count(access.sectors)} sectors{each} where {count(access.sectors_ideal)} would do"
    else:
        yield prose(access.reason) or "its sectors are not known"
    if access.vector_bits:
        yield f"{access.vector_bits} bits a lane"
    cost = kernel.cost
    own = None if cost is None else next((each for each in cost.per_access if each.id == access.id), None)
    if cost is not None and own is not None:
        share = percent(min(1.0, own.seconds / cost.seconds)) if cost.seconds else "unknown"
        yield f"alone {duration(own.seconds)}, {share} of the kernel's {duration(cost.seconds)}"
    yield f"numbers {access.trust}, model {access.model}"


def _conversions(seen: Seen, file: str, line: int) -> Iterator[str]:
    found: dict[str, None] = {}
    for kernel in seen.report.kernels:
        for each in kernel.conversions:
            if each.location is not None and is_in(each.location, file) and each.location.author.line == line:
                found.setdefault(_conversion(each))
    yield from list(found)[:_MOST]


def _conversion(each: Conversion) -> str:
    cost = "" if each.wavefronts is None else f", {count(each.wavefronts)} wavefronts"
    scratch = f", {count(each.scratch_bytes)} bytes of shared memory" if each.scratch_bytes else ""
    why = f". {prose(each.why)}" if each.why else ""
    return (
        f"**conversion** by {each.kind}{cost}{scratch}{why}\n\n"
        f"`{visible(each.source)}` to `{visible(each.target)}`"
    )


def _of_layout(known: Sequence[tuple[Seen, Lines]], file: str, line: int, character: int) -> Iterator[str]:
    """The owners in a layout that is made at the place, for the shapes that kernels of the file use it with."""
    for seen, lines in known:
        code = _call_at(lines, line, character)
        if code is None:
            continue
        for layout, shape, bits in _layouts(seen, file):
            if _is_made_by(code, layout):
                yield from _drawn(layout, shape, bits)
                return


def _call_at(lines: Lines, line: int, character: int) -> str | None:
    """The innermost call of a layout's class around a place, as it stands on its line."""
    text = lines.text[line] if line < len(lines.text) else ""
    try:
        tree = ast.parse(text.strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    at = len(text[:character].lstrip().encode()) if text[:character].strip() else 0
    found = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and _name(node.func) in CLASSES
        and node.col_offset <= at <= (node.end_col_offset or 0)
    ]
    inner = min(found, key=lambda node: (node.end_col_offset or 0) - node.col_offset, default=None)
    return None if inner is None else ast.unparse(inner)


def _name(function: ast.expr) -> str:
    match function:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
        case _:
            return ""


def _layouts(seen: Seen, file: str) -> Iterator[tuple[str, tuple[int, ...], int]]:
    """Layouts of registers and of memory with the shapes that they hold, of the kernels in a file."""
    for kernel in seen.report.kernels:
        if real(kernel.kernel.source_file) != real(file):
            continue
        for access in kernel.accesses:
            for layout in filter(None, (access.layout, access.memory_layout)):
                if access.shape:
                    yield layout, access.shape, access.element_bits or 32


def _is_made_by(code: str, layout: str) -> bool:
    try:
        text = write_layout(encoding_of(layout))
        parsed = Parsed("<line>", f"{code}\n")
        return any(match(parsed, call, text, text) is not None for call in parsed.calls[:1])
    except (InspectError, Refused):
        return False


def _drawn(layout: str, shape: tuple[int, ...], bits: int) -> Iterator[str]:
    try:
        encoding = encoding_of(layout)
        title = f"{write_layout(encoding, shape)} at {'x'.join(map(str, shape))}"
        lines = drawing(subject(linear_layout(encoding, shape), bits, ()), title, _WIDTH)
    except InspectError:
        return
    rows = ("".join(span.text for span in row).rstrip() for row in lines)
    yield "\n".join(("```text", *map(visible, rows), "```"))
