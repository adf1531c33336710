"""The author's Python: every line is its own place."""

from __future__ import annotations

from collections.abc import Mapping

from gluon_inspect.listings.document import Document, Language, Place, shown_lines
from gluon_inspect.model.report import KernelReport


def source_files(kernel: KernelReport, sources: Mapping[str, str]) -> tuple[str, ...]:
    """Files at hand, the kernel's own first, then those its accesses and findings point into."""
    locations = [item.location for item in (*kernel.accesses, *kernel.findings, *kernel.conversions)]
    named = [place.file for location in locations if location is not None for place in location.chain]
    wanted = dict.fromkeys([kernel.kernel.source_file, *named, *sources])
    return tuple(file for file in wanted if file in sources)


def source_document(file: str, sources: Mapping[str, str]) -> Document:
    """A file's text; empty, with the reason, where it is not at hand."""
    if file not in sources:
        why = f"{file} is not part of this capture" if file else "no Python source belongs to this input"
        return Document(file, Language.PYTHON, empty=why)
    lines = shown_lines(sources[file])
    chains = {index: ((Place(file, index + 1),),) for index in range(len(lines))}
    return Document(file, Language.PYTHON, lines, chains)
