"""Pictures of whole screens, compared letter by letter and colour by colour.

UPDATE_SNAPSHOTS=1 writes them anew; look at what changed before committing it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest
from textual.pilot import Pilot

from gluon_inspect.model.report import KernelReport, Report
from gluon_inspect.tui import insight
from gluon_inspect.tui.app import InspectApp
from tests.tui import samples
from tests.tui.piloting import press, sit

SNAPSHOTS = Path(__file__).parent / "snapshots"
PINNED = re.compile(r"^textual==(\S+)", re.MULTILINE).findall(
    (Path(__file__).parents[2] / "constraints.txt").read_text(encoding="utf-8")
)
"""Textual's version, which `make test` installs: others draw the same screen with other letters of SVG."""

STORE = ("down",) * (samples.STORE_LINE - 16)
SCREENS: tuple[tuple[str, Callable[[], Report | None], tuple[int, int], bool, tuple[str, ...]], ...] = (
    ("80x24", samples.small, (80, 24), True, STORE),
    ("120x40", samples.small, (120, 40), True, (*STORE, "l")),
    ("empty", lambda: None, (120, 40), True, ()),
    ("many-findings", samples.many, (120, 40), True, ("f", "down", "down")),
    ("light", samples.small, (120, 40), False, STORE),
)


@pytest.mark.skipif(
    [version("textual")] != PINNED,
    reason=f"compared only with the Textual that constraints.txt pins: {PINNED}, here is {version('textual')}",
)
@pytest.mark.parametrize(
    ("name", "report", "size", "dark", "keys"), SCREENS, ids=[screen[0] for screen in SCREENS]
)
def test_screen(
    name: str,
    report: Callable[[], Report | None],
    size: tuple[int, int],
    dark: bool,
    keys: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
):
    monkeypatch.setattr(insight, "insight_of", without_explanation)
    taken: list[str] = []

    async def sitting(app: InspectApp, pilot: Pilot) -> None:
        await press(app, pilot, *keys)
        taken.append(normal(app.export_screenshot()))

    sit(report(), sitting, size=size, dark=dark)
    file = SNAPSHOTS / f"{name}.svg"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        file.write_text(taken[0], encoding="utf-8")
    actual = tmp_path / f"{name}.svg"
    actual.write_text(taken[0], encoding="utf-8")
    assert taken[0] == file.read_text(encoding="utf-8"), (
        f"the screen looks different now: compare {actual} with {file}"
    )


def test_the_version_that_draws_the_pictures_is_pinned():
    assert len(PINNED) == 1


def without_explanation(kernel: KernelReport) -> insight.Insight:
    """Its words belong to another part, with tests of its own."""
    return insight.Insight(kernel)


def normal(svg: str) -> str:
    """Class names carry a checksum of the whole picture: one letter would change every line."""
    return re.sub(r"terminal-\d+", "terminal", svg)
