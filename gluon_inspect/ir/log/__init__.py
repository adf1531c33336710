"""An MLIR_ENABLE_DUMP log (Triton 3.6 to 3.9) cut at its headers, one piece of it in hand at a time.

The log is stderr as it was: other output may stand between the modules, several compilations may follow each
other or interleave, the end may be missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gluon_inspect.ir.log.headers import Header, header_of, pieces, pieces_of_lines
from gluon_inspect.ir.log.modules import HEAD_CHARACTERS, kernel_of, level_of, module_end
from gluon_inspect.ir.log.streams import Seen, Streams
from gluon_inspect.model.artifact import PassDump
from gluon_inspect.model.dump import DumpEntry

__all__ = ["index_dump", "read_dump", "split_dump"]


def index_dump(text: str) -> tuple[DumpEntry, ...]:
    """Every module in a log, in order; empty where there is none. Takes time only for the headers."""
    return tuple(entry for entry, _ in _entries(pieces(text)) if entry is not None)


def read_dump(lines: Iterable[str]) -> Iterator[tuple[DumpEntry | None, str]]:
    """Every module of a log that is read line by line, with its piece of the log: header, module, what follows.

    What stands in front of the first header comes first, with None.
    """
    return _entries(pieces_of_lines(lines))


def split_dump(text: str) -> tuple[PassDump, ...]:
    """Every module in a log with its text; equal texts that follow each other are one object."""
    dumps: list[PassDump] = []
    for entry in index_dump(text):
        module = text[entry.start : entry.end]
        if dumps and dumps[-1].text == module:
            module = dumps[-1].text
        dumps.append(PassDump(entry.index, entry.name, module))
    return tuple(dumps)


def _entries(cut: Iterable[str]) -> Iterator[tuple[DumpEntry | None, str]]:
    streams, index, at = Streams(), 0, 0
    for piece in cut:
        header = header_of(piece)
        if header is not None:
            yield _entry(piece, index, at, header, streams), piece
            index += 1
        elif piece:
            yield None, piece
        at += len(piece)


def _entry(piece: str, index: int, at: int, header: Header, streams: Streams) -> DumpEntry:
    """`at`: where the piece begins in the log."""
    head = piece[: header.start + HEAD_CHARACTERS]
    level = level_of(head, header.operation, header.start, len(head))
    kernel_seen = kernel_of(head, header.start, len(head))
    compilation, kernel = streams.assign(Seen(header, level, kernel_seen, head))
    return DumpEntry(
        index=index,
        name=header.name,
        argument=header.argument,
        options=header.options,
        operation=header.operation,
        symbol=header.symbol,
        moment=header.moment,
        failed=header.failed,
        level=level,
        kernel=kernel,
        compilation=compilation,
        start=at + header.start,
        end=at + module_end(piece, header.start, len(piece)),
        header=at,
    )
