"""The kernels of a report, one row a launch."""

from gluon_inspect.model.finding import Cell, Column, Entry, Kind, Table
from gluon_inspect.model.report import KernelReport
from gluon_inspect.tables.fields import count
from gluon_inspect.wording.verdict import verdict

_COLUMNS = (
    Column(""),
    Column("kernel"),
    Column("target"),
    Column("grid"),
    Column("launches", "right"),
    Column("verdict", wraps=True),
)


def kernel_table(kernels: tuple[KernelReport, ...]) -> Table:
    """How grave, name, target, grid, how often it was launched, and the verdict."""
    return Table("kernels", "", _COLUMNS, tuple(map(_row, kernels)))


def _row(kernel: KernelReport) -> tuple[Entry, ...]:
    grid = "x".join(str(axis) for axis in kernel.launch.grid) if kernel.launch.grid else None
    judged = verdict(kernel)
    name, level = Cell(kernel.name, Kind.NAME), Cell(judged.level, Kind.LEVEL)
    return level, name, kernel.kernel.target, grid, count(kernel.launch.count), judged.text
