"""What each rule of types.lark becomes in the model; the callbacks run while the text is parsed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from lark import Token, Transformer

from gluon_inspect.ir.text.encodings import BUILDERS, ENCODING_TYPES, Fields, NotUnderstoodError, Padding
from gluon_inspect.ir.text.literals import Number, number, raw_elements, symbol_name, unquoted
from gluon_inspect.ir.text.places import Place
from gluon_inspect.model.encodings import Encoding, OpaqueEncoding
from gluon_inspect.model.mlir import Attribute, DenseElements, OpaqueAttribute, SymbolReference
from gluon_inspect.model.types import (
    DescriptorType,
    FunctionType,
    MemDescType,
    OpaqueType,
    PointerType,
    ScalarType,
    TensorType,
    Type,
)
from gluon_inspect.source import whole

_MEMORY_SPACES = {"#ttg.shared_memory": "shared", "#ttng.tensor_memory": "tensor"}
_SPECIAL_BITS = {"index": 64, "none": 0, "tf32": 32}


def scalar_type(name: str) -> ScalarType:
    """The scalar of this name; its width is the first number in it."""
    bits = _SPECIAL_BITS.get(name)
    if bits is None:
        digits = name.lstrip("bsuif")
        bits = int(
            "".join(digits[: next((at for at, c in enumerate(digits) if not c.isdigit()), len(digits))]) or 0
        )
    return ScalarType(name, bits)


def _shape(dimensions: Token | None) -> tuple[int, ...]:
    """Extents; -1 for `?`."""
    if dimensions is None:
        return ()
    return tuple(int(part) if part.isdigit() else -1 for part in str(dimensions)[:-1].split("x"))


class Builder(Transformer[Token, object]):
    """Callbacks of types.lark, given their children as arguments.

    `text` is what is being parsed, for attributes that stay opaque.
    """

    text: str = ""

    def scalar(self, name: Token) -> Type:
        """A scalar type."""
        return scalar_type(str(name))

    def tensor(self, *parts: object) -> Type:
        """A tensor type."""
        shape, (element, *encoding) = _shaped(parts)
        return TensorType(shape, cast(Type, element), _encoding(encoding[0]) if encoding else None)

    def pointer(self, _: Token, pointee: Type, space: Token | None = None) -> Type:
        """A pointer type."""
        return PointerType(pointee, whole(space) if space else 1)

    def memdesc(self, _: Token, *parts: object) -> Type:
        """A view of shared or tensor memory."""
        shape, (element, encoding, space, *rest) = _shaped(parts)
        marks = [cast(Token, part) for part in rest]
        extents = [_shape(Token("DIMENSIONS", f"{mark}x")) for mark in marks if mark.type == "EXTENT"]
        mutable = any(mark.type == "MUTABLE" for mark in marks)
        whole = extents[0] if extents and extents[0] != shape else ()
        return MemDescType(shape, cast(Type, element), _encoding(encoding), _memory_space(space), mutable, whole)

    def descriptor(self, kind: Token, *parts: object) -> Type:
        """A tensor descriptor; earlier versions wrote the block as a tensor type."""
        shape, (element, *encoding) = _shaped(parts)
        layout = _encoding(encoding[0]) if encoding else None
        if isinstance(element, TensorType):
            shape, layout, element = element.shape, layout or element.encoding, element.element
        return DescriptorType(str(kind)[1:], shape, cast(Type, element), layout)

    def function_type(self, inputs: tuple[Type, ...], results: tuple[Type, ...] | Type) -> Type:
        """(inputs) -> results."""
        return FunctionType(inputs, results if isinstance(results, tuple) else (results,))

    def type_list(self, *types: Type) -> tuple[Type, ...]:
        """Types in parentheses."""
        return types

    def opaque_type(self, text: Token) -> Type:
        """A type of another dialect."""
        return OpaqueType(str(text))

    def number(self, text: Token, of: Type | None = None) -> Number:
        """A number, its type only used to read it."""
        return number(str(text), of)

    def typed_string(self, text: Token, _: Type | None = None) -> str:
        """A string."""
        return unquoted(str(text))

    def list(self, *items: object) -> tuple[object, ...]:
        """An array attribute."""
        return items

    def padding(self, interval: Token, pad: Token) -> Padding:
        """One interval and pad of a padded layout."""
        return Padding(int(interval), int(pad))

    def dictionary(self, *entries: tuple[str, Attribute]) -> Mapping[str, Attribute]:
        """A dictionary attribute. A name given twice is left for a closer look."""
        found = dict(entries)
        if len(found) < len(entries):
            raise ValueError("a name is given twice")
        return found

    def entry(self, key: Token, value: Attribute = True) -> tuple[str, Attribute]:
        """One entry; a unit attribute is true."""
        return (unquoted(str(key)) if key[0] == '"' else str(key)), value

    def symbol(self, *parts: Token) -> SymbolReference:
        """A symbol reference without its @ and quotes."""
        return SymbolReference("::".join(symbol_name(str(part)) for part in parts))

    def array(self, of: Token, *items: Token) -> tuple[Number, ...]:
        """array<type: …>."""
        return tuple(_element(item, scalar_type(str(of))) for item in items)

    def element_list(self, *items: object) -> tuple[object, ...]:
        """Elements of one dimension, flattened."""
        flat: list[object] = []
        for item in items:
            flat.extend(cast(tuple[object, ...], item) if isinstance(item, tuple) else (item,))
        return tuple(flat)

    def complex_element(self, real: object, imaginary: object) -> tuple[object, ...]:
        """A complex number, as two elements."""
        return (real, imaginary)

    def dense(self, *parts: object) -> Attribute:
        """dense<…> : type."""
        of = cast(Type, parts[-1])
        scalar = of.element if isinstance(of, TensorType) else vector_element(of)
        if len(parts) == 1:
            return DenseElements((), of, False)
        if isinstance(parts[0], tuple):
            items = cast(tuple[Token, ...], parts[0])
            return DenseElements(tuple(_element(item, scalar) for item in items), of, False)
        return self._splat(cast(Token, parts[0]), of, scalar)

    def _splat(self, text: Token, of: Type, scalar: Type | None) -> Attribute:
        if text.type != "STRING":
            return DenseElements((_element(text, scalar),), of, True)
        values = raw_elements(str(text), scalar) if isinstance(scalar, ScalarType) else None
        return DenseElements(values, of, len(values) == 1) if values is not None else OpaqueAttribute(str(text))

    def dialect_attribute(self, name: Token, *parts: object) -> object:
        """An encoding, or any other dialect's attribute as it stands."""
        end = cast(Token, parts[-1]).end_pos if parts else name.end_pos
        text = self.text[name.start_pos or 0 : end]
        builder = BUILDERS.get(str(name))
        if builder is None:
            return OpaqueAttribute(text)
        try:
            return builder(_fields(parts[:-1]))
        except NotUnderstoodError:
            return OpaqueEncoding(text)

    def named_parameter(self, name: Token, value: Attribute) -> Mapping[str, Attribute]:
        """`name = value` between an attribute's angle brackets."""
        return {str(name): value}

    def word(self, text: Token) -> Attribute:
        """true, false or a keyword."""
        return {"true": True, "unit": True, "false": False}.get(str(text), str(text))

    def opaque_attribute(self, text: Token) -> OpaqueAttribute:
        """An attribute nothing here depends on."""
        return OpaqueAttribute(str(text))

    def file_place(self, file: Token, line: Token, column: Token, *_: Token) -> Place:
        """A line of a file; where it ends is dropped."""
        return Place("file", unquoted(str(file)), whole(line), whole(column))

    def name_place(self, name: Token, child: Place | None = None) -> Place:
        """A variable's name, at a place."""
        return Place("name", unquoted(str(name)), parts=(child,) if child else ())

    def call_place(self, callee: Place, caller: Place) -> Place:
        """A place inside a function, and where that was called."""
        return Place("call", parts=(callee, caller))

    def fused_place(self, *parts: object) -> Place:
        """Several places for one operation."""
        return Place("fused", parts=tuple(part for part in parts if isinstance(part, Place)))

    def unknown_place(self) -> Place:
        """No place."""
        return Place("unknown")

    def alias_place(self, name: Token) -> Place:
        """A place that stands elsewhere."""
        return Place("alias", str(name))


def _shaped(parts: tuple[object, ...]) -> tuple[tuple[int, ...], tuple[object, ...]]:
    first = parts[0]
    if isinstance(first, Token):
        return _shape(first), parts[1:]
    return (), parts


def _encoding(value: object) -> Encoding:
    if isinstance(value, ENCODING_TYPES):
        return cast(Encoding, value)
    return OpaqueEncoding(value.text if isinstance(value, OpaqueAttribute) else str(value))


def _memory_space(value: object) -> str:
    text = value.text if isinstance(value, OpaqueAttribute) else str(value)
    return _MEMORY_SPACES.get(text, text)


def _fields(parts: tuple[object, ...]) -> Fields:
    named: dict[str, Attribute] = {}
    rest: list[object] = []
    for part in parts:
        if isinstance(part, Mapping):
            named.update(cast(Mapping[str, Attribute], part))
        else:
            rest.append(part)
    return Fields(named, tuple(rest))


def _element(text: Token, of: Type | None) -> Number:
    if text.type in ("TRUE", "FALSE"):
        return text.type == "TRUE"
    if text.type == "STRING":
        return 0
    return number(str(text), of)


def vector_element(of: Type) -> ScalarType | None:
    """The element of vector<…x…>: vectors have no type of their own in the model."""
    if not isinstance(of, OpaqueType) or not of.text.startswith("vector<"):
        return None
    name = of.text[7:-1].rsplit("x", 1)[-1]
    return scalar_type(name) if name[:1] in "ibfsu" and name[-1:].isdigit() else None
