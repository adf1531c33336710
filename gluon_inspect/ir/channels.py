"""What partitions of a warp-specialised kernel hand to each other: buffers, and the barriers that guard them."""

from __future__ import annotations

from dataclasses import dataclass

from gluon_inspect.ir.buffers import Buffers, Touch, Use
from gluon_inspect.ir.partitions import Partition, homes
from gluon_inspect.model.mlir import Module, Operation


@dataclass(frozen=True, slots=True, eq=False)
class Channel:
    """One allocation that several partitions use. `slots`: buffers or barriers that it holds.

    `makers`: partitions that write it or arrive at it; `takers`: those that read it or wait for it.
    """

    root: Operation
    is_barrier: bool
    slots: int
    makers: tuple[str, ...]
    takers: tuple[str, ...]


def channels(module: Module) -> tuple[Channel, ...]:
    """The allocations that one partition fills or signals and another reads or awaits, in textual order."""
    parts = homes(module)
    if not parts:
        return ()
    buffers = Buffers(module)
    by_root: dict[Operation, list[Touch]] = {}
    for touch in buffers.touches(module):
        if touch.op.span.start in parts:
            by_root.setdefault(touch.root, []).append(touch)
    ordered = sorted(by_root.items(), key=lambda each: each[0].span.start)
    found = (_channel(root, touches, buffers, parts) for root, touches in ordered)
    return tuple(each for each in found if _crosses(each))


def _channel(root: Operation, touches: list[Touch], buffers: Buffers, parts: dict[int, Partition]) -> Channel:
    def who(*uses: Use) -> tuple[str, ...]:
        return tuple(dict.fromkeys(parts[each.op.span.start].name for each in touches if each.use in uses))

    return Channel(
        root,
        any(each.use in (Use.SIGNAL, Use.WAIT) for each in touches),
        min(buffers.slots(each.value) for each in touches),
        who(Use.WRITE, Use.SIGNAL),
        who(Use.READ, Use.WAIT),
    )


def _crosses(channel: Channel) -> bool:
    return any(maker != taker for maker in channel.makers for taker in channel.takers)
