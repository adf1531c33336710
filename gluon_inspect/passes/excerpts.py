"""Operations in words and as readable IR: layouts as Gluon writes them, aliases expanded, places left out."""

from gluon_inspect.layouts.gluon_syntax import write_layout
from gluon_inspect.model.encodings import Encoding
from gluon_inspect.model.types import DescriptorType, MemDescType, PointerType, ScalarType, TensorType, Type
from gluon_inspect.passes.contents import Contents
from gluon_inspect.passes.normalised import readable
from gluon_inspect.passes.sightings import Sighting


def described(one: Sighting) -> str:
    """What an operation is: "tt.load 64x64xf32 in BlockedLayout(…), 128 bits a lane"."""
    if one.family == "conversion":
        return f"{one.name} {_shape(one.result)}: {_layout(one.source)} -> {_layout(one.result)}{_kind(one)}"
    layout = own_layout_text(one)
    width = f", {one.vector_bits} bits a lane" if one.vector_bits is not None else ""
    return f"{one.name} {shape_text(one)}".strip() + (f" in {layout}" if layout else "") + width


def shape_text(one: Sighting) -> str:
    """Shape and element of what an operation is about: its result, else what it takes."""
    return _shape(_subject(one))


def own_layout_text(one: Sighting) -> str:
    """The layout of the same; empty where it has none."""
    return _layout(_subject(one)) if _encoding(_subject(one)) is not None else ""


def _subject(one: Sighting) -> Type | None:
    """What has a layout before what has none, the result before what is taken."""
    return one.source if _encoding(one.result) is None and one.source is not None else one.result


def layout_text(encoding: Encoding, shape: tuple[int, ...] = ()) -> str:
    """A layout in Gluon's syntax."""
    return write_layout(encoding, shape)


def excerpt(one: Sighting, contents: Contents) -> str:
    """The operation's first line in the state it was seen in, readable."""
    if contents.state is None:
        return one.name
    text = contents.state.ir
    line = text[one.start : one.end].split("\n", 1)[0]
    return readable(line, text)


def _kind(one: Sighting) -> str:
    return f" ({one.kind})" if one.kind else ""


def _encoding(of: Type | None) -> Encoding | None:
    return of.encoding if isinstance(of, TensorType | MemDescType) else None


def _layout(of: Type | None) -> str:
    encoding = _encoding(of)
    shape = of.shape if isinstance(of, TensorType | MemDescType) else ()
    return "no layout" if encoding is None else layout_text(encoding, shape)


def _shape(of: Type | None) -> str:
    match of:
        case TensorType(shape, element) | MemDescType(shape, element):
            return "x".join([*map(str, shape), _shape(element)])
        case ScalarType(name):
            return name
        case PointerType(pointee):
            return f"*{_shape(pointee)}"
        case DescriptorType(kind):
            return kind
        case _:
            return ""
