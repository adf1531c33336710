"""What each change of layout is done with, and what it costs."""

from gluon_inspect.model.access import Conversion
from gluon_inspect.model.finding import Cell, Column, Kind, Table
from gluon_inspect.model.report import KernelReport
from gluon_inspect.tables.fields import Field, count, layout, line, operation, table_of
from gluon_inspect.wording.characters import shortened

_OPERATION_CHARACTERS = 22
_FIELDS = (
    Field[Conversion](Column("line", "right"), lambda one: line(one.location)),
    Field[Conversion](Column("conversion"), lambda one: shortened(operation(one.op), _OPERATION_CHARACTERS)),
    Field[Conversion](Column("from", priority=2), lambda one: layout(one.source)),
    Field[Conversion](Column("to", priority=2), lambda one: layout(one.target)),
    Field[Conversion](Column("by"), lambda one: one.kind.value),
    Field[Conversion](Column("scratch", "right", priority=1), lambda one: Cell(one.scratch_bytes, Kind.BYTES)),
    Field[Conversion](Column("wavefronts", "right"), lambda one: count(one.wavefronts)),
    Field[Conversion](Column("ideal", "right"), lambda one: count(one.wavefronts_ideal)),
    Field[Conversion](Column("pays", priority=1), lambda one: Cell(one.pays)),
    Field[Conversion](Column("why", priority=3, wraps=True, remark=True), lambda one: one.why),
)


def conversion_tables(kernel: KernelReport) -> tuple[Table, ...]:
    """One table; none without a conversion."""
    if not kernel.conversions:
        return ()
    return (table_of("conversions", "Layout conversions", _FIELDS, kernel.conversions, lambda one: one.location),)
