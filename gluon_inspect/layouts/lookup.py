"""A layout however it is given: the IR's text, Gluon's syntax, a Gluon object."""

from gluon_inspect.ir.text import parse_encoding
from gluon_inspect.layouts.gluon_fields import encoding_of_object
from gluon_inspect.layouts.gluon_syntax import read_layout
from gluon_inspect.model.encodings import Encoding


def encoding_of(layout: object) -> Encoding:
    """The encoding meant: text that starts with # is the IR's (aliases expanded), other text is Gluon's.

    Raises ParseError for text that is neither, LayoutError for an object that is no layout.
    """
    if not isinstance(layout, str):
        return encoding_of_object(layout)
    text = layout.strip()
    return parse_encoding(text) if text.startswith("#") else read_layout(text)
