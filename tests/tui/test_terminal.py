"""One sitting in a real pseudo-terminal: typed keys, and what then stands on the screen."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pyte
import pytest

from tests.tui import samples

DROPPED = frozenset({"NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES"})
_SECONDS = 60.0
_READS = 900
"""Long enough for a machine with much else to do: a read waits up to a tenth of a second."""


class Sitting:
    """A terminal of a given size with the program in it."""

    def __init__(self, arguments: list[str], columns: int, rows: int, **environment: str) -> None:
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        kept = {name: value for name, value in os.environ.items() if name not in DROPPED}
        self.raw = b""
        self.child = pexpect.spawn(
            sys.executable,
            ["-m", "gluon_inspect", "tui", *arguments],
            dimensions=(rows, columns),
            env={**kept, "TERM": "xterm-256color", "COLORTERM": "truecolor", **environment},
        )

    def type(self, text: str) -> None:
        self.child.send(text)

    def escape(self) -> None:
        """Escape alone: what follows it at once would be a key with alt."""
        self.type("\x1b")
        self.read_quiet(10)

    def text(self) -> str:
        return "\n".join(self._screen.display)

    def line(self, word: str) -> str:
        return next((line for line in self._screen.display if word in line), "")

    def until(self, *words: str, gone: str = "") -> None:
        self.wait(lambda: all(word in self.text() for word in words) and not (gone and gone in self.text()))

    def wait(self, condition: Callable[[], bool]) -> None:
        for _ in range(_READS):
            if condition():
                return
            self.read()
        pytest.fail(f"it never came; the screen is\n{self.text()}")

    def read(self) -> bool:
        """What comes within a tenth of a second; whether something did."""
        try:
            data = self.child.read_nonblocking(1 << 16, 0.1)
        except pexpect.TIMEOUT:
            return False
        self.raw += data
        self._stream.feed(data)
        return True

    def read_quiet(self, times: int) -> None:
        """Until so many reads brought nothing."""
        while times:
            times -= not self.read()

    def leave(self) -> int | None:
        self.type("q")
        self.child.expect(pexpect.EOF, timeout=_SECONDS)
        self.raw += self.child.before or b""
        self.child.close()
        return self.child.exitstatus


@pytest.fixture
def small() -> Iterator[Sitting]:
    sitting = Sitting([str(samples.DATA)], 80, 24)
    yield sitting
    sitting.child.close(force=True)


def test_the_main_paths_in_a_small_terminal(small: Sitting):
    small.until("Findings 1", "kernels.gi", "one_layout 1/2", "gl.load(src", "32/4")
    assert re.search(r"✖ ?20 +32/4 ", small.line("gl.store"))

    small.type("f")
    small.until("uncoalesced-access")
    small.read_quiet(10)
    small.type("\r")
    small.until("20/43")
    small.read_quiet(10)

    small.type("2")
    small.until("IR  ttgir", "tt.store")
    small.type("/#blocked =\r")
    small.until("#blocked = BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])", " 1/35", gone="1 of 1")
    small.type("/tt.store\r")
    small.until("32/35")

    small.type("3")
    small.until("Assembly  SASS", "STG.E", "linked")
    small.type("s")
    small.until("Assembly  PTX")

    small.type("1l")
    small.until("tensor view", "0:0")
    small.type("v")
    small.until("hardware view", "warp 0")

    small.type("w")
    small.until("another layout for")
    small.escape()
    small.type("p")
    small.until("gluon-inline")
    small.type("r")
    small.until("registers", "24 a thread")

    small.type("4")
    small.until("filter", "two_layouts")
    small.type("j\r")
    small.until("two_layouts 2/2")

    small.type("?")
    small.until("Maximise", "escape closes")
    small.escape()
    small.until("two_layouts 2/2", gone="escape closes")
    assert small.leave() == 0


def test_leaving_gives_the_terminal_back_as_it_was(small: Sitting):
    small.until("Findings 1")
    assert small.leave() == 0
    assert small.raw.count(b"\x1b[?1049h") == small.raw.count(b"\x1b[?1049l") == 1
    assert b"\x1b[?25h" in small.raw.rpartition(b"\x1b[?1049l")[2] + small.raw[-200:]


def test_a_resize_is_followed(small: Sitting):
    small.until("Findings 1")
    small._screen.resize(50, 180)
    small.child.setwinsize(50, 180)
    small.until("Kernels", "Source", "IR  ttgir", "Assembly  SASS")
    assert small.leave() == 0


def test_without_colour_everything_can_still_be_told():
    sitting = Sitting([str(samples.DATA)], 100, 30, NO_COLOR="1")
    sitting.until("✖ one_layout", "✔ two_layouts", "32/4")
    colours = {match for match in re.findall(rb"[34]8;2;(\d+);(\d+);(\d+)", sitting.raw) if len(set(match)) > 1}
    assert colours == set()
    assert sitting.leave() == 0


def test_bad_input_is_told_in_the_panel_and_the_script_cannot_tear_the_screen(tmp_path: Path):
    script = tmp_path / "loud.py"
    script.write_text(
        "import sys\nprint('torn' * 30)\nsys.stderr.write('apart' * 30)\nraise ValueError('on purpose')\n"
    )
    sitting = Sitting([str(script)], 80, 24)
    sitting.until("Problem", "on purpose")
    assert "torntorn" not in sitting.text()
    sitting.type("o")
    sitting.until("torntorn")
    assert sitting.leave() == 0


def test_a_recording_can_be_left_at_once(tmp_path: Path):
    script = tmp_path / "endless.py"
    script.write_text("import time\ntime.sleep(1000)\n")
    sitting = Sitting([str(script)], 80, 24)
    sitting.until("recording", "x cancels")
    assert sitting.leave() == 0
    with pytest.raises(ProcessLookupError):
        os.kill(sitting.child.pid, signal.SIGCONT)


def test_no_terminal_is_bad_usage():
    program = [sys.executable, "-m", "gluon_inspect", "tui", str(samples.DATA)]
    done = subprocess.run(program, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "tui needs a terminal" in done.stderr
    assert done.stdout == ""
