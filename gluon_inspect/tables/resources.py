"""What a kernel takes of an SM, its metrics, its instructions, and how much of its IR was understood."""

from collections.abc import Container, Iterator

from gluon_inspect.model.confidence import Confidence
from gluon_inspect.model.finding import Cell, Column, Entry, Kind, Metric, Table
from gluon_inspect.model.report import KernelReport, Occupancy
from gluon_inspect.tables.fields import count
from gluon_inspect.wording.numbers import plural

_COLUMNS = (Column("resource"), Column("value", "right"), Column("which is", wraps=True))
_SAID = frozenset(
    {
        "registers_per_thread",
        "spill_bytes",
        "ctas_per_sm",
        "warps_per_sm",
        "occupancy",
        "occupancy_limited_by",
    }
)
"""Metrics, for budgets and the JSON report, of what the table of resources says."""
_INSTRUCTIONS = "instruction"
"""An analysis' table with such a key says the same in better order."""


def resource_table(kernel: KernelReport) -> Table:
    """Registers, spills, shared and tensor memory, occupancy; then every metric that no table says."""
    return Table("resources", "Resources", _COLUMNS, (*resource_rows(kernel), *metric_rows(kernel)))


def resource_rows(kernel: KernelReport) -> Iterator[tuple[Entry, ...]]:
    """Of the table: what the kernel takes."""
    registers = kernel.registers
    yield "registers", Cell(registers.per_thread, Kind.COUNT, "a thread"), ""
    yield "spilled", Cell(registers.spill_bytes, Kind.BYTES, "a thread"), ""
    yield "shared memory", Cell(kernel.shared_bytes, Kind.BYTES, "a CTA"), ""
    if kernel.tensor_memory_columns:
        yield "tensor memory", Cell(kernel.tensor_memory_columns, Kind.COUNT, "columns"), ""
    yield _occupancy(kernel.occupancy, "a compute unit" if kernel.kernel.target.startswith("hip") else "an SM")


def _occupancy(occupancy: Occupancy | None, unit: str) -> tuple[Entry, ...]:
    if occupancy is None:
        return "occupancy", Cell(None, Kind.SHARE), ""
    held = f"{plural(occupancy.ctas_per_sm, 'CTA')} and {plural(occupancy.warps, 'warp')} {unit}"
    limited_by = ", ".join(occupancy.limited_by) or "nothing"
    return "occupancy", Cell(occupancy.fraction, Kind.SHARE), f"{held}, limited by {limited_by}"


def metric_rows(kernel: KernelReport) -> Iterator[tuple[Entry, ...]]:
    """Of the table: the metrics."""
    told = {key for table in kernel.tables for key in table.metrics}
    yield from (_metric(metric) for metric in kernel.metrics if not _is_said(metric, told))


def _is_said(metric: Metric, told: Container[str]) -> bool:
    """A table's title has no room for a doubt, so what is not exact is said as a metric too."""
    return metric.key in _SAID or (metric.key in told and metric.confidence is Confidence.EXACT)


def _metric(metric: Metric) -> tuple[Entry, ...]:
    return metric.title, Cell(metric.value, unit=metric.unit, confidence=metric.confidence), ""


def instruction_tables(kernel: KernelReport) -> tuple[Table, ...]:
    """Instructions by name, in the binary and executed; none where an analysis' table says so in better order."""
    static, executed = kernel.instructions_static, kernel.instructions_executed
    names = dict.fromkeys((*static, *executed))
    if not names or any(table.key.startswith(_INSTRUCTIONS) for table in kernel.tables):
        return ()
    columns = (Column("instruction"), Column("static", "right"), Column("executed", "right"))
    rows = tuple((name, count(static.get(name)), count(executed.get(name))) for name in names)
    title = "Instructions (static: in the binary; executed: by all warps of the launch)"
    return (Table("instruction_names", title, columns, rows),)


def coverage_tables(kernel: KernelReport) -> tuple[Table, ...]:
    """Operations that were not understood and effects that no model covers; no table without IR."""
    coverage = kernel.coverage
    if not kernel.has_ir:
        return ()
    gaps = (("not understood", coverage.not_understood), ("not modelled", coverage.unmodelled))
    rows = tuple((gap, name, times) for gap, found in gaps for name, times in found.items())
    columns = (Column("gap"), Column("operation"), Column("times", "right"))
    title = f"{coverage.understood:,} of {plural(coverage.operations, 'operation')} understood"
    return (Table("coverage", title, columns, rows),)
