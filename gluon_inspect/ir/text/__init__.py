"""MLIR text to `model.mlir`: structure by a tokeniser and an explicit stack, types and attributes by lark.

What an operation's name means stands in `tables`, one table a dialect; there is no list of accepted operations.
"""

from __future__ import annotations

from gluon_inspect.ir.operations import builtin, row_of
from gluon_inspect.ir.text.assembly import Assembler
from gluon_inspect.ir.text.attributes import Attributes, alias_definitions
from gluon_inspect.ir.text.checks import check
from gluon_inspect.ir.text.structure import Structure
from gluon_inspect.ir.text.tokenizer import tokenize
from gluon_inspect.model.encodings import Encoding
from gluon_inspect.model.mlir import Module
from gluon_inspect.model.types import Type
from gluon_inspect.source import SourceText

__all__ = ["parse_encoding", "parse_mlir", "parse_module", "parse_type"]


def parse_module(text: SourceText | str, name: str = "<text>") -> Module:
    """A whole module. Raises ParseError, and nothing else, where the text cannot be MLIR."""
    source = text if isinstance(text, SourceText) else SourceText(name, text)
    tokens = tokenize(source)
    aliases, ends = alias_definitions(tokens)
    check(tokens, aliases)
    assembler = Assembler(tokens, aliases)
    operations = Structure(tokens, ends, assembler).run()
    top = next((operation for operation in operations if row_of(operation) is builtin.MODULE), None)
    return Module(
        operations,
        source,
        top.attributes if top else {},
        frozenset(assembler.opaque),
        tuple(assembler.functions),
    )


def parse_mlir(text: str, name: str = "<text>") -> Module:
    """A whole module; `name` is the file that errors speak of. Raises ParseError and nothing else."""
    return parse_module(SourceText(name, text))


def parse_type(text: str) -> Type:
    """A type, its aliases expanded already; one that is not understood stays opaque. Raises ParseError."""
    return Attributes(SourceText("<type>", text)).type(text.strip(), 0)


def parse_encoding(text: str) -> Encoding:
    """An encoding attribute, its aliases expanded already; opaque where not understood. Raises ParseError."""
    return Attributes(SourceText("<encoding>", text)).encoding(text.strip(), 0)
