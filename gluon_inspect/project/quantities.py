"""A kernel's comparable numbers, read from its JSON form: the same for a report at hand and one from a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from gluon_inspect.model.change import EXPECTED_TIME

Json = Mapping[str, Any]
Number = int | float
PREDICTED_TIME = EXPECTED_TIME
"""The metric's key, as the cost analysis names it."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """One number. `key` stays the same when lines move; `more_is_worse` None: neither."""

    key: str
    title: str
    value: Number | None
    more_is_worse: bool | None
    line: int = 0


def quantities(kernel: Json) -> Iterator[Quantity]:
    """Accesses, conversions, registers, memory, occupancy, instructions, predicted time."""
    yield from _accesses(kernel)
    yield from _conversions(kernel)
    yield from _resources(kernel)
    for name, number in sorted(_mapping(kernel, "instructions_static").items()):
        yield Quantity(f"instruction {name}", f"{name} instructions", number, None)
    for metric in kernel.get("metrics", ()):
        if metric["key"] == PREDICTED_TIME and isinstance(metric["value"], int | float):
            yield Quantity(PREDICTED_TIME, f"predicted time ({metric['unit']})", metric["value"], True)


def _accesses(kernel: Json) -> Iterator[Quantity]:
    for name, access in _numbered(kernel["accesses"], ("space", "direction", "op")):
        line = cast("Json", access["location"] or {}).get("line") or 0
        counts = ("wavefronts",) if access["space"] == "shared" else ("requests", "sectors")
        for count in counts:
            yield Quantity(f"{name} {count}", f"{count} of {name}", access[count], True, line)
        yield Quantity(f"{name} vector_bits", f"vector width of {name} (bits)", access["vector_bits"], False, line)


def _conversions(kernel: Json) -> Iterator[Quantity]:
    yield Quantity("conversions", "layout conversions", len(kernel["conversions"]), None)
    scratch = [conversion["scratch_bytes"] for conversion in kernel["conversions"]]
    if scratch and None not in scratch:
        yield Quantity("scratch", "largest conversion scratch (bytes)", max(scratch), True)


def _resources(kernel: Json) -> Iterator[Quantity]:
    registers, occupancy = kernel["registers"], cast("Json", kernel["occupancy"] or {})
    yield Quantity("registers", "registers a thread", registers["per_thread"], True)
    yield Quantity("spills", "spilled bytes", registers["spill_bytes"], True)
    yield Quantity("shared", "shared bytes", kernel["shared_bytes"], True)
    yield Quantity("occupancy", "occupancy", occupancy.get("fraction"), False)


def _numbered(records: Any, keys: tuple[str, ...]) -> Iterator[tuple[str, Json]]:
    """Records named by some of their values and, among like ones, by their order."""
    seen: dict[str, int] = {}
    for record in cast("list[Json]", records):
        words = [str(record[key]).rpartition(".")[2] for key in keys]
        name = " ".join(dict.fromkeys(words))
        seen[name] = seen.get(name, 0) + 1
        yield (f"{name} {seen[name]}", record)


def _mapping(kernel: Json, key: str) -> Mapping[str, int]:
    return cast("Mapping[str, int]", kernel.get(key) or {})
