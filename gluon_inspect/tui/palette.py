"""Two themes, dark and light, and the colours of what they have no name for."""

from __future__ import annotations

from textual.theme import Theme
from textual.widget import Widget

DARK = Theme(
    name="gluon-dark",
    primary="#7aa2f7",
    secondary="#9d7cd8",
    accent="#ff9e64",
    warning="#e0af68",
    error="#f7768e",
    success="#9ece6a",
    foreground="#c8d0f0",
    background="#16161e",
    surface="#1a1b26",
    panel="#24283b",
    dark=True,
    variables={
        "block-cursor-background": "#3d59a1",
        "block-cursor-foreground": "#ffffff",
        "block-cursor-blurred-background": "#2b3150",
        "border": "#7aa2f7",
        "border-blurred": "#3b4261",
        "footer-background": "#1f2335",
        "footer-key-foreground": "#ff9e64",
        "input-selection-background": "#515c7e",
        "code-keyword": "#bb9af7",
        "code-string": "#9ece6a",
        "code-comment": "#7a83ab",
        "code-number": "#ff9e64",
        "code-definition": "#7aa2f7",
        "code-type": "#2ac3de",
        "code-layout": "#e0af68",
        "code-operation": "#7dcfff",
        "code-value": "#a9b1d6",
        "code-muted": "#6c759e",
        "code-lit": "#2d3f3a",
        "code-weak": "#22302f",
        "code-match": "#ffd75f",
    },
)
LIGHT = Theme(
    name="gluon-light",
    primary="#2e5fd0",
    secondary="#7847bd",
    accent="#b15c00",
    warning="#8f5e15",
    error="#c4314b",
    success="#387a1f",
    foreground="#343b58",
    background="#e9e9ed",
    surface="#f7f7fa",
    panel="#dcdfe8",
    dark=False,
    variables={
        "block-cursor-background": "#b7c7ee",
        "block-cursor-foreground": "#1a1f36",
        "block-cursor-blurred-background": "#d7def0",
        "border": "#2e5fd0",
        "border-blurred": "#b4b9cc",
        "footer-background": "#dcdfe8",
        "footer-key-foreground": "#b15c00",
        "input-selection-background": "#b7c7ee",
        "code-keyword": "#7847bd",
        "code-string": "#387a1f",
        "code-comment": "#7d84a3",
        "code-number": "#b15c00",
        "code-definition": "#2e5fd0",
        "code-type": "#007197",
        "code-layout": "#8f5e15",
        "code-operation": "#0f5f9c",
        "code-value": "#4a5178",
        "code-muted": "#7f86a5",
        "code-lit": "#cfe8d2",
        "code-weak": "#e2f0e3",
        "code-match": "#ffd75f",
    },
)
_LEVELS = {
    "error": (DARK.error, LIGHT.error),
    "warning": (DARK.warning, LIGHT.warning),
    "note": (DARK.primary, LIGHT.primary),
    "clean": (DARK.success, LIGHT.success),
}
_GOOD, _FAIR = 0.9, 0.5


def is_dark(widget: Widget) -> bool:
    """Whether the theme that a widget is shown in is a dark one."""
    return widget.app.current_theme.dark  # pyright: ignore[reportUnknownMemberType]


def level_colour(level: str, dark: bool) -> str:
    """The colour of a severity, of "clean" or of "unknown"."""
    for_dark, for_light = _LEVELS.get(level, (DARK.secondary, LIGHT.secondary))
    return (for_dark if dark else for_light) or ""


def share_colour(share: float | None, dark: bool) -> str:
    """Green for nearly all, red for less than half; the bounds are those of the text report."""
    if share is None:
        return level_colour("unknown", dark)
    return level_colour("clean" if share >= _GOOD else "warning" if share >= _FAIR else "error", dark)
