"""Where a finding stands in the IR and in the assembly, beside the author's Python line."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TypeVar

from gluon_inspect.assembly import isa
from gluon_inspect.facts.launched import Facts
from gluon_inspect.model.asm import Assembly, Instruction
from gluon_inspect.model.finding import Finding
from gluon_inspect.model.location import CodePlace, Location
from gluon_inspect.model.mlir import Module, Operation

_MOST = 4
"""Places in one text: a loop that was unrolled 32 times is shown by its first instructions."""
_IR = "ttgir"
_Place = tuple[str, int]
_T = TypeVar("_T", Operation, Instruction)


def with_code_places(findings: Sequence[Finding], facts: Facts) -> Iterator[Finding]:
    """The findings with the IR operations and the memory instructions that stand for them.

    An access leads to its own operation, anything else to the operations of its place. Instructions match by
    line, and by column where both sides have one.
    """
    if not findings:
        return
    starts = {access.id: access.result_of for access in facts.accesses}
    operations = _by_place(_walked(facts.module))
    machine = _by_place(_listed(facts.assembly))
    for finding in findings:
        code: list[CodePlace] = []
        if facts.module is not None:
            here = _at(finding.location, operations)
            own = [each for each in here if each.span.start == starts.get(finding.subject)]
            code += [_in_ir(facts.module, each) for each in (own or here)[:_MOST]]
        if facts.assembly is not None:
            dialect = facts.assembly.dialect
            touching = (e for e in _at(finding.location, machine) if isa.classify(dialect, e) is not None)
            code += [CodePlace(dialect, each.text_line, each.text) for each in islice(touching, _MOST)]
        yield replace(finding, code=tuple(code))


def _by_place(found: Iterable[_T]) -> Mapping[_Place, list[_T]]:
    places: defaultdict[_Place, list[_T]] = defaultdict(list)
    for each in found:
        if each.location is not None and each.location.line:
            places[each.location.file, each.location.line].append(each)
    return places


def _at(location: Location | None, places: Mapping[_Place, list[_T]]) -> list[_T]:
    if location is None:
        return []
    here = places.get((location.file, location.line), [])
    return [each for each in here if each.location is not None and _same(each.location, location)]


def _same(one: Location, other: Location) -> bool:
    return not one.column or not other.column or one.column == other.column


def _walked(module: Module | None) -> Iterator[Operation]:
    if module is not None:
        yield from module.walk()


def _listed(assembly: Assembly | None) -> Iterator[Instruction]:
    for function in assembly.functions if assembly else ():
        yield from (each for each in function.instructions if each.text_line)


def _in_ir(module: Module, operation: Operation) -> CodePlace:
    start, end = operation.span.start, operation.span.end
    first_line = module.source.text[start:end].partition("\n")[0]
    return CodePlace(_IR, module.source.position(start).line, first_line.partition(" loc(")[0])
