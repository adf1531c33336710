"""Static instruction counts: in total and by Python line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from gluon_inspect.assembly import isa
from gluon_inspect.model.asm import Assembly, Function, Instruction
from gluon_inspect.model.location import Location
from gluon_inspect.model.report import LineInstructions


def author_line(location: Location, source_file: str = "") -> Location:
    """The author's place in a chain of call sites.

    The innermost place in the kernel's own file; failing that, the innermost one outside Triton's library.
    """
    for place in location.chain:
        if source_file and place.file == source_file:
            return place
    author = location.author
    return author if author is location else replace(author, callers=())


def on_lines_of(places: Iterable[Location | None], source_file: str = "") -> Callable[[Location | None], bool]:
    """Whether a place stands on one of the author's lines that others stand on; unknown places stand on none."""

    def line(place: Location) -> tuple[str, int]:
        author = author_line(place, source_file)
        return author.file, author.line

    lines = {line(place) for place in places if place is not None}
    return lambda place: place is not None and line(place) in lines


def instructions_of(assembly: Assembly, kernel: str = "") -> Iterator[Instruction]:
    """The instructions that a kernel can execute, in order: its own and those of functions it may call.

    Dummies that never execute (`@!PT LDS RZ, [RZ]`) and padding (NOP, code after the end) are left out.
    """
    for function in functions_of(assembly, kernel):
        yield from executed(function)


def functions_of(assembly: Assembly, kernel: str = "") -> tuple[Function, ...]:
    """All functions but, when `kernel` is one of them, other kernels and what is theirs alone."""
    if all(function.name != kernel for function in assembly.functions):
        return assembly.functions
    others = {each.name for each in assembly.functions if each.metadata.get("entry")} - {kernel}
    return tuple(each for each in assembly.functions if not _belongs_to(each.name, others))


def _belongs_to(function: str, kernels: Collection[str]) -> bool:
    """Whether a function is one of some kernels, or the copy that ptxas made for one: "$kernel$callee"."""
    return function in kernels or any(function.startswith(f"${kernel}$") for kernel in kernels)


def executed(function: Function) -> Iterator[Instruction]:
    """A function's instructions without dummies and padding."""
    return (each for each in function.instructions if isa.is_executed(each) and each.root not in _PADDING)


_PADDING = frozenset(("NOP", "code"))
"""SASS pads functions with NOP, AMDGCN with s_code_end."""


def count_static(assembly: Assembly, kernel: str = "") -> Mapping[str, int]:
    """How often each instruction stands in the binary, by name with width ("LDG.E.128"), most frequent first.

    Loop bodies count once. Only memory and matrix instructions are told apart by width and shape; all others
    count under their root ("IMAD").
    """
    return _counted(assembly.dialect, instructions_of(assembly, kernel))


def count_by_line(assembly: Assembly, kernel: str = "", source_file: str = "") -> tuple[LineInstructions, ...]:
    """Static counts of each of the author's lines, in order of file and line; last those without a line."""
    lines: dict[tuple[str, int], list[Instruction]] = {}
    for each in instructions_of(assembly, kernel):
        lines.setdefault(_place(each, source_file), []).append(each)
    return tuple(
        LineInstructions(Location(*place) if place != _NOWHERE else None, _counted(assembly.dialect, instructions))
        for place, instructions in sorted(lines.items(), key=lambda item: (item[0] == _NOWHERE, item[0]))
    )


def lines_of_kind(
    assembly: Assembly, kind: isa.InstructionKind, kernel: str = "", source_file: str = ""
) -> Mapping[Location | None, int]:
    """How many instructions of a kind each of the author's lines holds, most first; None: no line."""
    counts = Counter(
        _place(each, source_file)
        for each in instructions_of(assembly, kernel)
        if isa.kind_of(assembly.dialect, each) is kind
    )
    return {Location(*place) if place != _NOWHERE else None: count for place, count in counts.most_common()}


def _place(instruction: Instruction, source_file: str) -> tuple[str, int]:
    if instruction.location is None:
        return _NOWHERE
    place = author_line(instruction.location, source_file)
    return place.file, place.line


_NOWHERE = ("", 0)


def kinds(assembly: Assembly, kernel: str = "") -> Mapping[str, isa.InstructionKind]:
    """The kind of each counted name, in the order of first appearance."""
    found: dict[str, isa.InstructionKind] = {}
    for each in instructions_of(assembly, kernel):
        name = isa.counted_name(assembly.dialect, each) or each.text
        found.setdefault(name, isa.kind_of(assembly.dialect, each))
    return found


def _counted(dialect: str, instructions: Iterator[Instruction] | list[Instruction]) -> Mapping[str, int]:
    counts = Counter(isa.counted_name(dialect, each) or each.text for each in instructions)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
