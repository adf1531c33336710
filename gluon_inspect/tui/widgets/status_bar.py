"""The top line: what is shown, the verdict, and what the background does."""

from __future__ import annotations

from time import monotonic

from rich.text import Text
from textual.reactive import reactive
from textual.widget import Widget

from gluon_inspect.listings.marks import SYMBOLS
from gluon_inspect.tui.chosen import Chosen
from gluon_inspect.tui.kernels import grid_text
from gluon_inspect.tui.palette import is_dark, level_colour
from gluon_inspect.wording.characters import shortened, visible
from gluon_inspect.wording.verdict import verdict

_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_FRAME_SECONDS = 0.1
_LEAST_LEFT = 24


class StatusBar(Widget):
    """One line; the right end shows progress while the background is busy."""

    doing = reactive("")

    def __init__(self, subject: str) -> None:
        super().__init__(id="status")
        self._subject = subject
        self._chosen: Chosen | None = None
        self._since = 0.0

    def on_mount(self) -> None:
        """Nothing turns while nothing is done."""
        self._timer = self.set_interval(_FRAME_SECONDS, self.refresh, pause=True)

    def show_kernel(self, chosen: Chosen) -> None:
        """Another kernel."""
        self._chosen = chosen
        self.refresh()

    def watch_doing(self, old: str, new: str) -> None:
        """Start or stop the spinner and its clock."""
        if new and not old:
            self._since = monotonic()
            self._timer.resume()
        elif old and not new:
            self._timer.pause()

    def render(self) -> Text:
        """Left: subject and verdict. Right: progress."""
        width = self.size.width
        right = self._progress(max(width - _LEAST_LEFT, 10))
        left = self._left(max(width - len(right) - 1, 0))
        return Text.assemble(left, " " * max(width - len(left) - len(right), 0), right)

    def _progress(self, room: int) -> Text:
        if not self.doing:
            return Text("")
        seconds = monotonic() - self._since
        frame = _FRAMES[int(seconds / _FRAME_SECONDS) % len(_FRAMES)]
        tail = f" {seconds:.0f} s  x cancels "
        body = shortened(visible(self.doing), max(room - len(tail) - 3, 5))
        return Text.assemble((f"{frame} ", "bold"), body, (tail, "dim"))

    def _left(self, room: int) -> Text:
        text = Text(no_wrap=True, overflow="ellipsis")
        text.append(f" {visible(self._subject, 40)}", "bold")
        if self._chosen is not None:
            self._describe(text, self._chosen)
        text.truncate(room, overflow="ellipsis")
        return text

    def _describe(self, text: Text, chosen: Chosen) -> None:
        kernel = chosen.kernel
        said = verdict(kernel)
        colour = level_colour(said.level, is_dark(self))
        text.append(f"  {visible(kernel.name, 40)}", "bold")
        count = len(chosen.report.kernels)
        place = f" {chosen.index + 1}/{count}" if count > 1 else ""
        text.append(f"{place}  {kernel.kernel.target} {grid_text(kernel.launch)}", "dim")
        text.append(f"  {SYMBOLS.get(said.level, '?')} {visible(said.text)}", colour)
