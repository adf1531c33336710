"""HTML made safe by construction: text is escaped when it enters, attributes always are."""

from html import escape
from typing import NewType

from gluon_inspect.wording.characters import visible

Html = NewType("Html", str)
_VOID = frozenset({"meta", "br", "rect", "line", "path"})


def text(value: str, limit: int = 2000) -> Html:
    """Any text as HTML: hidden characters made visible, markup escaped, at most `limit` characters."""
    return Html(escape(visible(value, limit), quote=True))


def tag(name: str, /, *children: Html, **attributes: str | int | float | bool | None) -> Html:
    """An element. Attribute names: a trailing underscore is dropped, other underscores become hyphens.

    None and False leave an attribute out.
    """
    shown = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{text(str(value))}"'
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    if name in _VOID:
        return Html(f"<{name}{shown}>") if name in ("meta", "br") else Html(f"<{name}{shown}/>")
    return Html(f"<{name}{shown}>{''.join(children)}</{name}>")


def joined(*parts: Html) -> Html:
    """Elements one after the other."""
    return Html("".join(parts))
