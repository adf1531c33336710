"""Memory accesses and layout conversions; layouts stand in a legend, by letter, so that rows stay short."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from rich.console import RenderableType
from rich.text import Text

from gluon_inspect.model.access import Access, Conversion, Space
from gluon_inspect.model.confidence import Confidence
from gluon_inspect.model.location import Location
from gluon_inspect.model.report import KernelReport
from gluon_inspect.report.text.grid import Cell, Head, grid
from gluon_inspect.report.text.palette import DIM, LEVEL
from gluon_inspect.wording.characters import shortened, visible
from gluon_inspect.wording.layouts import short_layout
from gluon_inspect.wording.numbers import NOT_APPLICABLE, UNKNOWN, percent, ratio, short_count, size

_ROWS = 60
_OP_CHARACTERS = 22
GAP = "?"
_GOOD, _FAIR = 0.9, 0.5

_ACCESS_HEADS = (
    Head("line", right=True),
    Head("access"),
    Head("layout"),
    Head("bits", right=True),
    Head("requests", right=True),
    Head("sectors", right=True),
    Head("/req.", right=True),
    Head("used", right=True),
    Head("trust"),
)
_SHARED_HEADS = (
    Head("line", right=True),
    Head("access"),
    Head("layout"),
    Head("bits", right=True),
    Head("requests", right=True),
    Head("wavefronts", right=True),
    Head("ideal", right=True),
    Head("trust"),
)
_BULK_HEADS = (
    Head("line", right=True),
    Head("access"),
    Head("layout"),
    Head("instructions", right=True),
    Head("bytes", right=True),
    Head("trust"),
)
_BY_SECTORS = (Space.GLOBAL, Space.SCALAR)


class _Legend:
    """Letters for layouts, in the order they are first asked for."""

    def __init__(self) -> None:
        self._letters: dict[str, str] = {}

    def letter(self, layout: str) -> str:
        if not layout:
            return "-"
        return self._letters.setdefault(layout, _letter(len(self._letters)))

    def text(self, width: int) -> Text:
        lines = (
            f"  {letter} = {visible(short_layout(layout), max(width - 8, 40))}"
            for layout, letter in self._letters.items()
        )
        return Text("\n".join(lines), DIM)

    def __bool__(self) -> bool:
        return bool(self._letters)


def _letter(index: int) -> str:
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    return letters[index] if index < len(letters) else f"L{index}"


def access_section(kernel: KernelReport, width: int) -> Iterator[RenderableType]:
    """Global-like and shared accesses, each in the units that matter there."""
    legend = _Legend()
    shared = [access for access in kernel.accesses if access.space is Space.SHARED]
    other = [access for access in kernel.accesses if access.space is not Space.SHARED]
    if other:
        yield grid(
            "Memory accesses (whole launch)", _ACCESS_HEADS, (_row(a, legend) for a in islice(other, _ROWS))
        )
    lanes, bulk = [a for a in shared if not a.is_bulk], [a for a in shared if a.is_bulk]
    if lanes:
        rows = (_shared_row(access, legend) for access in islice(lanes, _ROWS))
        yield grid("Shared memory (whole launch)", _SHARED_HEADS, rows)
    if bulk:
        rows = (_bulk_row(access, legend) for access in islice(bulk, _ROWS))
        yield grid("Shared memory by bulk copies and matrix units (whole launch)", _BULK_HEADS, rows)
    if len(kernel.accesses) > _ROWS:
        yield Text(f"at most {_ROWS} rows a table are shown; all are in the JSON report", DIM)
    if legend:
        yield legend.text(width)
    yield from _reasons(kernel.accesses)


def _row(access: Access, legend: _Legend) -> tuple[Cell, ...]:
    efficiency = access.efficiency
    return (
        Cell(_line(access.location)),
        Cell(_what(access)),
        Cell(legend.letter(access.layout)),
        Cell(_bits(access)),
        Cell(_requests(access)),
        Cell(_sectors(access, short_count(access.sectors))),
        Cell(NOT_APPLICABLE if access.is_bulk else _sectors(access, ratio(access.sectors_per_request))),
        Cell(_sectors(access, percent(efficiency)), _grade(efficiency)),
        Cell(access.confidence.value, _trust_style(access.confidence)),
    )


def _shared_row(access: Access, legend: _Legend) -> tuple[Cell, ...]:
    ideal, actual = access.wavefronts_ideal, access.wavefronts
    share = ideal / actual if ideal is not None and actual else None
    return (
        Cell(_line(access.location)),
        Cell(_what(access)),
        Cell(f"{legend.letter(access.layout)} in {legend.letter(access.memory_layout)}"),
        Cell(_bits(access)),
        Cell(_requests(access)),
        Cell(_known(short_count(actual)), _grade(share)),
        Cell(_known(short_count(ideal))),
        Cell(access.confidence.value, _trust_style(access.confidence)),
    )


def _bulk_row(access: Access, legend: _Legend) -> tuple[Cell, ...]:
    return (
        Cell(_line(access.location)),
        Cell(_what(access)),
        Cell(legend.letter(access.memory_layout)),
        Cell(_known(short_count(access.transactions))),
        Cell(_known(short_count(access.bytes_requested))),
        Cell(access.confidence.value, _trust_style(access.confidence)),
    )


def _reasons(accesses: Iterable[Access]) -> Iterator[Text]:
    reasons = dict.fromkeys(
        f"  line {_line(access.location)}: {visible(access.reason)}"
        for access in accesses
        if access.reason and access.confidence is not Confidence.EXACT
    )
    if reasons:
        yield Text("\n".join(islice(reasons, _ROWS)), DIM)


def conversion_section(kernel: KernelReport, width: int) -> Iterator[RenderableType]:
    """What each change of layout is done with, and what it costs."""
    if not kernel.conversions:
        return
    legend = _Legend()
    heads = (
        Head("line", right=True),
        Head("conversion"),
        Head("from"),
        Head("to"),
        Head("by"),
        Head("scratch", right=True),
        Head("wavefronts", right=True),
        Head("ideal", right=True),
        Head("pays"),
    )
    yield grid("Layout conversions", heads, (_conversion(c, legend) for c in islice(kernel.conversions, _ROWS)))
    yield legend.text(width)
    why = dict.fromkeys(f"  line {_line(c.location)}: {visible(c.why)}" for c in kernel.conversions if c.why)
    if why:
        yield Text("\n".join(islice(why, _ROWS)), DIM)


def _conversion(conversion: Conversion, legend: _Legend) -> tuple[Cell, ...]:
    pays = {None: GAP, True: "yes", False: "no"}[conversion.pays]
    return (
        Cell(_line(conversion.location)),
        Cell(_operation(conversion.op)),
        Cell(legend.letter(conversion.source)),
        Cell(legend.letter(conversion.target)),
        Cell(conversion.kind.value),
        Cell(_known(size(conversion.scratch_bytes))),
        Cell(_known(short_count(conversion.wavefronts))),
        Cell(_known(short_count(conversion.wavefronts_ideal))),
        Cell(pays),
    )


def _known(text: str) -> str:
    """A cell has no room for the word; the trust column and the reasons below say it."""
    return GAP if text == UNKNOWN else text


def _line(location: Location | None) -> str:
    return str(location.author.line) if location else GAP


def _what(access: Access) -> str:
    space = "" if access.space in (Space.GLOBAL, Space.SHARED) else f"{access.space.value} "
    operation = _operation(access.op)
    direction = access.direction.value
    return space + (direction if operation == direction else f"{direction} {operation}")


def _operation(name: str) -> str:
    """Without the dialect: `ttg.convert_layout` as `convert_layout`."""
    return shortened(visible(name.rpartition(".")[2] or name), _OP_CHARACTERS)


def _sectors(access: Access, text: str) -> str:
    return _known(text) if access.space in _BY_SECTORS else NOT_APPLICABLE


def _bits(access: Access) -> str:
    if access.is_bulk or access.space is Space.CLUSTER:
        return NOT_APPLICABLE
    return GAP if access.vector_bits is None else str(access.vector_bits)


def _requests(access: Access) -> str:
    return NOT_APPLICABLE if access.is_bulk else _known(short_count(access.requests))


def _grade(share: float | None) -> str:
    if share is None:
        return LEVEL["unknown"]
    if share >= _GOOD:
        return "green"
    return "yellow" if share >= _FAIR else "red"


def _trust_style(confidence: Confidence) -> str:
    return DIM if confidence is Confidence.EXACT else LEVEL["unknown"]
