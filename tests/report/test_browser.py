"""The HTML report in a real browser, where one is installed (.ci/run sees to it)."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from gluon_inspect.report.html import render
from tests.report import samples

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
BROWSER = next(filter(None, map(shutil.which, _NAMES)), None)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium on PATH")
CLICK = """<script>
for (let i = 0; i < TIMES; i++) document.querySelectorAll("thead")[INDEX].rows[0].cells[CELL].click()
</script>"""


def loaded(page: str, folder: Path) -> str:
    file = folder / "page.html"
    file.write_text(page, "utf-8")
    command = [
        str(BROWSER),
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        f"--user-data-dir={folder / 'profile'}",
    ]
    command += ["--enable-logging=stderr", "--virtual-time-budget=2000", "--dump-dom", file.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert "CONSOLE" not in done.stderr, done.stderr
    return done.stdout


def order(dom: str) -> list[str]:
    body = dom[dom.index("<tbody>") : dom.index("</tbody>")]
    return re.findall(r'href="#kernel-\d+">([^<]+)</a>', body)


def clicked(page: str, cell: int, times: int) -> str:
    script = CLICK.replace("INDEX", "0").replace("CELL", str(cell)).replace("TIMES", str(times))
    return page.replace("</body>", f"{script}</body>")


@pytest.mark.parametrize(
    ("cell", "times", "names"),
    [
        (1, 1, ["clean", "copy_2d"]),
        (1, 2, ["copy_2d", "clean"]),
        (4, 1, ["clean", "copy_2d"]),
        (4, 2, ["copy_2d", "clean"]),
    ],
)
def test_a_click_on_a_head_sorts_by_text_or_number(tmp_path: Path, cell: int, times: int, names: list[str]):
    assert order(loaded(clicked(render(samples.ordinary()), cell, times), tmp_path)) == names


def test_hostile_names_run_nothing_and_ask_for_nothing(tmp_path: Path):
    name = "<img src=http://127.0.0.1:9/x onerror=document.title='owned'>" + samples.HOSTILE
    dom = loaded(render(samples.hostile(name)), tmp_path)
    assert "<title>owned" not in dom
    assert "<img" not in dom
