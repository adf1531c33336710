"""Hand-made reports: an ordinary one, and one whose every name tries to break out of its format."""

from __future__ import annotations

from dataclasses import replace

from gluon_inspect.model.access import Access, Conversion, ConversionKind, Direction, Space, Width
from gluon_inspect.model.artifact import CompiledKernel, DescriptorArgument, Launch, ScriptError, TensorArgument
from gluon_inspect.model.change import Change, Comparison, TimeChange
from gluon_inspect.model.confidence import Confidence, ModelStatus
from gluon_inspect.model.finding import Column, Finding, Metric, Severity, Table
from gluon_inspect.model.location import Location
from gluon_inspect.model.report import (
    Coverage,
    KernelReport,
    LineInstructions,
    Measurement,
    Occupancy,
    PartitionRegisters,
    PassEntry,
    Programs,
    Registers,
    RegisterTensor,
    Replication,
    Report,
    Timing,
)

BLOCKED = "#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>"
TALL = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>"
SLICED = f"#ttg.slice<{{dim = 1, parent = {BLOCKED}}}>"
SOURCE = """\
import torch
from triton.experimental import gluon


@gluon.jit
def copy_2d(src, dst, n, layout):
    value = gl.load(src + offsets)
\tgl.store(dst + offsets, value)
"""
HOSTILE = "</td><script>alert(1)</script>[bold]\x1b[31m`|\n::error::x%0A\u202e]]>&\"'"


def ordinary() -> Report:
    """One transposed copy with two findings, a conversion, a table and a clean second kernel."""
    return Report((_transposed(), _clean()), "copy_2d.py", {"copy_2d.py": SOURCE}, ("one note",))


def empty() -> Report:
    """Nothing was recorded."""
    return Report(())


def broken() -> Report:
    """A kernel that did not compile, in a script that raised."""
    kernel = CompiledKernel(
        "bad", "cuda:90", source_file="bad.py", source_line=3, error="bad.py:4: no such layout\nmore"
    )
    return Report((KernelReport(kernel, Launch("0")),), "bad.py", error=ScriptError("ValueError: no", "bad.py", 9))


def many(number: int) -> Report:
    """Many kernels with one finding each."""
    kernels = tuple(_named(f"kernel_{index:03}") for index in range(number))
    return Report(kernels, "many.py", {"copy_2d.py": SOURCE})


def hostile(name: str = HOSTILE) -> Report:
    """Every free text is `name`."""
    place = Location("copy_2d.py", 7, 13, callers=(Location(name, 3),))
    finding = Finding(
        name, name, name, Severity.ERROR, Confidence.EXACT, ModelStatus.VALIDATED, name, place, {name: name}, name
    )
    access = Access("a", name, Space.GLOBAL, Direction.LOAD, place, name, name, reason=name)
    table = Table(name, name, (Column(name, unit=name),), ((name,),), (place,), name)
    kernel = KernelReport(
        CompiledKernel(name, name, name, source_file=name, source_line=1),
        Launch(name, 1, (1, 1, 1), {name: name}),
        accesses=(access,),
        conversions=(Conversion("c", name, place, name, name, ConversionKind.SHARED, why=name),),
        instructions_static={name: 1},
        passes=(PassEntry(0, name, None),),
        measurement=Measurement(name, counters={name: 1.0}, notes=(name,)),
        findings=(finding,),
        tables=(table,),
        metrics=(Metric(name, name, name, name),),
        coverage=Coverage(1, 0, {name: 1}, {name: 1}),
        problems=(name,),
    )
    return Report((kernel,), name, {"copy_2d.py": SOURCE.replace("offsets", name.replace("\n", " "))}, (name,))


def _finding(severity: Severity, line: int, column: int) -> Finding:
    return Finding(
        f"GI101-{line}",
        "GI101",
        "uncoalesced-access",
        severity,
        Confidence.EXACT,
        ModelStatus.VALIDATED,
        "the 32 lanes of a warp touch 32 sectors where 4 would do",
        Location("copy_2d.py", line, column),
        {"sectors_per_request": 32.0, "ideal": 4, "dims": (0, 1), "stride": None},
        "let lanes walk dimension 1",
        f"access-{line}",
        0.8,
    )


def _access(line: int, direction: Direction, layout: str = TALL, sectors: int | None = 131072) -> Access:
    return Access(
        id=f"access-{line}",
        op=f"tt.{direction.value}",
        space=Space.GLOBAL,
        direction=direction,
        location=Location("copy_2d.py", line, 13),
        layout=layout,
        shape=(128, 128),
        element_bits=32,
        vector_bits=128,
        widths=(Width(128, 4),),
        requests=4096,
        lines=16384,
        sectors=sectors,
        sectors_ideal=16384,
        bytes_requested=524288,
        bytes_unique=524288,
        confidence=Confidence.UNKNOWN if sectors is None else Confidence.EXACT,
        model=ModelStatus.VALIDATED,
        reason="the index comes from memory" if sectors is None else "",
    )


def _transposed() -> KernelReport:
    tensor = TensorArgument("fp32", (1024, 4096), (1, 1024), 1 << 32)
    arguments = {"src": tensor, "dst": DescriptorArgument(tensor, (64, 64)), "n": 4096, "eps": 1e-6, "flag": True}
    kernel = CompiledKernel("copy_2d", "cuda:90", "3.9.0", source_file="copy_2d.py", source_line=5)
    shared = Access(
        "access-9",
        "ttg.convert_layout",
        Space.SHARED,
        Direction.STORE,
        Location("copy_2d.py", 7),
        TALL,
        "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>",
        requests=10,
        wavefronts=80,
        wavefronts_ideal=20,
        confidence=Confidence.EXACT,
        model=ModelStatus.DOCUMENTED,
    )
    return KernelReport(
        kernel,
        Launch("0", 3, (8, 32, 1), arguments),
        4,
        1,
        1024,
        Programs(256, 256),
        (_access(7, Direction.LOAD), _access(8, Direction.STORE, SLICED, None), shared),
        (
            Conversion(
                "conversion-0",
                "ttg.convert_layout",
                Location("copy_2d.py", 7),
                BLOCKED,
                TALL,
                ConversionKind.SHARED,
                16384,
                80,
                20,
                why="the load becomes coalesced",
                pays=True,
                confidence=Confidence.EXACT,
                model=ModelStatus.VALIDATED,
            ),
        ),
        Registers(
            40,
            0,
            (PartitionRegisters(4, 40),),
            (
                RegisterTensor(
                    Location("copy_2d.py", 7), (128, 128), TALL, 32, 128, 16384, 16384, Replication(1, 2, 1)
                ),
            ),
        ),
        16384,
        None,
        Occupancy(8, 32, 0.5, ("registers",), {"registers": 8, "shared": 14}),
        {"LDG.E.128": 4, "STG.E.128": 4},
        {"LDG.E.128": 4096},
        (LineInstructions(Location("copy_2d.py", 7), {"LDG.E.128": 4}),),
        (PassEntry(0, "inline", True), PassEntry(1, "canonicalize", None)),
        Measurement("NVIDIA H200", Timing(0.1, 0.09, 0.12, 100), 1 << 20, 330.0, 0.07, {"sectors_ld": 131072.0}),
        (_finding(Severity.ERROR, 7, 13), _finding(Severity.WARNING, 8, 2)),
        (Table("waste", "Register waste", (Column("tensor"), Column("copies", "right", "x")), (("value", 2),)),),
        (
            Metric("time", "Predicted time", 0.123456, "ms", Confidence.ASSUMED),
            Metric("x", "Unknown number", None),
        ),
        Coverage(20, 18, {"tt.strange": 2}, {"cache modifiers": 1}),
        ("live registers: not analysed",),
    )


def _clean() -> KernelReport:
    kernel = CompiledKernel("clean", "cuda:90", "3.9.0", source_file="copy_2d.py", source_line=5)
    access = _access(7, Direction.LOAD, BLOCKED, 16384)
    return KernelReport(kernel, Launch("0"), 4, 1, accesses=(access,), coverage=Coverage(3, 3))


def _named(name: str) -> KernelReport:
    kernel = CompiledKernel(name, "cuda:90", source_file="copy_2d.py", source_line=5)
    findings = (_finding(Severity.WARNING, 7, 13),)
    return KernelReport(kernel, Launch("0"), 4, 1, accesses=(_access(7, Direction.LOAD),), findings=findings)


def compared() -> Report:
    """The ordinary report against a baseline: one thing worse, one better, one neither."""
    changes = (
        Change(
            "copy_2d", "cuda:90", "sectors of global load 1", 16384, 131072, False, 8.0, Location("copy_2d.py", 7)
        ),
        Change("copy_2d", "cuda:90", "LDG.E.128 instructions", 8, 4, None, 2.0),
        Change(
            "clean",
            "cuda:90",
            "GI101 uncoalesced-access",
            "32 sectors where 4 would do",
            None,
            True,
            1e9,
            rule="GI101",
        ),
    )
    times = (
        TimeChange("copy_2d", "cuda:90", 10e-6, 40e-6, 0.25),
        TimeChange("clean", "cuda:90", 11e-6, 10e-6, 0.2),
        TimeChange("new", "cuda:90", None, 10e-6),
    )
    return replace(ordinary(), comparison=Comparison("base.json", changes, frozenset({(0, "GI101-7")}), times))
