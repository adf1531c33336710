"""The keys that work everywhere; panes add their own."""

from __future__ import annotations

from textual.binding import Binding, BindingType

PANES: tuple[BindingType, ...] = (
    Binding("1", "pane('source')", "Source"),
    Binding("2", "pane('ir')", "IR"),
    Binding("3", "pane('assembly')", "Assembly"),
    Binding("4", "kernels", "Kernels", tooltip="once more: filter"),
    Binding("f", "tab('tab-findings')", "Findings", show=False),
    Binding("a", "tab('tab-accesses')", "Accesses", show=False),
    Binding("l", "tab('tab-layout')", "Layout", show=False),
    Binding("w", "tab('tab-what-if')", "What if a layout were another", show=False),
    Binding("p", "tab('tab-passes')", "Passes", show=False),
    Binding("r", "tab('tab-resources')", "Registers, occupancy, tables", show=False),
    Binding("m", "tab('tab-measured')", "Measured", show=False),
    Binding("o", "tab('tab-output')", "Output of the script, notes", show=False),
    Binding("tab", "app.focus_next", "Next pane", show=False),
    Binding("shift+tab", "app.focus_previous", "Previous pane", show=False),
    Binding("z", "zoom", "Maximise"),
    Binding("escape", "back_off", "Close what is on top", show=False),
)
MOVES: tuple[BindingType, ...] = (
    Binding("left_square_bracket", "kernel(-1)", "Previous kernel", show=False),
    Binding("right_square_bracket", "kernel(1)", "Next kernel", show=False),
    Binding("enter", "follow", "From a line to what it came from or became", show=False),
    # First of all, so that what is typed right behind it goes to the search; fields keep their slashes.
    Binding("slash", "search", "Search", priority=True),
    Binding("n", "search_step(True)", "Next hit", show=False),
    Binding("N", "search_step(False)", "Previous hit", show=False),
)
GENERAL: tuple[BindingType, ...] = (
    Binding("R", "rerun", "Inspect again", show=False),
    Binding("x", "cancel", "Cancel what the background does", show=False),
    Binding("t", "light_or_dark", "Light or dark", show=False),
    Binding("ctrl+p", "app.command_palette", "Command palette", show=False),
    Binding("question_mark", "help", "Keys"),
    Binding("q,ctrl+q", "leave", "Quit", key_display="q"),
)
