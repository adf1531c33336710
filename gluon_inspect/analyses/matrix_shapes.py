"""AMD: matrix products on slow shapes of the matrix unit, and those that do not reach it at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from gluon_inspect.assembly import isa
from gluon_inspect.assembly.counts import author_line, instructions_of
from gluon_inspect.assembly.isa.matrix import matrix_cycles
from gluon_inspect.facts.launched import Facts
from gluon_inspect.ir.operations import row_of
from gluon_inspect.ir.operations.tt import DOT
from gluon_inspect.model.asm import Instruction
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.encodings import AmdMfmaEncoding, AmdWmmaEncoding
from gluon_inspect.model.finding import AnalysisResult, Finding, Rule, Severity
from gluon_inspect.model.location import Location
from gluon_inspect.model.mlir import Operation
from gluon_inspect.model.types import ScalarType, TensorType, Type
from gluon_inspect.targets.amd_matrix import (
    MatrixInstruction,
    fastest_shapes,
    least_depth,
    parse_name,
    peak_operations_per_cycle,
)

_TRITON_STAGE = "ttir"
_EXAMPLE = """
@triton.jit
def kernel(a, b, c, K, M: tl.constexpr, STEP: tl.constexpr):
    # {comment}
    rows, columns, inner = tl.arange(0, M)[:, None], tl.arange(0, M)[None, :], tl.arange(0, STEP)
    sums = tl.zeros((M, M), tl.float32)
    for k in tl.range(0, K, STEP):
        left = tl.load(a + rows * K + k + inner[None, :])
        right = tl.load(b + (k + inner[:, None]) * M + columns)
        sums = tl.dot(left, right, sums)
    tl.store(c + rows * M + columns, sums)


a, b = torch.empty(2, 16 * 1024, device="cuda", dtype=torch.{kind})
kernel[(1,)](a, b, torch.empty(16, 16, device="cuda"), 1024, M=16, STEP={step}, num_warps=1)
"""


def _example(comment: str, kind: str, step: int) -> str:
    return _EXAMPLE.format(comment=comment, kind=kind, step=step)


SLOW = Rule(
    code="GI505",
    name="slow-matrix-shape",
    summary="A product runs on a shape of the matrix unit that is slower than the unit's fastest for its type.",
    what=(
        "Each generation of CDNA brought larger shapes; the older ones still run, at the old rate. "
        "`v_mfma_f32_16x16x16_f16` of MI300 takes as long on MI350 as `v_mfma_f32_16x16x32_f16`, which does twice "
        "the work. The finding names the instruction, its rate and the shape to use."
    ),
    why="The product takes twice as long as it has to, and nothing else about the kernel can make up for it.",
    how=(
        "Cycles by instruction from LLVM's scheduling models and AMD's matrix instruction calculator, operations "
        "from the shape; the fastest shape of a type is the peak of the data sheet."
    ),
    not_modelled="Whether the loop has anything else to wait for; sparse products.",
    bad=_example("16 elements of K: only the half-rate shapes of MI300 fit", "float16", 16),
    good=_example("32 elements of K: 16x16x32", "float16", 32),
    example_target="hip:gfx950",
)
MISSING = Rule(
    code="GI506",
    name="product-without-matrix-unit",
    summary="A tl.dot became multiply-adds of the vector unit: the matrix unit has nothing for its type or shape.",
    what=(
        "Where the target has no matrix instruction for the operands' type, or a side of the tile is too short, "
        "the compiler multiplies with v_fma. The finding names the type or the shape that caused it."
    ),
    why="The vector unit does an eighth or less of the matrix unit's operations, and holds both operands whole.",
    how="The result of the product has no MFMA or WMMA layout in the TTGIR.",
    not_modelled="Products that a backend turns to the vector unit after TTGIR.",
    bad=_example("float32: WMMA of RDNA 3 takes 16-bit and 8-bit operands only", "float32", 16),
    good=_example("float16 operands, float32 sums", "float16", 16),
    example_target="hip:gfx1100",
)
RULES = (SLOW, MISSING)
_LEAST_SIDE = 16
"""Rows, columns and K of the smallest shapes that Triton takes (MfmaGroup.cpp, WmmaGroup.cpp), 4x4 ones aside."""


def run(facts: Facts) -> AnalysisResult:
    """A finding for each slow instruction at each line, and for each product without matrix instructions."""
    if facts.target.backend != "hip":
        return AnalysisResult()
    return AnalysisResult(findings=(*_slow(facts), *_missing(facts)))


def _slow(facts: Facts) -> Iterator[Finding]:
    assembly = facts.assembly
    if assembly is None or assembly.dialect != isa.Dialect.AMDGCN:
        return
    found: Counter[tuple[Location | None, Instruction]] = Counter()
    for each in instructions_of(assembly, facts.kernel.name):
        if (parsed := parse_name(each.opcode)) is not None and not parsed.is_sparse:
            place = author_line(each.location, facts.kernel.source_file) if each.location else None
            found[place, _bare(each)] += 1
    for number, ((place, instruction), count) in enumerate(found.items()):
        finding = _slow_finding(facts, instruction, count, place, f"{SLOW.code}-{number}")
        if finding is not None:
            yield finding


def _bare(instruction: Instruction) -> Instruction:
    """Instructions of one name and one pair of formats are one."""
    formats = " ".join(word for word in instruction.text.split() if word.startswith(("cbsz:", "blgp:", "matrix_")))
    return Instruction(instruction.opcode, instruction.root, (), "", -1, f"{instruction.opcode} {formats}")


def _slow_finding(
    facts: Facts, instruction: Instruction, count: int, place: Location | None, name: str
) -> Finding | None:
    architecture = facts.target.name.removeprefix("hip:")
    parsed, busy = parse_name(instruction.opcode), matrix_cycles(facts.target.name, instruction)
    peak = None if parsed is None else peak_operations_per_cycle(architecture, parsed.element)
    if parsed is None or busy is None or peak is None or parsed.operations / busy >= peak:
        return None
    rate, better = parsed.operations / busy, _better(architecture, parsed)
    share = _SHARES.get(rate / peak, f"{rate / peak:.0%} of the")
    message = (
        f"{share}-rate shape: {instruction.opcode} does {rate:,.0f} of the {peak:,.0f} operations a cycle that "
        f"{facts.target.name} has for {parsed.element}; use {better}"
    )
    return Finding(
        id=name,
        rule=SLOW.code,
        name=SLOW.name,
        severity=Severity.WARNING,
        confidence=Confidence.EXACT,
        model=ModelStatus.UNVALIDATED if architecture == "gfx1250" else ModelStatus.DOCUMENTED,
        message=message,
        location=place,
        evidence={
            "instruction": instruction.opcode,
            "instructions": count,
            "cycles": busy,
            "operations_per_cycle": rate,
            "peak_operations_per_cycle": peak,
            "suggestion": better,
        },
        help=_help(facts, better),
    )


_SHARES = {0.5: "half", 0.25: "quarter", 0.125: "eighth"}


def _better(architecture: str, parsed: MatrixInstruction) -> str:
    """The fastest shape with as many rows, else the first."""
    shapes = fastest_shapes(architecture)[parsed.element]
    return next((shape for shape in shapes if shape.startswith(f"{parsed.rows}x")), shapes[0])


def _help(facts: Facts, better: str) -> str:
    depth = better.split("_")[0].split("x")[2]
    rows = better.split("x")[0]
    if _TRITON_STAGE in facts.kernel.stages:
        knob = f"matrix_instr_nonkdim={rows} chooses the {rows}x{rows} shapes"
        return f"a K step of the tile of at least {depth} ({knob})"
    shape = ", ".join(better.split("_")[0].split("x"))
    return f"instr_shape=[{shape}] in the AMDMFMALayout, with operands whose K has at least {depth} elements"


def _missing(facts: Facts) -> Iterator[Finding]:
    if facts.module is None or not fastest_shapes(facts.target.name.removeprefix("hip:")):
        return
    products = [op for op in facts.module.walk() if row_of(op) is DOT]
    for number, op in enumerate(products):
        result = op.results[0].type
        if not isinstance(result, TensorType) or isinstance(result.encoding, AmdMfmaEncoding | AmdWmmaEncoding):
            continue
        if result.encoding is None:
            continue
        yield _missing_finding(facts, op, number)


def _missing_finding(facts: Facts, op: Operation, number: int) -> Finding:
    left, right = (value.type for value in op.operands[:2])
    shape = _shape(op)
    kind, other = (_element(each) for each in (left, right))
    cause, cure = _cause(facts, shape, kind)
    tile = "x".join(map(str, shape))
    return Finding(
        id=f"{MISSING.code}-{number}",
        rule=MISSING.code,
        name=MISSING.name,
        severity=Severity.WARNING,
        confidence=Confidence.EXACT,
        model=ModelStatus.DOCUMENTED,
        message=f"this product ({tile}, {kind} operands) uses no matrix instruction: {cause}",
        location=op.location,
        evidence={"shape": shape, "operands": (kind, other), "cause": cause},
        help=cure,
    )


def _element(of: Type) -> str:
    return of.element.name if isinstance(of, TensorType) and isinstance(of.element, ScalarType) else "unknown"


def _shape(op: Operation) -> tuple[int, ...]:
    """Rows, columns and K of a product."""
    left, right = (value.type for value in op.operands[:2])
    if not isinstance(left, TensorType) or not isinstance(right, TensorType):
        return ()
    return (left.shape[-2], right.shape[-1], left.shape[-1])


def _cause(facts: Facts, shape: tuple[int, ...], kind: str) -> tuple[str, str]:
    """Why, and what helps."""
    architecture = facts.target.name.removeprefix("hip:")
    known = fastest_shapes(architecture)
    element = _ELEMENTS.get(kind, kind)
    names = (element, f"iu{element[1:]}") if element.startswith("i") else (element,)
    if not any(name in known for name in names):
        others = ", ".join(known)
        return (
            f"{architecture} has none for {kind} (it has {others})",
            "convert the operands to a type that it has; sums stay float32",
        )
    least = (_LEAST_SIDE, _LEAST_SIDE, least_depth(architecture, next(name for name in names if name in known)))
    sides = zip("MNK", shape, least, strict=False)
    short = [f"{what} is {size} (the smallest shape has {need})" for what, size, need in sides if size < need]
    if short:
        return f"its {' and its '.join(short)}", "make that side of the tile longer"
    return "the compiler chose none", "see the TTGIR for the layout that it chose, and its operand layouts"


_ELEMENTS = {"f8E4M3FNUZ": "fp8", "f8E5M2FNUZ": "bf8", "f8E4M3FN": "fp8", "f8E5M2": "bf8", "f8E4M3": "fp8"}
