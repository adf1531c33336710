"""Nsight Compute's report files (.ncu-rep, version 7): launches with their metrics, and the binaries that ran.

Nsight Compute's Customization Guide, "Report File Format", describes the container: `NVR\\0`, then headers, blocks
and entries, each a length and a protocol buffer message. The messages' field numbers are those of the .proto files
that Nsight Compute brings in extras/FileFormat; only the fields below are looked at, others are passed over.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from math import isfinite

from gluon_inspect.errors import ParseError, Position
from gluon_inspect.model.measured import NsightLaunch

MAGIC = b"NVR\0"
_VERSION = 7
_BROKEN = (struct.error, IndexError, KeyError, OverflowError, ValueError, UnicodeDecodeError)

_BLOCK_SOURCES, _BLOCK_RESULTS, _BLOCK_STRINGS, _BLOCK_BYTES = 1, 2, 4, 5
_SOURCE_ID, _SOURCE_BINARY, _SOURCE_REVISION = 1, 4, 6
_RESULT_SYMBOL, _RESULT_GRID, _RESULT_BLOCK, _RESULT_METRICS, _RESULT_SOURCE = 5, 10, 11, 13, 15
_METRIC_NAME, _METRIC_TOTAL, _METRIC_INSTANCES = 1, 2, 3
_TEXT, _FLOAT, _DOUBLE, _UINT32, _UINT64 = 1, 2, 3, 4, 5
"""Kinds of values, by field number."""

_Message = memoryview
_Value = int | memoryview


@dataclass(frozen=True, slots=True)
class _Block:
    """The payload's entries, binaries first, and the names that this block adds."""

    sources: tuple[_Message, ...]
    results: tuple[_Message, ...]
    names: tuple[str, ...]


def parse_nsight(data: bytes, wanted: Collection[str], name: str = "<ncu-rep>") -> tuple[NsightLaunch, ...]:
    """The launches of a report in order, each with those of the `wanted` metrics that it has as numbers.

    Raises ParseError for anything else, a file that is cut short and versions other than 7.
    """
    where = Position(name)
    if data[:4] != MAGIC:
        raise ParseError("not a report of Nsight Compute", position=where, hint="an .ncu-rep file begins with NVR")
    try:
        version, blocks = _read(memoryview(data))
        if version == _VERSION:
            return tuple(_launches(blocks, frozenset(wanted)))
    except _BROKEN as error:
        raise ParseError(
            f"damaged report of Nsight Compute: {error}", position=where, hint="is the file complete?"
        ) from None
    raise ParseError(f"an .ncu-rep file of version {version}, this reads {_VERSION}", position=where)


def _read(data: memoryview) -> tuple[int, list[_Block]]:
    header, at = _sized(data, len(MAGIC))
    version = _number(_fields(header).get(1))
    blocks: list[_Block] = []
    while version == _VERSION and at < len(data):
        head, at = _sized(data, at)
        fields = _fields(head)
        end = at + _number(fields.get(_BLOCK_BYTES))
        if end > len(data):
            raise ValueError("a block lies beyond the end")
        blocks.append(_block(fields, data[at:end]))
        at = end
    return version, blocks


def _block(fields: Mapping[int, list[_Value]], payload: memoryview) -> _Block:
    counts = [_number(fields.get(field)) for field in (_BLOCK_SOURCES, _BLOCK_RESULTS)]
    entries: list[memoryview] = []
    at = 0
    for _ in range(sum(counts)):
        entry, at = _sized(payload, at)
        entries.append(entry)
    names = tuple(
        _text(each) for table in fields.get(_BLOCK_STRINGS, ()) for each in _fields(_message(table)).get(1, ())
    )
    return _Block(tuple(entries[: counts[0]]), tuple(entries[counts[0] :]), names)


def _launches(blocks: list[_Block], wanted: frozenset[str]) -> Iterator[NsightLaunch]:
    names = [name if name in wanted else "" for block in blocks for name in block.names]
    binaries: dict[int, bytes] = {}
    targets: dict[int, str] = {}
    for entry in (_fields(source) for block in blocks for source in block.sources):
        key, revision = _number(entry.get(_SOURCE_ID)), _number(entry.get(_SOURCE_REVISION))
        # An entry without a binary adds functions to one that came before.
        for binary in entry.get(_SOURCE_BINARY, ()):
            binaries[key] = bytes(_message(binary))
        targets[key] = f"cuda:{revision >> 16}{revision & 0xFFFF}"
    for result in (result for block in blocks for result in block.results):
        launch, source = _launch(_fields(result), names)
        yield replace(launch, binary=binaries.get(source, b""), target=targets.get(source, ""))


def _launch(fields: Mapping[int, list[_Value]], names: list[str]) -> tuple[NsightLaunch, int]:
    """A launch, and which binary it ran."""
    totals: dict[str, float | str] = {}
    instances: dict[str, dict[int, float]] = {}
    for metric in fields.get(_RESULT_METRICS, ()):
        found = _fields(_message(metric), first=True)
        name = names[_number(found.get(_METRIC_NAME))]
        if not name:
            continue
        whole = _fields(_message(metric))
        for total in whole.get(_METRIC_TOTAL, ()):
            if (value := _value(total)) is not None and (isinstance(value, str) or isfinite(value)):
                totals[name] = value
        if elements := whole.get(_METRIC_INSTANCES):
            instances[name] = dict(_instances(elements))
    source = _fields(_message(fields[_RESULT_SOURCE][0])) if _RESULT_SOURCE in fields else {}
    symbol, grid, block = (fields[each][0] for each in (_RESULT_SYMBOL, _RESULT_GRID, _RESULT_BLOCK))
    launch = NsightLaunch(_text(symbol), _triple(grid), _triple(block), totals, instances)
    return launch, _number(source.get(_SOURCE_ID))


def _instances(elements: list[_Value]) -> Iterator[tuple[int, float]]:
    """Values by what they belong to; for metrics of the source page that is an instruction's address."""
    for element in elements:
        pair = _fields(_message(element))
        if 1 in pair and 2 in pair:
            key, value = _value(pair[1][0]), _value(pair[2][0])
            if isinstance(key, int) and isinstance(value, int | float) and isfinite(value):
                yield key, value


def _value(message: _Value) -> float | str | None:
    for kind, (found, *_) in _fields(_message(message)).items():
        match kind:
            case 1:
                return _text(found)
            case 2:
                return struct.unpack("<f", _message(found))[0]
            case 3:
                return struct.unpack("<d", _message(found))[0]
            case 4 | 5:
                return _number([found])
            case _:
                continue
    return None


def _triple(message: _Value) -> tuple[int, int, int]:
    fields = _fields(_message(message))
    return _number(fields.get(1)), _number(fields.get(2)), _number(fields.get(3))


def _sized(data: memoryview, at: int) -> tuple[memoryview, int]:
    """A message behind its length, and where it ends."""
    (size,) = struct.unpack_from("<I", data, at)
    end = at + 4 + size
    if end > len(data):
        raise ValueError("a message lies beyond the end")
    return data[at + 4 : end], end


def _fields(data: memoryview, *, first: bool = False) -> dict[int, list[_Value]]:
    """A message's values by field number (protobuf wire format); of groups only that they cannot be read."""
    found: dict[int, list[_Value]] = {}
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        match tag & 7:
            case 0:
                value, at = _varint(data, at)
                found.setdefault(tag >> 3, []).append(value)
                if first:
                    break
                continue
            case 1:
                size = 8
            case 2:
                size, at = _varint(data, at)
            case 5:
                size = 4
            case kind:
                raise ValueError(f"a value of kind {kind}")
        if at + size > len(data):
            raise ValueError("a value lies beyond the end")
        found.setdefault(tag >> 3, []).append(data[at : at + size])
        at += size
    return found


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
        if shift > 63:
            raise ValueError("a number of more than 64 bits")


def _number(values: list[_Value] | None) -> int:
    """A whole number, 0 where it is left out, as protocol buffers do."""
    if not values:
        return 0
    if not isinstance(values[0], int):
        raise ValueError("bytes instead of a number")
    return values[0]


def _message(value: _Value) -> memoryview:
    if isinstance(value, int):
        raise ValueError("a number instead of bytes")
    return value


def _text(value: _Value) -> str:
    return bytes(_message(value)).decode()
