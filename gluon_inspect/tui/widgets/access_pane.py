"""Every access and conversion of the kernel with its traffic."""

from __future__ import annotations

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import DataTable

from gluon_inspect.model.access import Access, Conversion, Space
from gluon_inspect.model.location import Location
from gluon_inspect.tui.chosen import Chosen
from gluon_inspect.tui.messages import JumpTo
from gluon_inspect.tui.palette import is_dark, share_colour
from gluon_inspect.tui.widgets.grid import Grid, Head, Row
from gluon_inspect.wording.characters import visible
from gluon_inspect.wording.layouts import short_layout
from gluon_inspect.wording.numbers import NOT_APPLICABLE, percent, ratio, short_count

_HEADS = (
    Head("line", right=True),
    Head("access"),
    Head("bits", right=True),
    Head("requests", right=True),
    Head("sectors", right=True),
    Head("/req.", right=True),
    Head("waves", right=True),
    Head("used", right=True),
    Head("trust"),
    Head("layout"),
)


class AccessPane(Vertical):
    """One row an access, conversions below."""

    def __init__(self) -> None:
        super().__init__(id="accesses")

    def compose(self) -> ComposeResult:
        """The table."""
        yield Grid(id="access-table")

    def show_kernel(self, chosen: Chosen) -> None:
        """The kernel's accesses."""
        dark = is_dark(self)
        rows = [_access(access, dark) for access in chosen.kernel.accesses]
        rows += [_conversion(conversion, dark) for conversion in chosen.kernel.conversions]
        self.query_one(Grid).show_rows(_HEADS, rows)

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        """Enter or a click goes to the line."""
        event.stop()
        row = self.query_one(Grid).row
        if row is not None and row.location is not None:
            self.post_message(JumpTo(row.location, focus=True))


def _access(access: Access, dark: bool) -> Row:
    share = _share(access)
    where = "" if access.space is Space.GLOBAL else f"{access.space.value} "
    bulk = access.transactions is not None
    cells = (
        _line(access.location),
        Text(f"{where}{access.direction.value} ({visible(access.op, 30)})"),
        Text(_known(access.vector_bits)),
        Text(f"{short_count(access.transactions)} tx" if bulk else _count(access.requests)),
        Text(_count(access.sectors) if access.space is not Space.SHARED else NOT_APPLICABLE),
        Text(NOT_APPLICABLE if bulk or access.space is Space.SHARED else _ratio(access.sectors_per_request)),
        Text(_count(access.wavefronts) if access.space is Space.SHARED else NOT_APPLICABLE),
        Text("?" if share is None else percent(share), share_colour(share, dark)),
        Text(access.trust.value),
        Text(_layout(access)),
    )
    return Row(cells, access.location)


def _conversion(conversion: Conversion, dark: bool) -> Row:
    share = _over(conversion.wavefronts_ideal, conversion.wavefronts)
    dash = Text(NOT_APPLICABLE)
    cells = (
        _line(conversion.location),
        Text(f"conversion by {conversion.kind.value} ({visible(conversion.op, 30)})"),
        dash,
        dash,
        dash,
        dash,
        Text(_count(conversion.wavefronts)),
        Text("?" if share is None else percent(share), share_colour(share, dark)),
        Text(conversion.confidence.value),
        Text(visible(f"{short_layout(conversion.source)} → {short_layout(conversion.target)}", 300)),
    )
    return Row(cells, conversion.location)


def _share(access: Access) -> float | None:
    if access.space is Space.SHARED:
        return _over(access.wavefronts_ideal, access.wavefronts)
    return access.efficiency


def _over(ideal: int | None, actual: int | None) -> float | None:
    return ideal / actual if ideal is not None and actual else None


def _line(location: Location | None) -> Text:
    return Text(str(location.author.line) if location is not None and location.line else "?")


def _layout(access: Access) -> str:
    parts = [short_layout(text) for text in (access.layout, access.memory_layout) if text]
    return visible(" in ".join(parts), 300)


def _known(value: int | None) -> str:
    return "?" if value is None else str(value)


def _count(value: int | None) -> str:
    return "?" if value is None else short_count(value)


def _ratio(value: float | None) -> str:
    return "?" if value is None else ratio(value)
