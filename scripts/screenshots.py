"""Makes the pictures of the TUI that README and docs show, from a recording of an example.

    .venv/bin/python scripts/screenshots.py [FOLDER] [--png]

Writes SVG as Textual draws it; with --png also PNG, for which chromium or chrome must be on PATH.
"""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from textual.pilot import Pilot

from gluon_inspect import inspect
from gluon_inspect.model.report import Report
from gluon_inspect.model.request import Request
from gluon_inspect.tui.app import InspectApp

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = "examples/opposite_layouts.py"
TO_THE_STORE = ("down",) * 4
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@dataclass(frozen=True)
class Picture:
    """A screen: size, theme, and the keys that lead to it."""

    name: str
    size: tuple[int, int]
    keys: tuple[str, ...]
    dark: bool = True


PICTURES = (
    Picture("tui", (200, 54), TO_THE_STORE),
    Picture("tui-layout", (140, 40), (*TO_THE_STORE, "l")),
    Picture("tui-what-if", (140, 40), (*TO_THE_STORE, "w", "escape", "G", "enter", "enter")),
    Picture("tui-passes", (140, 40), ("p",)),
    Picture("tui-measured", (140, 40), ("m", "z")),
    Picture("tui-light", (140, 40), TO_THE_STORE, dark=False),
    Picture("tui-80x24", (80, 24), TO_THE_STORE),
)


def main(arguments: Sequence[str]) -> int:
    """Record once, draw every picture."""
    folders = [Path(word) for word in arguments if not word.startswith("-")]
    folder = folders[0] if folders else ROOT / "docs" / "images"
    folder.mkdir(parents=True, exist_ok=True)
    report = inspect(ROOT / EXAMPLE)
    for picture in PICTURES:
        file = folder / f"{picture.name}.svg"
        file.write_text(asyncio.run(draw(picture, report)), encoding="utf-8")
        if "--png" in arguments:
            as_png(file)
        sys.stdout.write(f"{file}\n")
    return 0


async def draw(picture: Picture, report: Report) -> str:
    """Open the report, press the keys, take the picture."""
    app = InspectApp(Request((EXAMPLE,)), report=report, dark=picture.dark)
    async with app.run_test(size=picture.size) as pilot:
        await settle(app, pilot)
        for key in picture.keys:
            await pilot.press(key)
            await settle(app, pilot)
        return app.export_screenshot(title="gluon-inspect tui")


async def settle(app: InspectApp, pilot: Pilot[None]) -> None:
    """Until the background is idle."""
    for _ in range(3):
        await app.workers.wait_for_complete()
        await pilot.pause(0.1)


def as_png(file: Path) -> None:
    """The same picture for places that show no SVG."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        raise SystemExit(f"PNG needs one of {', '.join(BROWSERS)} on PATH")
    box = ElementTree.parse(file).getroot().get("viewBox", "0 0 1200 800").split()
    width, height = (int(float(number)) + 1 for number in box[2:])
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    command += [
        f"--window-size={width},{height}",
        f"--screenshot={file.with_suffix('.png')}",
        file.resolve().as_uri(),
    ]
    subprocess.run(command, check=True, capture_output=True)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
