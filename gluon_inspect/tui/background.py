"""Work in a thread; what goes wrong there is the screen's to tell, and the sitting goes on."""

from __future__ import annotations

from collections.abc import Callable

from textual.widget import Widget


def in_background(widget: Widget, work: Callable[[], object], group: str) -> None:
    """Run `work` for a widget; work of the same group that has not ended is not waited for any more.

    Without a description Textual takes the `repr` of `work`, and with it of everything bound to it.
    """
    widget.screen.run_worker(
        work, thread=True, exclusive=True, group=group, description=group, exit_on_error=False
    )
