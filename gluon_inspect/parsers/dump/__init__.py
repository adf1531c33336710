"""An MLIR_ENABLE_DUMP log (Triton 3.6 to 3.9) cut at its headers, without copying the modules between them.

The log is stderr as it was: other output may stand between the modules, several compilations may follow each
other or interleave, the end may be missing.
"""

from __future__ import annotations

from gluon_inspect.model.artifact import PassDump
from gluon_inspect.model.dump import DumpEntry
from gluon_inspect.parsers.dump.headers import Header, headers
from gluon_inspect.parsers.dump.modules import HEAD_CHARACTERS, kernel_of, level_of, module_end
from gluon_inspect.parsers.dump.streams import Seen, Streams

__all__ = ["index_dump", "split_dump"]


def index_dump(text: str) -> tuple[DumpEntry, ...]:
    """Every module in a log, in order; empty where there is none. Takes time only for the headers."""
    found = list(headers(text))
    streams = Streams()
    ends = [*(header.at for header in found[1:]), len(text)]
    return tuple(
        _entry(text, at, header, end, streams) for at, (header, end) in enumerate(zip(found, ends, strict=False))
    )


def split_dump(text: str) -> tuple[PassDump, ...]:
    """Every module in a log with its text; equal texts that follow each other are one object."""
    dumps: list[PassDump] = []
    for entry in index_dump(text):
        module = text[entry.start : entry.end]
        if dumps and dumps[-1].text == module:
            module = dumps[-1].text
        dumps.append(PassDump(entry.index, entry.name, module))
    return tuple(dumps)


def _entry(text: str, index: int, header: Header, end: int, streams: Streams) -> DumpEntry:
    head = min(end, header.start + HEAD_CHARACTERS)
    level = level_of(text, header.operation, header.start, head)
    kernel_seen = kernel_of(text, header.start, head)
    compilation, kernel = streams.assign(Seen(header, level, kernel_seen, text, head))
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
        start=header.start,
        end=module_end(text, header.start, end),
        header=header.at,
    )
