"""Integer divisions of indices, element by element: instructions that move nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from gluon_inspect.assembly.counts import author_line, instructions_of, on_lines_of
from gluon_inspect.cost.launch import share_saved
from gluon_inspect.facts.launched import Facts
from gluon_inspect.facts.severity import THRESHOLDS, severity_of
from gluon_inspect.ir.operations import arith, row_of, tt
from gluon_inspect.model.asm import Instruction
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.finding import AnalysisResult, Finding, Rule, Severity
from gluon_inspect.model.location import Location
from gluon_inspect.model.mlir import DenseElements, Operation, Value
from gluon_inspect.model.types import TensorType

_DIVISIONS = (
    arith.DIVSI, arith.DIVUI, arith.REMSI, arith.REMUI, arith.CEILDIVSI, arith.FLOORDIVSI,
)  # fmt: skip
_INTEGER = frozenset(
    (
        "IMAD", "IMUL", "IADD3", "IADD", "IABS", "ISETP", "LEA", "SHF", "SHL", "SHR", "LOP3", "SEL", "MOV",
        "VIADD", "VIMNMX", "I2F", "F2I", "I2FP", "VIADDMNMX", "IMNMX",
    )
)  # fmt: skip
"""SASS that a division becomes: a multiplication by the divisor's reciprocal, shifts and corrections; by a value
known only at run time, a reciprocal in floating point first."""
_RECIPROCAL = "MUFU.RCP"
_LEAST = 0.01
_MANY = 0.25

DIVISION = Rule(
    code="GI509",
    name="integer-division",
    summary="Divisions and remainders of each element's index take a large part of the kernel's instructions.",
    what=(
        "GPUs have no integer division: by a constant it is a wide multiplication, shifts and corrections, by an "
        "argument some thirty instructions, for every element. Powers of two, and divisions of scalars (one a "
        "program), are left out."
    ),
    why="A kernel that should wait for memory then waits for its ALUs.",
    how=(
        "The integer instructions that the assembly has at the lines with divisions of tensors. What they lose is "
        f"the expected time less that of the same code without them; severity follows: {THRESHOLDS}. Below 1% "
        "nothing is said; without a prediction: a note from a quarter of all instructions on."
    ),
    not_modelled="What a rewritten index still needs, and other integer arithmetic of the same line.",
    bad="""
@gluon.jit
def kernel(src, dst, n, columns):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    i = gl.program_id(0) * 1024 + gl.arange(0, 1024, layout=layout)
    # a row and a column for every element, only to find a bias
    row = i // columns
    column = i % columns
    gl.store(dst + i, gl.load(src + column) + row.to(gl.float32), mask=i < n)


src, dst = torch.empty(2, 4096 * 11000, device="cuda")
kernel[(44000,)](src, dst, 4096 * 11000, 11000)
""",
    good="""
@gluon.jit
def kernel(src, dst, n, columns):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    # the grid has one row a program id: no element divides
    row = gl.program_id(1)
    column = gl.program_id(0) * 1024 + gl.arange(0, 1024, layout=layout)
    gl.store(dst + row * columns + column, gl.load(src + column) + row.to(gl.float32), mask=column < columns)


src, dst = torch.empty(2, 4096 * 11000, device="cuda")
kernel[(11, 4096)](src, dst, 4096 * 11000, 11000)
""",
)
RULES = (DIVISION,)


def run(facts: Facts) -> AnalysisResult:
    """One finding for all divisions of a kernel, at the line with most of their instructions."""
    return AnalysisResult(findings=tuple(_findings(facts)))


def _findings(facts: Facts) -> Iterator[Finding]:
    if facts.module is None or facts.assembly is None or facts.assembly.dialect != "sass":
        return
    divisions = [op for op in facts.module.walk() if _is_costly(op, facts)]
    is_here = on_lines_of((op.location for op in divisions), facts.kernel.source_file)

    def is_its_own(each: Instruction) -> bool:
        return (each.root in _INTEGER or each.opcode.startswith(_RECIPROCAL)) and is_here(each.location)

    every = list(instructions_of(facts.assembly, facts.kernel.name))
    found = [each for each in every if is_its_own(each)]
    if not found:
        return
    lost = share_saved(facts, without=is_its_own)
    if (lost is None and len(found) < _MANY * len(every)) or (lost is not None and lost < _LEAST):
        return
    yield _finding(facts, divisions, found, len(every), lost)


def _is_costly(op: Operation, facts: Facts) -> bool:
    if row_of(op) not in _DIVISIONS or not isinstance(op.results[0].type, TensorType):
        return False
    divisor = _constant(op.operands[1], facts)
    return divisor is None or divisor & (divisor - 1) != 0


def _constant(value: Value, facts: Facts) -> int | None:
    """The one number that a divisor is, as a constant or a splat of one."""
    maker = None if facts.graph is None else facts.graph.maker(value)
    if maker is not None and row_of(maker) is tt.SPLAT:
        return _constant(maker.operands[0], facts)
    known = None if maker is None else maker.attributes.get("value")
    known = known.values[0] if isinstance(known, DenseElements) and known.is_splat else known
    return known if isinstance(known, int) else None


def _line(place: Location) -> tuple[str, int]:
    return place.file, place.line


def _finding(
    facts: Facts, divisions: list[Operation], found: list[Instruction], every: int, lost: float | None
) -> Finding:
    source = facts.kernel.source_file
    places = [author_line(each.location, source) for each in found if each.location]
    lines = Counter(map(_line, places)).most_common()
    first = next(
        author_line(op.location, source)
        for op in divisions
        if op.location and _line(author_line(op.location, source)) == lines[0][0]
    )
    divisors = {_constant(op.operands[1], facts) for op in divisions}
    numbers = tuple(sorted(each for each in divisors if each is not None))
    by = f" by {', '.join(map(str, numbers))}" if numbers and None not in divisors else ""
    also = f" (with {len(lines) - 1} more lines)" if len(lines) > 1 else ""
    return Finding(
        id=DIVISION.code,
        rule=DIVISION.code,
        name=DIVISION.name,
        severity=severity_of(lost, Severity.NOTE),
        confidence=Confidence.EXACT,
        model=ModelStatus.DOCUMENTED,
        message=(
            f"{len(found)} of the {every} instructions in the binary are integer arithmetic where each element's "
            f"index is divided{by}{also}"
        ),
        location=first,
        evidence={
            "instructions": len(found),
            "instructions_in_binary": every,
            "lines": tuple(f"{line}: {count}" for (_, line), count in lines[:5]),
            "divisors": numbers,
        },
        help=_WRAPPED if _only_wraps(divisions) else _CONSTANT if None not in divisors else _ARGUMENT,
        cost=lost,
    )


def _only_wraps(divisions: list[Operation]) -> bool:
    """Whether indices are only brought back into a range: no quotient is taken of what a remainder is taken of."""
    divided = {op.operands[0].index for op in divisions if row_of(op) not in _REMAINDERS}
    return not divided


_REMAINDERS = (arith.REMSI, arith.REMUI)
_WRAPPED = "mask the last block instead of bringing its indices back by %: the remainder is of every element"
_CONSTANT = "divide once a program: a row a program id, or the flat index where rows lie one behind another"
_ARGUMENT = f"{_CONSTANT}; a divisor that is tl.constexpr costs a multiplication and not a division"
