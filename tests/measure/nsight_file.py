"""Small .ncu-rep files, written after Nsight Compute's documentation of the format."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping

from gluon_inspect.measure.names import NCU, NCU_SOURCE

BASE = 0x7FE7D37A2800
"""The address that the first instruction ran at."""


def report(*blocks: bytes, version: int = 7) -> bytes:
    """A file of blocks."""
    return b"NVR\0" + _sized(_field(1, version)) + b"".join(blocks)


def block(sources: Iterable[bytes] = (), results: Iterable[bytes] = (), names: Iterable[str] = ()) -> bytes:
    """A block: its header, then binaries, then launches."""
    sources, results = list(sources), list(results)
    payload = b"".join(map(_sized, [*sources, *results]))
    table = b"".join(_field(1, name.encode()) for name in names)
    header = _field(1, len(sources)) + _field(2, len(results)) + _field(4, table) + _field(5, len(payload))
    return _sized(header) + payload


def source(key: int, binary: bytes, revision: tuple[int, int] = (9, 0)) -> bytes:
    """A binary under its key, with the compute capability that it is for; empty: only its functions again."""
    code = _field(4, binary) if binary else b""
    return _field(1, key) + code + _field(5, revision[0]) + _field(6, revision[0] << 16 | revision[1])


def launch(
    symbol: str,
    grid: tuple[int, int, int],
    metrics: Mapping[int, float | str],
    *,
    key: int = 1,
    threads: int = 128,
    instances: Mapping[int, Mapping[int, float]] | None = None,
) -> bytes:
    """A launch; metrics and their values by instruction are keyed by the name's place in the table."""
    content = b"".join(_field(number, 1) for number in (1, 2, 3, 4))
    content += b"".join(_field(number, symbol.encode()) for number in (5, 6, 7))
    content += (
        _field(8, 3)
        + _field(9, _triple((0, 0, 0)))
        + _field(10, _triple(grid))
        + _field(11, _triple((threads, 1, 1)))
    )
    for name, value in metrics.items():
        found = (instances or {}).get(name, {})
        elements = b"".join(_field(3, _field(1, _field(5, at)) + _field(2, _value(n))) for at, n in found.items())
        content += _field(13, _field(1, name) + _field(2, _value(value)) + elements)
    return content + _field(15, _field(1, key))


NAMES = tuple(dict.fromkeys(("unread", *NCU.values(), *NCU_SOURCE.values(), "device__attribute_display_name")))


def simple(
    symbol: str, grid: tuple[int, int, int], binary: bytes = b"", again: int = 0, instructions: int = 2
) -> bytes:
    """One kernel with two counters and the counts of its first instructions, launched 1 + `again` times."""
    metrics = {
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": 64.0,
        "launch__registers_per_thread": 40,
        "device__attribute_display_name": "NVIDIA H200",
        "inst_executed": 20,
        "unread": 1,
    }
    numbered = {NAMES.index(name): value for name, value in metrics.items()}
    executed = {NAMES.index("inst_executed"): {BASE + 16 * number: 10 for number in range(instructions)}}
    one = launch(symbol, grid, numbered, instances=executed)
    # names may come in several blocks, and before or behind what uses them
    return report(
        block(names=NAMES[:1]),
        block([source(1, binary)], [one], NAMES[1:]),
        block([source(1, b"")], [one] * again),
    )


def _triple(numbers: tuple[int, int, int]) -> bytes:
    return b"".join(_field(at, number) for at, number in enumerate(numbers, 1))


def _value(value: float | str) -> bytes:
    match value:
        case str():
            return _field(1, value.encode())
        case int():
            return _field(5, value)
        case _:
            return _varint(3 << 3 | 1) + struct.pack("<d", value)


def _field(number: int, value: int | bytes) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])


def _sized(message: bytes) -> bytes:
    return struct.pack("<I", len(message)) + message
