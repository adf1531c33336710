"""A page of answers that is no report: headings, prose, tables and code, drawn by any renderer of pages."""

from __future__ import annotations

from dataclasses import dataclass

from gluon_inspect.model.finding import Table


@dataclass(frozen=True, slots=True)
class Heading:
    """A title; `level` 1 is the page's own."""

    text: str
    level: int = 1


@dataclass(frozen=True, slots=True)
class Prose:
    """A paragraph."""

    text: str


@dataclass(frozen=True, slots=True)
class Code:
    """Lines as they stand; in a diff those that begin with "-" are gone and those with "+" are new."""

    lines: tuple[str, ...]
    is_diff: bool = False


Part = Heading | Prose | Table | Code
