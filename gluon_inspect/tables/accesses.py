"""Memory accesses, each kind in the units that matter there; all counts are of the whole launch."""

from gluon_inspect.model.access import Access, Space
from gluon_inspect.model.confidence import Confidence
from gluon_inspect.model.finding import Cell, Column, Entry, Kind, Table
from gluon_inspect.model.report import KernelReport
from gluon_inspect.tables import ABSENT
from gluon_inspect.tables.fields import Field, count, layout, line, operation, share, table_of, tone_of, trust
from gluon_inspect.wording.characters import shortened

_BY_SECTORS = (Space.GLOBAL, Space.SCALAR)
_UNNAMED = (Space.GLOBAL, Space.SHARED)
_OPERATION_CHARACTERS = 22


def access_tables(kernel: KernelReport) -> tuple[Table, ...]:
    """Memory in general, shared memory by lanes, shared memory by bulk; those without an access are left out."""
    shared = [access for access in kernel.accesses if access.space is Space.SHARED]
    other = [access for access in kernel.accesses if access.space is not Space.SHARED]
    bulk = "Shared memory by bulk copies and matrix units (whole launch)"
    groups = (
        ("accesses", "Memory accesses (whole launch)", _MEMORY, other),
        ("shared", "Shared memory (whole launch)", _SHARED, [one for one in shared if not one.is_bulk]),
        ("shared_bulk", bulk, _BULK, [one for one in shared if one.is_bulk]),
    )
    return tuple(
        table_of(key, title, fields, found, lambda access: access.location)
        for key, title, fields, found in groups
        if found
    )


def _what(access: Access) -> str:
    space = "" if access.space in _UNNAMED else f"{access.space} "
    name, direction = shortened(operation(access.op), _OPERATION_CHARACTERS), access.direction.value
    return space + (direction if name == direction else f"{direction} {name}")


def _bits(access: Access) -> Entry:
    return ABSENT if access.is_bulk or access.space is Space.CLUSTER else Cell(access.vector_bits)


def _requests(access: Access) -> Entry:
    return ABSENT if access.is_bulk else count(access.requests)


def _sectors(access: Access) -> Entry:
    return count(access.sectors) if access.space in _BY_SECTORS else ABSENT


def _per_request(access: Access) -> Entry:
    absent = access.is_bulk or access.space not in _BY_SECTORS
    return ABSENT if absent else Cell(access.sectors_per_request, Kind.RATIO)


def _used(access: Access) -> Entry:
    return share(access.efficiency) if access.space in _BY_SECTORS else ABSENT


def _wavefronts(access: Access) -> Entry:
    ideal, actual = access.wavefronts_ideal, access.wavefronts
    return count(actual, tone_of(ideal / actual if ideal is not None and actual else None))


def _why(access: Access) -> Entry:
    return "" if access.confidence is Confidence.EXACT else access.reason


_LINE = Field[Access](Column("line", "right"), lambda access: line(access.location))
_ACCESS = Field[Access](Column("access"), _what)
_LAYOUT = Field[Access](Column("layout", priority=2), lambda access: layout(access.layout))
_WIDTH = Field[Access](Column("bits", "right", priority=1), _bits)
_REQUESTS = Field[Access](Column("requests", "right", priority=1), _requests)
_TRUST = Field[Access](Column("trust", priority=1), lambda access: trust(access.confidence))
_WHY = Field[Access](Column("why", priority=3, wraps=True, remark=True), _why)
_MEMORY = (
    _LINE,
    _ACCESS,
    _LAYOUT,
    _WIDTH,
    _REQUESTS,
    Field[Access](Column("sectors", "right"), _sectors),
    Field[Access](Column("/req.", "right"), _per_request),
    Field[Access](Column("used", "right"), _used),
    _TRUST,
    _WHY,
)
_SHARED = (
    _LINE,
    _ACCESS,
    Field[Access](
        Column("layout", priority=2), lambda access: Cell((access.layout, access.memory_layout), Kind.LAYOUT)
    ),
    _WIDTH,
    _REQUESTS,
    Field[Access](Column("wavefronts", "right"), _wavefronts),
    Field[Access](Column("ideal", "right"), lambda access: count(access.wavefronts_ideal)),
    _TRUST,
    _WHY,
)
_BULK = (
    _LINE,
    _ACCESS,
    Field[Access](Column("layout", priority=2), lambda access: layout(access.memory_layout)),
    Field[Access](Column("instructions", "right", priority=1), lambda access: count(access.transactions)),
    Field[Access](Column("bytes", "right", priority=1), lambda access: count(access.bytes_requested)),
    _TRUST,
    _WHY,
)
