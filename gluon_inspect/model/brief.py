"""What a `repr` may say: one line that fits a terminal and holds no character that would act on it."""

from gluon_inspect.model.location import Location

_CHARACTERS = 240


def brief(text: str) -> str:
    """One line of at most 240 characters; what is not printable is shown as its escape."""
    shown = "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text[: 2 * _CHARACTERS])
    return shown if len(shown) <= _CHARACTERS else f"{shown[: _CHARACTERS - 2]}…>"


def spot(location: Location | None) -> str:
    """A place without its folder."""
    return "an unknown line" if location is None else str(location).rpartition("/")[2]
