"""Text from kernels and scripts is hostile input: made visible before any renderer prints it."""

import unicodedata

_ELLIPSIS = "…"
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def visible(text: str, limit: int = 0) -> str:
    """One line without control, format or bidirectional characters; each is shown as its escape.

    `limit` (0: none) bounds the characters kept; what is cut is marked with an ellipsis.
    """
    if not text.isprintable():
        text = "".join(_shown(character) for character in text)
    return shortened(text, limit) if limit else text


def shortened(text: str, limit: int) -> str:
    """At most `limit` characters, the last an ellipsis if anything was cut."""
    return text if len(text) <= limit else text[: max(limit - 1, 0)] + _ELLIPSIS


def _shown(character: str) -> str:
    if character == "\t":
        return " "
    if unicodedata.category(character) not in _HIDDEN_CATEGORIES:
        return character
    return character.encode("unicode_escape", "backslashreplace").decode("ascii")
