"""A slow, obvious simulator: one lane at a time, in plain Python, with layouts by division and remainder."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product


@dataclass(frozen=True)
class Blocked:
    per_thread: tuple
    threads: tuple
    warps: tuple
    order: tuple

    def ir(self):
        names = ("sizePerThread", "threadsPerWarp", "warpsPerCTA", "order")
        values = (self.per_thread, self.threads, self.warps, self.order)
        fields = ", ".join(f"{n} = {list(v)}" for n, v in zip(names, values))
        return f"#ttg.blocked<{{{fields}}}>"

    @property
    def num_warps(self):
        total = 1
        for n in self.warps:
            total *= n
        return total


def delinear(index, sizes, order):
    """A linear index split over dimensions, fastest first."""
    found = [0] * len(sizes)
    for dim in order:
        found[dim] = index % sizes[dim]
        index //= sizes[dim]
    return found


def registers(layout, shape):
    """Offsets of a thread's registers within its tile, tile by tile: (coordinate offset) lists in order."""
    tile = [a * b * c for a, b, c in zip(layout.per_thread, layout.threads, layout.warps)]
    inner = 1
    for n in layout.per_thread:
        inner *= n
    reps = [max(1, s // t) for s, t in zip(shape, tile)]
    outer = 1
    for n in reps:
        outer *= n
    for rep in range(outer):
        at = delinear(rep, reps, layout.order)
        for own in range(inner):
            inside = delinear(own, layout.per_thread, layout.order)
            yield [i + r * t for i, r, t in zip(inside, at, tile)]


def held(layout, shape, warp, lane):
    """Coordinates that a lane holds, register by register (wrapped where the tensor is smaller)."""
    at_lane = delinear(lane, layout.threads, layout.order)
    at_warp = delinear(warp, layout.warps, layout.order)
    for register in registers(layout, shape):
        yield tuple(
            (r + la * p + wa * p * t) % s
            for r, la, wa, p, t, s in zip(
                register, at_lane, at_warp, layout.per_thread, layout.threads, shape, strict=True
            )
        )


def owns(layout, shape, warp, lane):
    """Whether no lane or warp of a lower number holds the same first element."""
    mine = next(iter(held(layout, shape, warp, lane)))
    for w, la in product(range(layout.num_warps), range(32)):
        if (w, la) == (warp, lane):
            return True
        if next(iter(held(layout, shape, w, la))) == mine:
            return False
    return True


def count(layout, shape, vector, size, address, active, once=False):
    """(requests, sectors, lines, ideal) of one program; `address(coordinate)` in bytes, `active(coordinate)`."""
    requests = sectors = lines = ideal = 0
    for warp in range(layout.num_warps):
        columns = [unique(held(layout, shape, warp, lane)) for lane in range(32)]
        mine = [not once or owns(layout, shape, warp, lane) for lane in range(32)]
        for start in range(0, len(columns[0]), vector):
            touched, on = [], 0
            for lane in range(32):
                first = columns[lane][start]
                if mine[lane] and active(first):
                    on += 1
                    touched += [address(first) + b for b in range(vector * size)]
            if not on:
                continue
            found = {byte // 32 for byte in touched}
            requests += 1
            sectors += len(found)
            lines += len({byte // 128 for byte in touched})
            ideal += min(len(found), -(-on * vector * size // 32))
    return requests, sectors, lines, ideal


def unique(coordinates):
    """Without the registers that repeat an earlier one."""
    return list(dict.fromkeys(coordinates))
